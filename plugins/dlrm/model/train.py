"""Trains the embedded model of the dlrm benchmark and writes its files beside this script.

    pip install -r requirements.txt
    python train.py            # needs Go, 2 GB of disk, and one CPU core

Everything random is seeded. Sums of floats differ between machines, so a repeated training agrees within half a point
of AUC, not bit by bit.
"""

import argparse
import hashlib
import json
import os
import platform
import shutil
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
from network import Network

HERE = Path(__file__).resolve().parent
# Rows of the tables: those of package datasets/synthetic/clicks.
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
    start = time.monotonic()
    for part in range(PARTS):
        clicks = data.load("train", part * PART, PART, cache)
        losses = []
        for batch in batches(clicks):
            loss = loss_of(network(**batch.inputs()), torch.from_numpy(batch.labels))
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            rate.step()
            losses.append(loss.item())
        shutil.rmtree(cache / "train")
        print(f"{time.monotonic() - start:6.0f} s  part {part}  loss {np.mean(losses):.4f}", flush=True)
    return network


def describe(path, precision, clicks):
    content = path.read_bytes()
    return {
        "name": path.name,
        "precision": precision,
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "metrics": [{"name": "AUC", "unit": "%", "value": round(evaluate.auc_percent(path, clicks), 4)}],
    }


def write_card(network, minutes, out, clicks):
    card = {
        "tables": len(ROWS),
        "rows": sum(ROWS),
        "parameters": sum(p.numel() for p in network.parameters()),
        "train_pairs": PARTS * PART,
        "eval_pairs": EVAL,
        "training_minutes": round(minutes, 1),
        "trained_with": {
            "cores": os.cpu_count(),
            "machine": platform.machine(),
            "torch": torch.__version__,
            "onnxruntime": onnxruntime.__version__,
        },
        "files": [
            describe(out / "dlrm_fp32.onnx", "fp32", clicks),
            describe(out / "dlrm_int8.onnx", "int8", clicks),
        ],
    }
    (out / "card.json").write_text(json.dumps(card, indent=2) + "\n")
    for file in card["files"]:
        print(f"{file['precision']}: AUC {file['metrics'][0]['value']:.4f} %, {file['size']} bytes, {file['name']}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=HERE, help="folder for the models and card.json")
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


def main():
    options = arguments()
    torch.set_num_threads(options.threads)
    torch.manual_seed(SEED)
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        cache = Path(scratch)
        start = time.monotonic()
        network = train(cache)
        minutes = (time.monotonic() - start) / 60
        export.write(network, options.out / "dlrm_fp32.onnx", quantise=False)
        export.write(network, options.out / "dlrm_int8.onnx", quantise=True)
        write_card(network, minutes, options.out, data.load("eval", 0, EVAL, cache))


if __name__ == "__main__":
    main()
