"""The data: the project's synthetic pictures, drawn by its own command and preprocessed as the benchmark does it."""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np
from embedded import synthetic

MEANS = np.array([123.68, 116.78, 103.94], np.float32)  # of R, G, B, subtracted from pixels of 0..255
CHUNK = 1000  # pictures on disk at a time: they are stored uncompressed


def resize_and_crop(bgr, size):
    """The vgg recipe before its means: short side to 256 (INTER_AREA), size x size from the centre, RGB."""
    height, width = bgr.shape[:2]
    if height > width:
        shape = (256, int(256 * height / width))
    else:
        shape = (int(256 * width / height), 256)
    resized = cv2.resize(bgr, shape, interpolation=cv2.INTER_AREA)
    left, top = int((shape[0] - size) / 2), int((shape[1] - size) / 2)
    return resized[top : top + size, left : left + size, ::-1]


def load(name, first, count, size, cache):
    """Pictures [first, first+count) of a set as uint8 N,size,size,3 and their labels; kept as files in cache."""
    pixels_file = cache / f"{name}_{first}_{count}_{size}.npy"
    labels_file = cache / f"{name}_{first}_{count}_labels.npy"
    if not (pixels_file.exists() and labels_file.exists()):
        _prepare(name, first, count, size, pixels_file, labels_file)
    return np.load(pixels_file, mmap_mode="r"), np.load(labels_file)


def _prepare(name, first, count, size, pixels_file, labels_file):
    unfinished = pixels_file.with_suffix(".part")
    pixels = np.lib.format.open_memmap(unfinished, "w+", np.uint8, (count, size, size, 3))
    labels = np.empty(count, np.int64)
    with ThreadPoolExecutor() as pool:
        for start in range(0, count, CHUNK):
            n = min(CHUNK, count - start)
            _prepare_chunk(pool, name, first + start, size, pixels[start : start + n], labels[start : start + n])
    pixels.flush()
    np.save(labels_file, labels)
    unfinished.rename(pixels_file)


def draw(name, folder, first=None, count=None):
    """Draws pictures of a set into a folder that is not there yet; their paths, and their labels."""
    folder = synthetic.export("images", name, Path(folder) / name, count, first)
    rows = [line.split() for line in (folder / "val_map.txt").read_text().splitlines()]
    return [str(folder / file) for file, _ in rows], [int(label) for _, label in rows]


def _prepare_chunk(pool, name, first, size, pixels, labels):
    with tempfile.TemporaryDirectory() as folder:
        paths, labels[:] = draw(name, folder, first, len(pixels))

        def prepare(i):
            pixels[i] = resize_and_crop(cv2.imread(paths[i]), size)

        list(pool.map(prepare, range(len(pixels))))


def model_input(pixels):
    """uint8 N,H,W,3 to the model's input: float32 N,3,H,W, means subtracted."""
    return np.ascontiguousarray((pixels.astype(np.float32) - MEANS).transpose(0, 3, 1, 2))


def augment(pixels, size, rng):
    """A random crop of size x size, one of the eight turns and reflections: no class depends on its orientation."""
    top, left = rng.integers(0, pixels.shape[0] - size + 1), rng.integers(0, pixels.shape[1] - size + 1)
    crop = np.rot90(pixels[top : top + size, left : left + size], rng.integers(4))
    return crop[:, ::-1] if rng.integers(2) else crop
