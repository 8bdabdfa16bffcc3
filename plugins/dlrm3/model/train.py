"""Trains the embedded model of the dlrm-v3 benchmark and writes its files beside this script.

    pip install -r requirements.txt
    python train.py            # needs Go and one CPU core

Everything random is seeded. Sums of floats differ between machines, so a repeated training agrees within a hundredth of
each metric, not bit by bit.
"""

from pathlib import Path

import data
import evaluate
import export
import numpy as np
import torch
from embedded import training
from metrics import metrics
from network import Network, Sizes
from torch import nn

SEED = 1
BATCH, EPOCHS = 64, 2
PEAK_RATE, DECAY = 3e-3, 0.02
CALIBRATION = 720  # of so many requests one gives ranges to INT8
SCALES, UNITS = {"NE": 1, "accuracy": 100, "GAUC": 100}, {"NE": "", "accuracy": "%", "GAUC": "%"}
SIZES = Sizes(data.ITEMS, data.CATEGORIES, data.COHORTS)


def tensors(requests):
    return {name: torch.from_numpy(values) for name, values in requests.inputs().items()}


def train(requests, random):
    """Trains a network with AdamW under a rate that rises, holds and falls."""
    network, steps = Network(SIZES), len(requests) // BATCH
    optimiser = torch.optim.AdamW(network.parameters(), PEAK_RATE, weight_decay=DECAY)
    shape = training.rise_and_fall(EPOCHS * steps, warm_up=200, hold=0.4)
    rate = torch.optim.lr_scheduler.LambdaLR(optimiser, shape)
    learn, loss_of = training.Steps(optimiser, rate, clip=1.0, every=100), nn.BCEWithLogitsLoss()
    for _ in range(EPOCHS):
        order = random.permutation(len(requests))
        for i in range(steps):
            batch = requests.at(order[i * BATCH : (i + 1) * BATCH])
            learn(loss_of(network(**tensors(batch)), torch.from_numpy(batch.labels)))
    return network


def rounded(scores):
    """Metrics as a card's facts: NE as it is, shares in percent."""
    return {name: round(value * SCALES[name], 4) for name, value in scores.items()}


def facts_of(network, stream, requests, path):
    """What the card says beside the files: sizes, who does without a model, and what the model needs."""
    without = {name: rounded(of) for name, of in evaluate.floors(data.seen(stream), requests).items()}
    ablations = {}
    for name, change in evaluate.ABLATIONS.items():
        ablations[name] = rounded(metrics(evaluate.predict(path, requests, change=change), requests.labels))
    sizes = {"items": SIZES.items, "categories": SIZES.categories, "cohorts": SIZES.users}
    counts = {"train_requests": len(data.seen(stream)), "eval_requests": len(requests)}
    return {**sizes, "parameters": training.parameters(network), **counts, "floors": without, "ablations": ablations}


def main():
    with training.Run(training.arguments(__doc__, Path(__file__).resolve().parent), SEED) as run:
        stream = data.load("train", run.cache)
        network = run.trained(train(data.seen(stream), np.random.default_rng(SEED)))
        paths = {precision: run.out / f"dlrm3_{precision}.onnx" for precision in ("fp32", "int8")}
        export.write(network, paths["fp32"])
        export.write_int8(network, data.seen(stream).at(slice(None, None, CALIBRATION)), paths["int8"])
        requests, files = data.unseen(data.load("eval", run.cache)), []
        for precision, path in paths.items():
            of = rounded(evaluate.score(path, requests))
            files.append(training.entry(path, precision, *((name, UNITS[name], of[name]) for name in of)))
        run.write_card(facts_of(network, stream, requests, paths["fp32"]), files)


if __name__ == "__main__":
    main()
