"""Trains the embedded model of the dlrm benchmark and writes its files beside this script.

    pip install -r requirements.txt
    python train.py            # needs Go, 2 GB of disk, and one CPU core

Everything random is seeded. Sums of floats differ between machines, so a repeated training agrees within half a point
of AUC, not bit by bit.
"""

import shutil
from pathlib import Path

import data
import evaluate
import export
import torch
from embedded import training
from network import Network
from torch import nn

# Rows of the tables: those of package internal/synthetic/clicks.
ROWS = [*[1000] * 5, 3, 1000, 1000, 63, *[1000] * 3, 10, 1000, 1000, 155, 4, 976, 14, *[1000] * 5, 108, 36]
# The training set is seen once, part by part, so that no pair is learned by heart.
PARTS, PART = 10, 500_000
EVAL = 271_600
SEED = 1
BATCH = 4096
PEAK_RATE, DECAY = 0.01, 1e-4


def batches(clicks):
    """Batches of the pairs in their order, which is random."""
    for i in range(len(clicks) // BATCH):
        yield clicks.at(slice(i * BATCH, (i + 1) * BATCH))


def train(cache):
    """Trains a network with AdamW under a one-cycle rate."""
    network = Network(ROWS)
    perceptrons = [*network.bottom.parameters(), *network.top.parameters()]
    groups = [{"params": [network.embeddings], "weight_decay": 0.0}, {"params": perceptrons, "weight_decay": DECAY}]
    optimiser = torch.optim.AdamW(groups, PEAK_RATE)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimiser, PEAK_RATE, PARTS * (PART // BATCH), pct_start=0.1)
    loss_of = nn.BCEWithLogitsLoss()
    steps = training.Steps(optimiser, rate, every=PART // BATCH)
    for part in range(PARTS):
        for batch in batches(data.load("train", part * PART, PART, cache)):
            steps(loss_of(network(**batch.inputs()), torch.from_numpy(batch.labels)))
        shutil.rmtree(cache / f"train_{part * PART}_{PART}")
    return network


def main():
    with training.Run(training.arguments(__doc__, Path(__file__).resolve().parent), SEED) as run:
        network = run.trained(train(run.cache))
        clicks, files = data.load("eval", 0, EVAL, run.cache), []
        for precision in ("fp32", "int8"):
            path = run.out / f"dlrm_{precision}.onnx"
            export.write(network, path, precision == "int8")
            files.append(training.entry(path, precision, ("AUC", "%", round(evaluate.auc_percent(path, clicks), 4))))
        facts = {"tables": len(ROWS), "rows": sum(ROWS), "parameters": training.parameters(network)}
        run.write_card({**facts, "train_pairs": PARTS * PART, "eval_pairs": EVAL}, files)


if __name__ == "__main__":
    main()
