"""Trains the embedded model of the resnet50 benchmark and writes its files beside this script.

    pip install -r requirements.txt
    python train.py            # needs Go, 5 GB of disk for the prepared pictures, and CPU cores only

Everything random is seeded. Sums of floats differ between machines, so a repeated training agrees within half a point
of top-1, not bit by bit.
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
from network import PIXEL_SCALE, Network

HERE = Path(__file__).resolve().parent
CLASSES = 25
TRAIN, CALIBRATION, EVAL = 20000, 500, 1000
SEED = 1
BATCH = 64
PEAK_RATE, MOMENTUM, DECAY, SMOOTHING = 0.08, 0.9, 5e-4, 0.05
# (side in pixels, epochs): most of the training sees small pictures, the end sees those of the benchmark.
STAGES = ((128, 9), (160, 3), (224, 4))


class Batches:
    """Shuffled, augmented batches of the training pictures."""

    def __init__(self, pixels, labels, rng):
        self.pixels, self.labels, self.rng = pixels, labels, rng

    def __len__(self):
        return len(self.labels) // BATCH

    def epoch(self, side):
        order = self.rng.permutation(len(self.labels))
        for i in range(len(self)):
            chosen = order[i * BATCH : (i + 1) * BATCH]
            crops = np.stack([data.augment(self.pixels[j], 224, self.rng) for j in chosen])
            yield self._input(crops, side), torch.from_numpy(self.labels[chosen])

    @staticmethod
    def _input(crops, side):
        x = torch.from_numpy(crops).permute(0, 3, 1, 2)
        if side != 224:
            x = nn.functional.interpolate(x, (side, side), mode="bilinear", antialias=True)
        x = (x.float() - torch.from_numpy(data.MEANS)[:, None, None]) / PIXEL_SCALE
        return x.contiguous(memory_format=torch.channels_last)


def train(batches):
    """Trains a network with SGD under a one-cycle rate, and returns it in evaluation mode."""
    network = Network(CLASSES).to(memory_format=torch.channels_last)
    optimiser = torch.optim.SGD(network.parameters(), PEAK_RATE, MOMENTUM, weight_decay=DECAY, nesterov=True)
    steps = len(batches) * sum(epochs for _, epochs in STAGES)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimiser, PEAK_RATE, steps, pct_start=0.15, cycle_momentum=False)
    loss_of = nn.CrossEntropyLoss(label_smoothing=SMOOTHING)
    start = time.monotonic()
    for side in (side for side, epochs in STAGES for _ in range(epochs)):
        losses, right = [], 0
        for x, labels in batches.epoch(side):
            logits = network(x)
            loss = loss_of(logits, labels)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            rate.step()
            losses.append(loss.item())
            right += (logits.argmax(1) == labels).sum().item()
        elapsed, accuracy = time.monotonic() - start, 100 * right / (len(batches) * BATCH)
        print(f"{elapsed:6.0f} s  side {side}  loss {np.mean(losses):.3f}  top-1 {accuracy:.2f} %", flush=True)
    return network.eval()


def describe(path, precision, pixels, labels):
    content = path.read_bytes()
    return {
        "name": path.name,
        "precision": precision,
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "metrics": [{"name": "accuracy", "unit": "%", "value": round(evaluate.top1(path, pixels, labels), 4)}],
    }


def write_card(network, minutes, out, pixels, labels):
    card = {
        "classes": CLASSES,
        "parameters": sum(p.numel() for p in network.parameters()),
        "train_pictures": TRAIN,
        "calibration_pictures": CALIBRATION,
        "eval_pictures": EVAL,
        "training_minutes": round(minutes, 1),
        "trained_with": {
            "cores": os.cpu_count(),
            "machine": platform.machine(),
            "torch": torch.__version__,
            "onnxruntime": onnxruntime.__version__,
        },
        "files": [
            describe(out / "resnet_fp32.onnx", "fp32", pixels, labels),
            describe(out / "resnet_int8.onnx", "int8", pixels, labels),
        ],
    }
    (out / "card.json").write_text(json.dumps(card, indent=2) + "\n")
    for file in card["files"]:
        top1 = file["metrics"][0]["value"]
        print(f"{file['precision']}: top-1 {top1:.2f} % of {EVAL}, {file['size']} bytes, {file['name']}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=HERE, help="folder for the models and card.json")
    parser.add_argument("--cache", type=Path, help="folder that keeps the prepared pictures between runs")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
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
        pixels, labels = data.load("train", 0, TRAIN, 256, cache)
        print(f"{TRAIN} pictures prepared in {time.monotonic() - start:.0f} s", flush=True)
        network = train(Batches(pixels, labels, np.random.default_rng(SEED)))
        minutes = (time.monotonic() - start) / 60
        torch.save(network.state_dict(), cache / "network.pt")
        fp32 = options.out / "resnet_fp32.onnx"
        export.write_fp32(network, CLASSES, fp32)
        calibration, _ = data.load("calibration", 0, CALIBRATION, 224, cache)
        export.write_int8(fp32, calibration, options.out / "resnet_int8.onnx")
        write_card(network, minutes, options.out, *data.load("eval", 0, EVAL, 224, cache))


if __name__ == "__main__":
    main()
