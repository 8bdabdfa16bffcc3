"""Trains the embedded model of the benchmark 3d-unet-brats and writes its files beside this script.

    pip install -r ../requirements.txt
    python train.py            # needs Go and one CPU core

Everything random is seeded. Sums of floats differ between machines, so a repeated training agrees within half a point
of mean DICE, not bit by bit.
"""

import sys
from pathlib import Path

import numpy as np
import torch
from embedded import training

sys.path.append(str(Path(__file__).resolve().parent.parent))  # what the model of 3d-unet has, too

import export
import heads
from network import WIDTHS, Network, loss_of

SEED = 1
STEPS, BATCH = 2600, 6
PEAK_RATE, DECAY = 6e-3, 1e-4


class Heads:
    """Random heads of the training set, mirrored along random axes, each channel a little brighter or darker."""

    def __init__(self, cases, rng):
        self.cases, self.rng = cases, rng

    def draw(self, count):
        images, labels = zip(*(self._one() for _ in range(count)))
        return torch.from_numpy(np.stack(images)), torch.from_numpy(np.stack(labels)).long()

    def _one(self):
        case = self.cases[self.rng.integers(len(self.cases))]
        image, labels = case["image"], case["labels"]
        for axis in np.flatnonzero(self.rng.integers(2, size=3)):
            image, labels = np.flip(image, axis + 1), np.flip(labels, axis)
        gain, shift = self.rng.normal(1, 0.05, (4, 1, 1, 1)), self.rng.normal(0, 0.05, (4, 1, 1, 1))
        image = np.where(image == 0, 0, image * gain + shift)
        return image.astype(np.float32), np.ascontiguousarray(labels)


def train(draws, steps):
    """Trains a network with AdamW under a one-cycle rate."""
    network = Network(WIDTHS, len(heads.CHANNELS), heads.CLASSES).to(memory_format=torch.channels_last_3d)
    optimiser = torch.optim.AdamW(network.parameters(), PEAK_RATE, weight_decay=DECAY)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimiser, PEAK_RATE, steps, pct_start=0.15)
    learn = training.Steps(optimiser, rate)
    for _ in range(steps):
        images, labels = draws.draw(BATCH)
        learn(loss_of(network(images.contiguous(memory_format=torch.channels_last_3d)), labels))
    return network


def main():
    parser = training.arguments(__doc__, Path(__file__).resolve().parent)
    parser.add_argument("--steps", type=int, default=STEPS, help="fewer to try things out")
    with training.Run(parser, SEED) as run:
        cases = heads.load("train", run.cache)
        run.say(f"{len(cases)} heads prepared")
        network = run.trained(train(Heads(cases, np.random.default_rng(SEED)), run.options.steps))
        paths = {precision: run.out / f"brats_{precision}.onnx" for precision in ("fp32", "int8")}
        export.write_fp32(network, paths["fp32"], heads.SIDE)
        calibration, scored = heads.load("calibration", run.cache), heads.load("eval", run.cache)
        export.write_int8(paths["fp32"], np.stack([case["image"] for case in calibration]), paths["int8"], 4)
        dice = {precision: heads.mean_dice(path, scored) for precision, path in paths.items()}
        facts = {"side": heads.SIDE, "parameters": training.parameters(network), "train_heads": len(cases)}
        facts |= {"calibration_heads": len(calibration), "eval_heads": len(scored)}
        facts["without"] = {name: heads.mean_dice(paths["fp32"], scored, name)["mean"] for name in heads.CHANNELS}
        run.write_card(
            facts,
            [
                training.entry(
                    paths[p],
                    p,
                    *(("DICE" if name == "mean" else name + " DICE", "", value) for name, value in found.items()),
                )
                for p, found in dice.items()
            ],
        )


if __name__ == "__main__":
    main()
