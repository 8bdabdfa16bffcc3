"""Trains the embedded model of the resnet50 benchmark and writes its files beside this script.

    pip install -r requirements.txt
    python train.py            # needs Go, 5 GB of disk for the prepared pictures, and CPU cores only

Everything random is seeded. Sums of floats differ between machines, so a repeated training agrees within half a point
of top-1, not bit by bit.
"""

import os
from pathlib import Path

import data
import evaluate
import export
import numpy as np
import torch
from embedded import training
from network import PIXEL_SCALE, Network
from torch import nn

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
    """Trains a network with SGD under a one-cycle rate. What is told are the loss and the top-1 in percent."""
    network = Network(CLASSES).to(memory_format=torch.channels_last)
    optimiser = torch.optim.SGD(network.parameters(), PEAK_RATE, MOMENTUM, weight_decay=DECAY, nesterov=True)
    steps = len(batches) * sum(epochs for _, epochs in STAGES)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimiser, PEAK_RATE, steps, pct_start=0.15, cycle_momentum=False)
    loss_of = nn.CrossEntropyLoss(label_smoothing=SMOOTHING)
    learn = training.Steps(optimiser, rate, every=len(batches), name="batch")
    for side in (side for side, epochs in STAGES for _ in range(epochs)):
        for x, labels in batches.epoch(side):
            logits = network(x)
            loss = loss_of(logits, labels)
            learn(loss, loss, 100 * (logits.argmax(1) == labels).float().mean())
    return network


def main():
    parser = training.arguments(__doc__, Path(__file__).resolve().parent, os.cpu_count())
    with training.Run(parser, SEED) as run:
        pixels, labels = data.load("train", 0, TRAIN, 256, run.cache)
        run.say(f"{TRAIN} pictures prepared")
        network = run.trained(train(Batches(pixels, labels, np.random.default_rng(SEED))))
        paths = {precision: run.out / f"resnet_{precision}.onnx" for precision in ("fp32", "int8")}
        export.write_fp32(network, CLASSES, paths["fp32"])
        calibration, _ = data.load("calibration", 0, CALIBRATION, 224, run.cache)
        export.write_int8(paths["fp32"], calibration, paths["int8"])
        pixels, labels = data.load("eval", 0, EVAL, 224, run.cache)
        scores = {p: ("accuracy", "%", round(evaluate.top1(path, pixels, labels), 4)) for p, path in paths.items()}
        facts = {"classes": CLASSES, "parameters": training.parameters(network), "train_pictures": TRAIN}
        facts |= {"calibration_pictures": CALIBRATION, "eval_pictures": EVAL}
        run.write_card(facts, [training.entry(path, p, scores[p]) for p, path in paths.items()])


if __name__ == "__main__":
    main()
