"""Trains the embedded model of the retinanet benchmark and writes its files beside this script.

    pip install -r requirements.txt
    python train.py            # needs Go, 1 GB of disk for the prepared pictures, and CPU cores only

Everything random is seeded. Sums of floats differ between machines, so a repeated training agrees within half a point
of mAP, not bit by bit.
"""

import os
from pathlib import Path

import anchors
import data
import export
import numpy as np
import torch
from embedded import scenes, training
from embedded.pyramid import generalised_overlap
from evaluate import Detector
from network import Network
from torch import nn

CLASSES = 10
SEED = 1
BATCH, EPOCHS = 16, 4
PEAK_RATE, DECAY = 2e-3, 0.02
ALPHA, GAMMA = 0.25, 2.0  # of the focal loss


class Loss:
    """Focal loss of the classes and a box loss of the matched anchors, both per matched anchor."""

    def __init__(self):
        self.anchors = torch.from_numpy(anchors.all_anchors())

    def __call__(self, logits, offsets, boxes, real):
        found, index = anchors.match(self.anchors, boxes[..., :4], boxes[..., 4].long(), boxes[..., 5] > 0, real)
        positive = found >= 0
        count = positive.sum().clamp(min=1)
        return self.focal(logits, found) / count, self.box(offsets, boxes, index, positive) / count

    @staticmethod
    def focal(logits, found):
        target = nn.functional.one_hot(found.clamp(min=0), logits.shape[-1]).float() * (found >= 0)[..., None]
        ce = nn.functional.binary_cross_entropy_with_logits(logits, target, reduction="none")
        p = torch.sigmoid(logits)
        miss = target * (1 - p) + (1 - target) * p
        weight = (target * ALPHA + (1 - target) * (1 - ALPHA)) * miss**GAMMA
        return (weight * ce * (found != -2)[..., None]).sum()

    def box(self, offsets, boxes, index, positive):
        wanted = boxes[..., :4].gather(1, index[..., None].expand(-1, -1, 4))[positive]
        given = anchors.decode(offsets, self.anchors)[positive]
        return (1 - generalised_overlap(given, wanted)).sum()


def train(batches):
    """Trains a network with AdamW under a one-cycle rate. What is told are the losses of classes and boxes."""
    network = Network(CLASSES).to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(network.parameters(), PEAK_RATE, weight_decay=DECAY)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimiser, PEAK_RATE, len(batches) * EPOCHS, pct_start=0.15)
    learn, loss_of = training.Steps(optimiser, rate, clip=10.0, every=len(batches), name="batch"), Loss()
    for _ in range(EPOCHS):
        for x, boxes, real in batches.epoch():
            classes, box = loss_of(*network(x), boxes, real)
            learn(classes + box, classes, box)
    return network


def main():
    parser = training.arguments(__doc__, Path(__file__).resolve().parent, os.cpu_count())
    with training.Run(parser, SEED) as run:
        inputs = data.inputs(anchors.SIZE)
        pixels, boxes = inputs.load("train", run.cache)
        run.say(f"{len(pixels)} pictures prepared")
        network = run.trained(train(scenes.Batches(pixels, boxes, BATCH, np.random.default_rng(SEED))))
        paths = {precision: run.out / f"retinanet_{precision}.onnx" for precision in ("fp32", "int8")}
        export.write_fp32(network, paths["fp32"])
        calibration, _ = inputs.load("calibration", run.cache)
        export.write_int8(paths["fp32"], calibration, paths["int8"])
        evaluation, files = scenes.Evaluation(), []
        for precision, path in paths.items():
            value, half = evaluation.score(Detector(path))
            run.say(f"{precision}: AP50 {half:.2f} %")
            files.append(training.entry(path, precision, ("mAP", "%", round(value, 4))))
        facts = {"classes": CLASSES, "side": anchors.SIZE, "anchors": len(anchors.all_anchors())}
        facts["parameters"] = training.parameters(network)
        run.write_card(facts | {f"{name}_pictures": count for name, count in scenes.COUNTS.items()}, files)


if __name__ == "__main__":
    main()
