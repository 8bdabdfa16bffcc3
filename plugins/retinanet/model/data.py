"""The data: the project's synthetic scenes, drawn by its own command and preprocessed as the benchmark does it."""

import json
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np
from embedded import synthetic

ANNOTATIONS = "annotations/openimages-mlperf.json"
PICTURES = "validation/data"
CHUNK = 1000  # pictures on disk at a time: they are stored uncompressed
COUNTS = {"train": 8000, "calibration": 200, "eval": 500}


def model_input(bgr, size):
    """The retinanet recipe: float32, resized to size x size whatever the proportions, RGB, 0..1, as 3,size,size."""
    resized = cv2.resize(bgr.astype(np.float32), (size, size), interpolation=cv2.INTER_LINEAR)
    return np.ascontiguousarray(resized[:, :, ::-1].transpose(2, 0, 1)) / np.float32(255)


def draw(name, first, count, folder):
    """Draws pictures [first, first+count) of a set into a folder that is not there yet; their annotations and paths."""
    folder = synthetic.export("scenes", name, Path(folder) / name, count, first)
    truth = json.loads((folder / ANNOTATIONS).read_text())
    return truth, [str(folder / PICTURES / image["file_name"]) for image in truth["images"]]


def load(name, size, cache):
    """A set as uint8 pixels N,3,size,size and, for each picture, float32 rows of x0, y0, x1, y1 in pixels of the input,
    class, and 1 for a crowd. Kept as files in cache."""
    pixels_file, boxes_file = cache / f"{name}_{size}.npy", cache / f"{name}_{size}_boxes.npz"
    if not (pixels_file.exists() and boxes_file.exists()):
        _prepare(name, size, pixels_file, boxes_file)
    boxes = np.load(boxes_file)
    return np.load(pixels_file, mmap_mode="r"), np.split(boxes["rows"], boxes["ends"][:-1])


def _prepare(name, size, pixels_file, boxes_file):
    count = COUNTS[name]
    unfinished = pixels_file.with_suffix(".part")
    pixels = np.lib.format.open_memmap(unfinished, "w+", np.uint8, (count, 3, size, size))
    rows = []
    with ThreadPoolExecutor() as pool:
        for start in range(0, count, CHUNK):
            rows += _prepare_chunk(pool, name, start, pixels[start : start + CHUNK])
    pixels.flush()
    np.savez(boxes_file, rows=np.concatenate(rows), ends=np.cumsum([len(r) for r in rows]))
    unfinished.rename(pixels_file)


def _prepare_chunk(pool, name, first, pixels):
    size = pixels.shape[-1]
    with tempfile.TemporaryDirectory() as folder:
        truth, paths = draw(name, first, len(pixels), folder)

        def prepare(i):
            pixels[i] = np.rint(model_input(cv2.imread(paths[i]), size) * 255)

        list(pool.map(prepare, range(len(pixels))))
    return boxes_of(truth, size)


def boxes_of(truth, size):
    """The boxes of each image in the order of the file, scaled to the input."""
    rows = {image["id"]: [] for image in truth["images"]}
    scales = {image["id"]: (size / image["width"], size / image["height"]) for image in truth["images"]}
    for a in truth["annotations"]:
        (x, y, w, h), (sx, sy) = a["bbox"], scales[a["image_id"]]
        rows[a["image_id"]].append((x * sx, y * sy, (x + w) * sx, (y + h) * sy, a["category_id"], a["iscrowd"]))
    return [np.array(r, np.float32).reshape(-1, 6) for r in rows.values()]
