"""Writes models with the tensors of the official ONNX files and random weights, and a data set that they do well on.

    python random_official.py --out DIR

The models are U-Nets as the embedded one, with windows of 128 voxels a side; --width is how many channels the first
resolution has (the official network has 32, and takes minutes for a volume). The data set has three cases of KiTS19 as
published, made of synthetic volumes; its labels are the model's own answers, with a part of each case moved, so that
the DICE is neither 0 nor 1. expected.json is what SciPy, ONNX Runtime for Python and NumPy make of them: `harness run
3d-unet --model DIR/3dunet_kits19_128x128x128.onnx --dataset DIR/kits19 --count 3 --mode accuracy` has to give the same.
"""

import argparse
import json
from pathlib import Path

import data
import evaluate
import export
import nibabel
import numpy as np
import torch
from embedded.runtime import session
from network import Network
from scipy.ndimage import zoom

WINDOW = 128
NAMES = {"3dunet_kits19_128x128x128.onnx": 1, "3dunet_kits19_128x128x128_dynbatch.onnx": "N"}  # and their batch
CASES = ("case_00000", "case_00003", "case_00005")  # the first ones of the benchmark
SHAPES = ((64, 160, 160), (60, 230, 200), (110, 128, 150))  # as scanned
SPACINGS = ((3.2, 0.96, 1.2), (4.0, 1.0, 1.2), (2.0, 0.9, 0.9))


def write_models(folder, width):
    torch.manual_seed(1)
    network = Network([width << level for level in range(5)]).eval()
    balance(network)
    for name, batch in NAMES.items():
        export.write_fp32(network, folder / name, WINDOW, batch)
    return folder / next(iter(NAMES))


@torch.no_grad()
def balance(network):
    """Shifts and scales the scores so that each class wins somewhere."""
    scores = network(torch.randn(1, 1, 64, 64, 64))
    spread = scores.std((0, 2, 3, 4))
    network.head.weight /= spread[:, None, None, None, None]
    network.head.bias.copy_((network.head.bias - scores.mean((0, 2, 3, 4))) / spread)


def scanned(index, shape):
    """A volume of so many voxels: noise of several scales, in Hounsfield units."""
    rng = np.random.default_rng(index)
    image = np.zeros(shape)
    for cell in (4, 16, 48):
        coarse = rng.normal(0, 150, [-(-n // cell) + 1 for n in shape])
        fine = zoom(coarse, [(n + cell) / m for n, m in zip(shape, coarse.shape)], order=1)
        image += fine[tuple(slice(0, n) for n in shape)]
    return np.round(image).astype(np.int16)


def unprepared(classes, shape):
    """The classes of a prepared volume in the voxels of a scan, roughly: that they overlap is enough."""
    labels = zoom(classes, [n / m for n, m in zip(shape, classes.shape)], order=0)
    labels[: shape[0] // 4] = np.roll(labels[: shape[0] // 4], 9, 2)
    return labels


def write_case(folder, image, labels, spacing):
    folder.mkdir(parents=True, exist_ok=True)
    affine = np.zeros((4, 4))
    affine[[2, 1, 0, 3], [0, 1, 2, 3]] = [*(-n for n in spacing), 1]
    nibabel.save(nibabel.Nifti1Image(image, affine), folder / "imaging.nii.gz")
    nibabel.save(nibabel.Nifti1Image(labels, affine), folder / "segmentation.nii.gz")


def make_case(session, index, folder):
    """Writes a case, and returns what is expected of it."""
    image = scanned(index, SHAPES[index])
    prepared, _ = data.preprocess(image.astype(np.float32), np.zeros(image.shape, np.uint8), _stored(index), WINDOW)
    classes = evaluate.segment(session, prepared, WINDOW, 1)
    labels = unprepared(classes, image.shape)
    write_case(folder, image, labels, SPACINGS[index])
    _, truth = data.preprocess(image.astype(np.float32), labels, _stored(index), WINDOW)
    return [evaluate.dice(classes, truth, label) for label in (1, 2)]


def _stored(index):
    return [float(np.float32(n)) for n in SPACINGS[index]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder for the models and the data set")
    parser.add_argument("--width", type=int, default=4, help="channels of the first resolution")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    model = session(write_models(options.out, options.width))
    rows = [make_case(model, i, options.out / "kits19" / name) for i, name in enumerate(CASES)]
    kidney, tumour = np.mean(rows, 0)
    expected = {"kidney DICE": float(kidney), "tumour DICE": float(tumour), "DICE": float(kidney + tumour) / 2}
    (options.out / "expected.json").write_text(json.dumps(expected, indent=2) + "\n")
    print(expected)


if __name__ == "__main__":
    main()
