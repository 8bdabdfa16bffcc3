"""Trains the embedded model of the unet3d benchmark and writes its files beside this script.

    pip install -r requirements.txt
    python train.py            # needs Go, 2 GB of disk for the prepared volumes, and CPU cores only

Everything random is seeded. Sums of floats differ between machines, so a repeated training agrees within half a point
of mean DICE, not bit by bit.
"""

from pathlib import Path

import data
import evaluate
import export
import numpy as np
import torch
from data import WINDOW
from embedded import training
from network import Network, loss_of

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


def train(patches, steps):
    """Trains a network with AdamW under a one-cycle rate."""
    network = Network().to(memory_format=torch.channels_last_3d)
    optimiser = torch.optim.AdamW(network.parameters(), PEAK_RATE, weight_decay=DECAY)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimiser, PEAK_RATE, steps, pct_start=0.15)
    learn = training.Steps(optimiser, rate)
    for _ in range(steps):
        images, labels = patches.draw(BATCH)
        learn(loss_of(network(images.contiguous(memory_format=torch.channels_last_3d)), labels))
    return network


def calibration_windows(cases, rng):
    """Windows of the calibration volumes, as inference meets them."""
    most, chosen = CALIBRATION_WINDOWS // len(cases), []
    for image, _ in cases:
        places = rng.permutation(data.origins(image.shape))[:most]
        chosen.append(evaluate.windows(image, [tuple(place) for place in places]))
    return np.concatenate(chosen)


def main():
    parser = training.arguments(__doc__, Path(__file__).resolve().parent)
    parser.add_argument("--steps", type=int, default=STEPS, help="fewer to try things out")
    with training.Run(parser, SEED) as run:
        cases = data.load("train", run.cache)
        run.say(f"{len(cases)} volumes prepared")
        network = run.trained(train(Patches(cases, np.random.default_rng(SEED)), run.options.steps))
        paths = {precision: run.out / f"unet3d_{precision}.onnx" for precision in ("fp32", "int8")}
        export.write_fp32(network, paths["fp32"])
        calibration, volumes = data.load("calibration", run.cache), data.load("eval", run.cache)
        export.write_int8(paths["fp32"], calibration_windows(calibration, np.random.default_rng(SEED)), paths["int8"])
        dice = {precision: evaluate.mean_dice(path, volumes) for precision, path in paths.items()}
        facts = {"window": WINDOW, "parameters": training.parameters(network), "train_volumes": len(cases)}
        facts |= {"calibration_volumes": len(calibration), "eval_volumes": len(volumes)}
        facts["class_dice"] = {p: {name: found[name] for name in ("kidney", "tumour")} for p, found in dice.items()}
        run.write_card(facts, [training.entry(paths[p], p, ("DICE", "", found["mean"])) for p, found in dice.items()])


if __name__ == "__main__":
    main()
