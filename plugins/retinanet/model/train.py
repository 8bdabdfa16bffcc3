"""Trains the embedded model of the retinanet benchmark and writes its files beside this script.

    pip install -r requirements.txt
    python train.py            # needs Go, 1 GB of disk for the prepared pictures, and CPU cores only

Everything random is seeded. Sums of floats differ between machines, so a repeated training agrees within half a point
of mAP, not bit by bit.
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

import anchors
import data
import evaluate
import export
from network import Network

HERE = Path(__file__).resolve().parent
CLASSES = 10
SEED = 1
BATCH, EPOCHS = 16, 4
PEAK_RATE, DECAY = 2e-3, 0.02
ALPHA, GAMMA = 0.25, 2.0  # of the focal loss
MOST = 10  # boxes per picture


class Batches:
    """Shuffled batches of the training pictures, half of them mirrored."""

    def __init__(self, pixels, boxes, rng):
        self.pixels, self.rng = pixels, rng
        self.boxes = np.zeros((len(boxes), MOST, 6), np.float32)
        self.real = np.zeros((len(boxes), MOST), bool)
        for i, rows in enumerate(boxes):
            self.boxes[i, : len(rows)], self.real[i, : len(rows)] = rows, True

    def __len__(self):
        return len(self.pixels) // BATCH

    def epoch(self):
        order = self.rng.permutation(len(self.pixels))
        for i in range(len(self)):
            yield self._batch(np.sort(order[i * BATCH : (i + 1) * BATCH]))

    def _batch(self, chosen):
        pixels, boxes = np.array(self.pixels[chosen]), self.boxes[chosen].copy()
        mirrored = self.rng.random(len(chosen)) < 0.5
        pixels[mirrored] = pixels[mirrored, :, :, ::-1]
        boxes[mirrored, :, 0], boxes[mirrored, :, 2] = (
            anchors.SIZE - boxes[mirrored, :, 2],
            anchors.SIZE - boxes[mirrored, :, 0],
        )
        x = (torch.from_numpy(pixels).float() / 255).contiguous(memory_format=torch.channels_last)
        return x, torch.from_numpy(boxes), torch.from_numpy(self.real[chosen])


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
        """Generalised intersection over union (Rezatofighi et al. 2019, arXiv:1902.09630)."""
        wanted = boxes[..., :4].gather(1, index[..., None].expand(-1, -1, 4))[positive]
        given = anchors.decode(offsets, self.anchors)[positive]
        low, high = torch.maximum(given[:, :2], wanted[:, :2]), torch.minimum(given[:, 2:], wanted[:, 2:])
        common = (high - low).clamp(min=0).prod(1)
        low, high = torch.minimum(given[:, :2], wanted[:, :2]), torch.maximum(given[:, 2:], wanted[:, 2:])
        hull = (high - low).prod(1)
        union = (given[:, 2:] - given[:, :2]).prod(1) + (wanted[:, 2:] - wanted[:, :2]).prod(1) - common
        return (1 - common / union + (hull - union) / hull).sum()


def train(batches):
    """Trains a network with AdamW under a one-cycle rate, and returns it in evaluation mode."""
    network = Network(CLASSES).to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(network.parameters(), PEAK_RATE, weight_decay=DECAY)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimiser, PEAK_RATE, len(batches) * EPOCHS, pct_start=0.15)
    loss_of, start = Loss(), time.monotonic()
    for epoch in range(EPOCHS):
        losses = []
        for x, boxes, real in batches.epoch():
            classes, box = loss_of(*network(x), boxes, real)
            optimiser.zero_grad()
            (classes + box).backward()
            nn.utils.clip_grad_norm_(network.parameters(), 10.0)
            optimiser.step()
            rate.step()
            losses.append((classes.item(), box.item()))
        means = np.mean(losses, 0)
        elapsed = time.monotonic() - start
        print(f"{elapsed:6.0f} s  epoch {epoch + 1}  class {means[0]:.3f}  box {means[1]:.3f}", flush=True)
    return network.eval()


def describe(path, precision, scores):
    content = path.read_bytes()
    return {
        "name": path.name,
        "precision": precision,
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "metrics": [{"name": "mAP", "unit": "%", "value": round(scores[0], 4)}],
    }


def write_card(network, minutes, processor_minutes, out, scored):
    card = {
        "classes": CLASSES,
        "side": anchors.SIZE,
        "anchors": len(anchors.all_anchors()),
        "parameters": sum(p.numel() for p in network.parameters()),
        "train_pictures": data.COUNTS["train"],
        "calibration_pictures": data.COUNTS["calibration"],
        "eval_pictures": data.COUNTS["eval"],
        "training_minutes": round(minutes, 1),
        "processor_minutes": round(processor_minutes, 1),
        "trained_with": {
            "cores": os.cpu_count(),
            "threads": torch.get_num_threads(),
            "machine": platform.machine(),
            "torch": torch.__version__,
            "onnxruntime": onnxruntime.__version__,
        },
        "files": [describe(out / f"retinanet_{p}.onnx", p, scored[p]) for p in ("fp32", "int8")],
    }
    (out / "card.json").write_text(json.dumps(card, indent=2) + "\n")
    for file in card["files"]:
        value, half = file["metrics"][0]["value"], scored[file["precision"]][1]
        print(f"{file['precision']}: mAP {value:.2f} %, AP50 {half:.2f} %, {file['size']} bytes, {file['name']}")


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
        pixels, boxes = data.load("train", anchors.SIZE, cache)
        print(f"{len(pixels)} pictures prepared in {time.monotonic() - start:.0f} s", flush=True)
        network = train(Batches(pixels, boxes, np.random.default_rng(SEED)))
        minutes, processor_minutes = (time.monotonic() - start) / 60, time.process_time() / 60
        torch.save(network.state_dict(), cache / "network.pt")
        finish(network, minutes, processor_minutes, options.out, cache)


def finish(network, minutes, processor_minutes, out, cache):
    """Exports, quantises and evaluates."""
    files = {p: out / f"retinanet_{p}.onnx" for p in ("fp32", "int8")}
    export.write_fp32(network, files["fp32"])
    calibration, _ = data.load("calibration", anchors.SIZE, cache)
    export.write_int8(files["fp32"], calibration, files["int8"])
    scenes = evaluate.Scenes()
    scored = {p: scenes.score(files[p]) for p in files}
    write_card(network, minutes, processor_minutes, out, scored)


if __name__ == "__main__":
    main()
