"""The project's synthetic scenes, drawn by its own command, as pictures and boxes of a detector's input."""

import contextlib
import io
import json
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np
import torch
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from embedded import synthetic

ANNOTATIONS = "annotations/openimages-mlperf.json"
PICTURES = "validation/data"
CHUNK = 1000  # pictures on disk at a time: they are stored uncompressed
COUNTS = {"train": 8000, "calibration": 200, "eval": 500}
MOST = 10  # boxes per picture


def draw(name, first, count, folder):
    """Draws pictures [first, first+count) of a set into a folder that is not there yet; their annotations and paths."""
    folder = synthetic.export("scenes", name, Path(folder) / name, count, first)
    truth = json.loads((folder / ANNOTATIONS).read_text())
    return truth, [str(folder / PICTURES / image["file_name"]) for image in truth["images"]]


class Inputs:
    """How pictures become a square input.

    prepare: a picture, BGR, and the side of the input to float32 3,side,side of 0 to 1.
    place: width, height and side to the scales and offsets (sx, sy, dx, dy) of points of the picture in the input.
    """

    def __init__(self, side, prepare, place):
        self.side, self.prepare, self.place = side, prepare, place

    def load(self, name, cache):
        """A set as uint8 pixels N,3,side,side and, for each picture, float32 rows of x0, y0, x1, y1 in pixels of the
        input, class, and 1 for a crowd. Kept as files in cache."""
        pixels_file, boxes_file = cache / f"{name}_{self.side}.npy", cache / f"{name}_{self.side}_boxes.npz"
        if not (pixels_file.exists() and boxes_file.exists()):
            self._prepare(name, pixels_file, boxes_file)
        boxes = np.load(boxes_file)
        return np.load(pixels_file, mmap_mode="r"), np.split(boxes["rows"], boxes["ends"][:-1])

    def _prepare(self, name, pixels_file, boxes_file):
        count = COUNTS[name]
        unfinished = pixels_file.with_suffix(".part")
        pixels = np.lib.format.open_memmap(unfinished, "w+", np.uint8, (count, 3, self.side, self.side))
        rows = []
        with ThreadPoolExecutor() as pool:
            for start in range(0, count, CHUNK):
                rows += self._prepare_chunk(pool, name, start, pixels[start : start + CHUNK])
        pixels.flush()
        np.savez(boxes_file, rows=np.concatenate(rows), ends=np.cumsum([len(r) for r in rows]))
        unfinished.rename(pixels_file)

    def _prepare_chunk(self, pool, name, first, pixels):
        with tempfile.TemporaryDirectory() as folder:
            truth, paths = draw(name, first, len(pixels), folder)

            def prepare(i):
                pixels[i] = np.rint(self.prepare(cv2.imread(paths[i]), self.side) * 255)

            list(pool.map(prepare, range(len(pixels))))
        return self.boxes_of(truth)

    def boxes_of(self, truth):
        """The boxes of each image in the order of the file, in pixels of the input."""
        rows = {image["id"]: [] for image in truth["images"]}
        places = {image["id"]: self.place(image["width"], image["height"], self.side) for image in truth["images"]}
        for a in truth["annotations"]:
            (x, y, w, h), (sx, sy, dx, dy) = a["bbox"], places[a["image_id"]]
            box = (x * sx + dx, y * sy + dy, (x + w) * sx + dx, (y + h) * sy + dy)
            rows[a["image_id"]].append((*box, a["category_id"], a["iscrowd"]))
        return [np.array(r, np.float32).reshape(-1, 6) for r in rows.values()]


class Batches:
    """Shuffled batches of the training pictures, half of them mirrored: pixels of 0 to 1, rows of the boxes padded to
    MOST a picture, and which of the rows are real."""

    def __init__(self, pixels, boxes, size, rng):
        self.pixels, self.size, self.rng = pixels, size, rng
        self.boxes = np.zeros((len(boxes), MOST, 6), np.float32)
        self.real = np.zeros((len(boxes), MOST), bool)
        for i, rows in enumerate(boxes):
            self.boxes[i, : len(rows)], self.real[i, : len(rows)] = rows, True

    def __len__(self):
        return len(self.pixels) // self.size

    def epoch(self):
        order = self.rng.permutation(len(self.pixels))
        for i in range(len(self)):
            yield self._batch(np.sort(order[i * self.size : (i + 1) * self.size]))

    def _batch(self, chosen):
        pixels, boxes = np.array(self.pixels[chosen]), self.boxes[chosen].copy()
        mirrored = self.rng.random(len(chosen)) < 0.5
        pixels[mirrored] = pixels[mirrored, :, :, ::-1]
        side = pixels.shape[-1]
        boxes[mirrored, :, 0], boxes[mirrored, :, 2] = side - boxes[mirrored, :, 2], side - boxes[mirrored, :, 0]
        x = (torch.from_numpy(pixels).float() / 255).contiguous(memory_format=torch.channels_last)
        return x, torch.from_numpy(boxes), torch.from_numpy(self.real[chosen])


class Evaluation:
    """The evaluation pictures and their true boxes."""

    def __init__(self):
        with tempfile.TemporaryDirectory() as folder:
            self.truth, paths = draw("eval", 0, COUNTS["eval"], folder)
            self.pictures = [cv2.imread(path) for path in paths]

    def score(self, detect):
        """mAP and AP50 in percent. detect gives rows x0, y0, x1, y1, score, class of a picture, BGR, in its pixels."""
        rows = []
        for image, bgr in zip(self.truth["images"], self.pictures):
            rows += [(image["id"], x0, y0, x1 - x0, y1 - y0, *rest) for x0, y0, x1, y1, *rest in detect(bgr)]
        return average_precision(self.truth, rows)


def average_precision(annotations, rows):
    """mAP and AP50 in percent of rows of image, x, y, width, height, score, class."""
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO()
        truth.dataset = annotations
        truth.createIndex()
        evaluation = COCOeval(truth, truth.loadRes(np.array(rows)), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return 100 * float(evaluation.stats[0]), 100 * float(evaluation.stats[1])
