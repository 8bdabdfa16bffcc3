"""The data: the project's synthetic volumes, drawn by its own command and preprocessed as the benchmark does it."""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nibabel
import numpy as np
from embedded import synthetic
from scipy.ndimage import zoom
from scipy.signal.windows import gaussian

SPACING = np.array([1.6, 1.2, 1.2])  # millimetres
LEAST, MOST, MEAN, DEVIATION, PADDING = -79, 304, np.float32(101), np.float32(76.9), np.float32(-2.2)
WINDOW = 32  # voxels a side; the official model has 128
STRIDE = WINDOW // 2


def _halves(n):
    return n // 2, n - n // 2


def _resample(image, labels, spacing):
    factors = np.asarray(spacing, np.float64) / SPACING
    image = zoom(image, factors, order=1, mode="constant", cval=image.min(), grid_mode=False)
    return image, zoom(labels, factors, order=0, mode="constant", cval=labels.min(), grid_mode=False)


def preprocess(image, labels, spacing, window=WINDOW):
    """Resamples, normalises, and fits the volume to the windows: depth, height, width as float32 and uint8."""
    stride = window // 2
    image, labels = _resample(image, labels, spacing)
    image = (np.clip(image, LEAST, MOST) - MEAN) / DEVIATION
    pads = [_halves(max(0, window - n)) for n in image.shape]
    image, labels = np.pad(image, pads, mode="edge"), np.pad(labels, pads, mode="edge")
    cuts = [_halves(n % stride if n % stride < stride // 2 else 0) for n in image.shape]
    inner = tuple(slice(first, n - last) for (first, last), n in zip(cuts, image.shape))
    image, labels = image[inner], labels[inner]
    pads = [_halves(-n % stride) for n in image.shape]
    return np.pad(image, pads, constant_values=PADDING), np.pad(labels, pads)


def origins(shape, window=WINDOW):
    """The first voxel of each window, depth slowest."""
    stride = window // 2
    places = [range(0, n - window + 1, stride) for n in shape]
    return [(z, y, x) for z in places[0] for y in places[1] for x in places[2]]


def importance(window=WINDOW):
    """The weight of each voxel of a window: a Gaussian, 1 at the middle."""
    line = gaussian(window, window / 8)
    cube = np.cbrt(line[:, None, None] * line[None, :, None] * line[None, None, :])
    return (cube / cube.max()).astype(np.float32)


def load(name, cache):
    """The volumes of a set, preprocessed: a list of (image float32, labels uint8); kept as a file in cache."""
    path = cache / f"{name}.npz"
    if not path.exists():
        with tempfile.TemporaryDirectory() as folder:
            drawn = synthetic.export("volumes", name, Path(folder) / name)
            with ThreadPoolExecutor() as pool:
                cases = list(pool.map(_read, sorted(drawn.iterdir())))
        np.savez(path, *[array for case in cases for array in case])
    with np.load(path) as arrays:
        flat = [arrays[f"arr_{i}"] for i in range(len(arrays.files))]
    return list(zip(flat[::2], flat[1::2]))


def _read(folder):
    image, labels = (nibabel.load(folder / f"{part}.nii.gz") for part in ("imaging", "segmentation"))
    spacing = [float(n) for n in image.header["pixdim"][1:4]]
    return preprocess(image.get_fdata().astype(np.float32), np.asarray(labels.dataobj), spacing)
