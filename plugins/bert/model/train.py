"""Trains the embedded model of the bert benchmark and writes its files beside this script.

    pip install -r requirements.txt
    python train.py            # needs Go, 2 GB of memory, and CPU cores only

Everything random is seeded. Sums of floats differ between machines, so a repeated training agrees within half a point
of F1, not bit by bit.
"""

import argparse
import hashlib
import json
import math
import os
import platform
import tempfile
import time
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from tokenizers import BertWordPieceTokenizer
from torch import nn

import data
import evaluate
import export
from network import LAYERS, LENGTH, WIDTH, Network

HERE = Path(__file__).resolve().parent
TRAIN, CALIBRATION, EVAL = 40000, 100, 250  # passages, with four questions each
VOCABULARY, RARE = 1200, 5  # tokens; pieces seen less often than this are none
VOCABULARY_PASSAGES = 10000
SEED = 1
BATCH_TOKENS = 2048  # of a batch, padding included
PEAK_RATE, WARM_UP, DECAY, CLIP = 2e-3, 200, 0.01, 1.0
# (longest feature in tokens, batches): short passages teach to look answers up, the others where to look.
STAGES = ((80, 2500), (LENGTH, 2500))


def make_vocabulary(paragraphs, path):
    """Learns the pieces of the training texts, writes vocab.txt, and returns its tokenizer."""
    texts = [t for p in paragraphs for t in (p["context"], *(qa["question"] for qa in p["qas"]))]
    trainer = BertWordPieceTokenizer(lowercase=True)
    trainer.train_from_iterator(texts, vocab_size=VOCABULARY, min_frequency=RARE, show_progress=False)
    ids = trainer.get_vocab()
    tokens = sorted(ids, key=ids.get)
    path.write_text("".join(token + "\n" for token in tokens))
    return data.Tokenizer(tokens)


class Batches:
    """Shuffled batches of features of similar length, without end."""

    def __init__(self, features, rng):
        self.features, self.rng = features, rng

    def upto(self, longest):
        fit = [f for f in self.features if len(f.ids) <= longest]
        while True:
            order = self.rng.permutation(len(fit))
            for i in range(0, len(order), 4096):
                yield from self._cut(sorted((fit[j] for j in order[i : i + 4096]), key=lambda f: len(f.ids)))

    def _cut(self, features):
        batches, start = [], 0
        for i, f in enumerate(features):
            if len(f.ids) * (i + 1 - start) > BATCH_TOKENS:
                batches.append(features[start:i])
                start = i
        batches.append(features[start:])
        return [batches[i] for i in self.rng.permutation(len(batches))]

    def positions(self, shape):
        """Half of the features start at a place other than 0, so that all positions are learned from short features."""
        moved = self.rng.random(shape[0]) < 0.5
        start = np.where(moved, self.rng.integers(0, LENGTH - shape[1] + 1, shape[0]), 0)
        return torch.from_numpy(start[:, None] + np.arange(shape[1]))


def loss_of(network, batch, positions):
    ids, mask, segments = map(torch.from_numpy, data.collate(batch))
    start, end = network(ids, mask, segments, positions)
    absent = (1.0 - mask) * -1e4
    first, last = torch.tensor([f.first for f in batch]), torch.tensor([f.last for f in batch])
    cross = nn.functional.cross_entropy
    return (cross(start + absent, first) + cross(end + absent, last)) / 2


def rate(step, steps):
    """Rises for WARM_UP batches, stays for a third of the training, and falls as a cosine."""
    done = step / steps
    fall = 1.0 if done < 0.33 else 0.5 * (1 + math.cos(math.pi * (done - 0.33) / 0.67))
    return min(1.0, (step + 1) / WARM_UP) * fall


def train(network, batches):
    optimiser = torch.optim.AdamW(network.parameters(), PEAK_RATE, betas=(0.9, 0.98), weight_decay=DECAY)
    steps = sum(count for _, count in STAGES)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: rate(step, steps))
    start, losses = time.monotonic(), []
    for longest, count in STAGES:
        for _, batch in zip(range(count), batches.upto(longest)):
            shape = (len(batch), max(len(f.ids) for f in batch))
            loss = loss_of(network, batch, batches.positions(shape))
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), CLIP)
            optimiser.step()
            schedule.step()
            losses.append(loss.item())
            if len(losses) % 250 == 0:
                elapsed = time.monotonic() - start
                print(f"{elapsed:6.0f} s  {len(losses)} batches  loss {np.mean(losses[-250:]):.3f}", flush=True)
    return network.eval()


def describe(path, precision, features, answers):
    content = path.read_bytes()
    f1, exact = evaluate.score(path, features, answers)
    return {
        "name": path.name,
        "precision": precision,
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "metrics": [
            {"name": "F1", "unit": "%", "value": round(f1, 4)},
            {"name": "exact_match", "unit": "%", "value": round(exact, 4)},
        ],
    }


def write_card(network, minutes, out, features, answers):
    card = {
        "layers": LAYERS,
        "width": WIDTH,
        "parameters": sum(p.numel() for p in network.parameters()),
        "vocabulary": network.words.num_embeddings,
        "train_passages": TRAIN,
        "calibration_passages": CALIBRATION,
        "eval_passages": EVAL,
        "eval_features": len(features),
        "training_minutes": round(minutes, 1),
        "trained_with": {
            "cores": os.cpu_count(),
            "machine": platform.machine(),
            "torch": torch.__version__,
            "onnxruntime": onnxruntime.__version__,
        },
        "files": [
            describe(out / "bert_fp32.onnx", "fp32", features, answers),
            describe(out / "bert_int8.onnx", "int8", features, answers),
        ],
    }
    (out / "card.json").write_text(json.dumps(card, indent=2) + "\n")
    for file in card["files"]:
        print(file["precision"], *(f"{m['name']} {m['value']:.2f} %" for m in file["metrics"]), f"{file['size']} bytes")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=HERE, help="folder for the models, vocab.txt and card.json")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    return parser.parse_args()


def calibration(tokenizer, folder):
    features = list(data.features(tokenizer, data.export("calibration", CALIBRATION, folder)))
    features.sort(key=lambda f: len(f.ids))
    return [data.collate(features[i : i + 16]) for i in range(0, len(features), 16)]


def main():
    options = arguments()
    torch.set_num_threads(options.threads)
    torch.manual_seed(SEED)
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        paragraphs = data.export("train", TRAIN, folder)
        tokenizer = make_vocabulary(paragraphs[:VOCABULARY_PASSAGES], options.out / "vocab.txt")
        features = list(data.features(tokenizer, paragraphs))
        print(f"{len(features)} features in {time.monotonic() - start:.0f} s", flush=True)
        network = train(Network(len(tokenizer.tokens)), Batches(features, np.random.default_rng(SEED)))
        minutes = (time.monotonic() - start) / 60
        fp32 = options.out / "bert_fp32.onnx"
        dense = export.write_fp32(network, fp32)
        export.write_int8(fp32, dense, calibration(tokenizer, folder), options.out / "bert_int8.onnx")
        paragraphs = data.export("eval", EVAL, folder)
        write_card(network, minutes, options.out, list(data.features(tokenizer, paragraphs)), data.answers(paragraphs))


if __name__ == "__main__":
    main()
