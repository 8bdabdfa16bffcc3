"""The data: the project's synthetic heads, drawn by its own command, prepared and scored as the benchmark does it."""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nibabel
import numpy as np
from embedded import runtime, synthetic
from export import INPUT, OUTPUT
from scipy.ndimage import binary_fill_holes

SIDE = 32  # voxels of the model's input; the official one has 224 x 224 x 160
CHANNELS = ("t1", "t1ce", "t2", "flair")
CLASSES = 4
CONVERTED = np.array([0, 2, 1, 0, 3], np.uint8)  # by the label of a published file
REGIONS = {"whole tumour": (1, 2, 3), "tumour core": (2, 3), "enhancing tumour": (3,)}


def box(mask):
    """The part of a volume that a mask takes."""
    places = np.argwhere(mask)
    return tuple(slice(first, last + 1) for first, last in zip(places.min(0), places.max(0)))


def prepare(channels):
    """Crops to the head, normalises in it, pads: channels (4,D,H,W) to float32 (4,32,32,32); with the box, and where it
    lies in the result."""
    mask = binary_fill_holes((channels != 0).any(0))
    crop = box(mask)
    mask, values = mask[crop], channels[(slice(None), *crop)].astype(np.float32)
    for channel in values:
        inside = channel[mask]
        channel[mask] = (inside - inside.mean()) / (inside.std() + np.float32(1e-8))
        channel[~mask] = 0
    room = [SIDE - n for n in mask.shape]
    before = [n // 2 for n in room]
    padded = np.pad(values, [(0, 0), *((n, r - n) for n, r in zip(before, room))])
    return padded, crop, tuple(slice(n, n + m) for n, m in zip(before, mask.shape))


def load(name, cache):
    """The heads of a set: dicts of image (prepared), labels (prepared), truth (as drawn), box, inner and shape; kept as
    published in cache."""
    with tempfile.TemporaryDirectory() as folder:
        drawn = synthetic.export("heads", name, Path(cache or folder) / name)
        cases = sorted(path for grade in drawn.iterdir() for path in grade.iterdir())
        with ThreadPoolExecutor() as pool:
            return list(pool.map(read, cases))


def volume(path):
    """The voxels of a file, depth first."""
    return np.asarray(nibabel.load(path).dataobj).transpose(2, 1, 0)


def read(folder):
    channels = np.stack([volume(folder / f"{folder.name}_{name}.nii.gz") for name in CHANNELS])
    truth = CONVERTED[volume(folder / f"{folder.name}_seg.nii.gz")]
    image, crop, inner = prepare(channels)
    labels = np.zeros(image.shape[1:], np.uint8)
    labels[inner] = truth[crop]
    return {"image": image, "labels": labels, "truth": truth, "box": crop, "inner": inner}


def dice(predicted, truth, region):
    """2|A and B| / (|A| + |B|) of a region; nan where neither has it."""
    found, real = np.isin(predicted, region), np.isin(truth, region)
    size = found.sum() + real.sum()
    return 2 * (found & real).sum() / size if size else np.nan


def mean_dice(path, cases, dropped=None):
    """Mean DICE of each region and the mean of those, without the cases that have neither; dropped: a channel that is
    0 everywhere."""
    session = runtime.session(path, threads=1)
    rows = []
    for case in cases:
        image = case["image"].copy()
        if dropped is not None:
            image[CHANNELS.index(dropped)] = 0
        scores = session.run([OUTPUT], {INPUT: image[None]})[0][0].astype(np.float16)
        predicted = np.zeros(case["truth"].shape, np.uint8)
        predicted[case["box"]] = scores.argmax(0)[case["inner"]]
        rows.append([dice(predicted, case["truth"], region) for region in REGIONS.values()])
    means = {name: float(mean) for name, mean in zip(REGIONS, np.nanmean(rows, 0))}
    return {"mean": float(np.mean(list(means.values()))), **means}
