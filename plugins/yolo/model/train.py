"""Trains the embedded model of the yolo benchmark and writes its files beside this script.

    pip install -r requirements.txt
    python train.py            # needs Go, 1 GB of disk for the prepared pictures, and CPU cores only

Everything random is seeded. Sums of floats differ between machines, so a repeated training agrees within half a point
of mAP, not bit by bit.
"""

from pathlib import Path

import data
import export
import numpy as np
import torch
from assign import assign
from embedded import scenes, training
from embedded.pyramid import generalised_overlap
from evaluate import Detector
from network import CLASSES, SIDE, Network, Places
from torch import nn

SEED = 1
BATCH, EPOCHS = 16, 12
PEAK_RATE, DECAY = 2e-3, 0.02
BOX_WEIGHT = 2.0


class Loss:
    """Cross-entropy of the scores and overlap of the boxes, both per sum of the scores that are wanted."""

    def __init__(self):
        self.places = Places()

    def __call__(self, logits, distances, boxes, real):
        corners = self.places.corners(distances)
        with torch.no_grad():
            index, wanted, ignored = assign(self.places.centres, logits, corners, boxes, real)
        classes = boxes[..., 4].long().gather(1, index)
        target = nn.functional.one_hot(classes, CLASSES) * wanted[..., None]
        entropy = nn.functional.binary_cross_entropy_with_logits(logits, target, reduction="none")
        total = wanted.sum().clamp(min=1)
        learns = wanted > 0
        truth = boxes[..., :4].gather(1, index[..., None].expand(-1, -1, 4))
        missed = (1 - generalised_overlap(corners[learns], truth[learns])) * wanted[learns]
        return (entropy * ~ignored[..., None]).sum() / total, BOX_WEIGHT * missed.sum() / total


def train(batches):
    """Trains a network with AdamW under a one-cycle rate. What is told are the losses of scores and boxes."""
    network = Network().to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(network.parameters(), PEAK_RATE, weight_decay=DECAY)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimiser, PEAK_RATE, len(batches) * EPOCHS, pct_start=0.15)
    learn, loss_of = training.Steps(optimiser, rate, clip=10.0, every=100, name="batch"), Loss()
    for _ in range(EPOCHS):
        for x, boxes, real in batches.epoch():
            scores, box = loss_of(*network(x), boxes, real)
            learn(scores + box, scores, box)
    return network


def main():
    parser = training.arguments(__doc__, Path(__file__).resolve().parent)
    with training.Run(parser, SEED) as run:
        inputs = data.inputs(SIDE)
        pixels, boxes = inputs.load("train", run.cache)
        run.say(f"{len(pixels)} pictures prepared")
        network = run.trained(train(scenes.Batches(pixels, boxes, BATCH, np.random.default_rng(SEED))))
        paths = {precision: run.out / f"yolo_{precision}.onnx" for precision in ("fp32", "int8")}
        export.write_fp32(network, paths["fp32"])
        calibration, _ = inputs.load("calibration", run.cache)
        export.write_int8(paths["fp32"], calibration, paths["int8"])
        evaluation, files = scenes.Evaluation(), []
        for precision, path in paths.items():
            value, half = evaluation.score(Detector(path))
            run.say(f"{precision}: AP50 {half:.2f} %")
            files.append(training.entry(path, precision, ("mAP", "%", round(value, 4))))
        facts = {"classes": CLASSES, "side": SIDE, "places": len(Places().centres)}
        facts["parameters"] = training.parameters(network)
        run.write_card(facts | {f"{name}_pictures": count for name, count in scenes.COUNTS.items()}, files)


if __name__ == "__main__":
    main()
