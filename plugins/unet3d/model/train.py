"""Trains the embedded model of the unet3d benchmark and writes its files beside this script.

    pip install -r requirements.txt
    python train.py            # needs Go, 2 GB of disk for the prepared volumes, and CPU cores only

Everything random is seeded. Sums of floats differ between machines, so a repeated training agrees within half a point
of mean DICE, not bit by bit.
"""

import argparse
import hashlib
import json
import os
import platform
import tempfile
import time
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from torch import nn

import data
import evaluate
import export
from data import WINDOW
from network import CLASSES, Network

HERE = Path(__file__).resolve().parent
SEED = 1
STEPS, BATCH = 2000, 8
PEAK_RATE, DECAY = 6e-3, 1e-4
CALIBRATION_WINDOWS = 160


class Patches:
    """Random windows of the training volumes, two of three around a voxel of a kidney or a tumour."""

    def __init__(self, cases, rng):
        self.cases, self.rng = cases, rng
        self.places = [[np.argwhere(labels == label) for label in (1, 2)] for _, labels in cases]

    def draw(self, count):
        images, labels = zip(*(self._one() for _ in range(count)))
        return torch.from_numpy(np.stack(images))[:, None], torch.from_numpy(np.stack(labels)).long()

    def _one(self):
        chosen = self.rng.integers(len(self.cases))
        image, labels = self.cases[chosen]
        most = np.array(image.shape) - WINDOW
        first = self.rng.integers(0, most + 1)
        kind = self.rng.integers(3)
        if kind < 2 and len(self.places[chosen][kind]):
            middle = self.rng.choice(self.places[chosen][kind]) - WINDOW // 2 + self.rng.integers(-10, 11, 3)
            first = np.clip(middle, 0, most)
        box = tuple(slice(n, n + WINDOW) for n in first)
        image, labels = image[box], labels[box]
        if self.rng.integers(2):
            image, labels = image[:, :, ::-1], labels[:, :, ::-1]
        gain, shift = self.rng.normal(1, 0.05), self.rng.normal(0, 0.05)
        return (image * gain + shift).astype(np.float32), np.ascontiguousarray(labels)


def loss_of(scores, labels):
    """Cross-entropy plus one less the soft DICE of the classes."""
    entropy = nn.functional.cross_entropy(scores, labels)
    p = scores.softmax(1)
    truth = nn.functional.one_hot(labels, CLASSES).movedim(-1, 1).float()
    both, sums = (p * truth).sum((0, 2, 3, 4)), (p + truth).sum((0, 2, 3, 4))
    return entropy + 1 - ((2 * both + 1) / (sums + 1))[1:].mean()


def train(patches, steps):
    """Trains a network with AdamW under a one-cycle rate, and returns it in evaluation mode."""
    network = Network().to(memory_format=torch.channels_last_3d)
    optimiser = torch.optim.AdamW(network.parameters(), PEAK_RATE, weight_decay=DECAY)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimiser, PEAK_RATE, steps, pct_start=0.15)
    start, losses = time.monotonic(), []
    for step in range(1, steps + 1):
        images, labels = patches.draw(BATCH)
        loss = loss_of(network(images.contiguous(memory_format=torch.channels_last_3d)), labels)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        rate.step()
        losses.append(loss.item())
        if step % 100 == 0:
            print(f"{time.monotonic() - start:6.0f} s  step {step}  loss {np.mean(losses[-100:]):.4f}", flush=True)
    return network.eval()


def calibration_windows(cases, rng):
    """Windows of the calibration volumes, as inference meets them."""
    return np.concatenate([
        evaluate.windows(image, [tuple(p) for p in rng.permutation(data.origins(image.shape))[: CALIBRATION_WINDOWS // len(cases)]])
        for image, _ in cases
    ])


def describe(path, precision, dice):
    content = path.read_bytes()
    return {
        "name": path.name,
        "precision": precision,
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "metrics": [{"name": "DICE", "unit": "", "value": dice["mean"]}],
    }


def write_card(facts, out, cases):
    paths = {precision: out / f"unet3d_{precision}.onnx" for precision in ("fp32", "int8")}
    dice = {precision: evaluate.mean_dice(path, cases) for precision, path in paths.items()}
    card = {
        "window": WINDOW,
        **facts,
        "eval_volumes": len(cases),
        "trained_with": {
            "cores": os.cpu_count(),
            "machine": platform.machine(),
            "torch": torch.__version__,
            "onnxruntime": onnxruntime.__version__,
        },
        "class_dice": {p: {name: found[name] for name in ("kidney", "tumour")} for p, found in dice.items()},
        "files": [describe(path, precision, dice[precision]) for precision, path in paths.items()],
    }
    (out / "card.json").write_text(json.dumps(card, indent=2) + "\n")
    for precision, found in dice.items():
        print(f"{precision}: DICE of {len(cases)} volumes {found}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=HERE, help="folder for the models and card.json")
    parser.add_argument("--cache", type=Path, help="folder that keeps the prepared volumes between runs")
    parser.add_argument("--threads", type=int, default=1, help="more make small convolutions wait for each other")
    parser.add_argument("--steps", type=int, default=STEPS, help="steps of training; fewer to try things out")
    return parser.parse_args()


def main():
    options = arguments()
    torch.set_num_threads(options.threads)
    torch.manual_seed(SEED)
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        cache = options.cache or Path(scratch)
        cache.mkdir(parents=True, exist_ok=True)
        start = time.monotonic()
        cases = data.load("train", cache)
        print(f"{len(cases)} volumes prepared in {time.monotonic() - start:.0f} s", flush=True)
        network = train(Patches(cases, np.random.default_rng(SEED)), options.steps)
        minutes = (time.monotonic() - start) / 60
        torch.save(network.state_dict(), cache / "network.pt")
        fp32 = options.out / "unet3d_fp32.onnx"
        export.write_fp32(network, fp32)
        calibration = data.load("calibration", cache)
        windows = calibration_windows(calibration, np.random.default_rng(SEED))
        export.write_int8(fp32, windows, options.out / "unet3d_int8.onnx")
        facts = {
            "parameters": sum(p.numel() for p in network.parameters()),
            "train_volumes": len(cases),
            "calibration_volumes": len(calibration),
            "training_minutes": round(minutes, 1),
        }
        write_card(facts, options.out, data.load("eval", cache))


if __name__ == "__main__":
    main()
