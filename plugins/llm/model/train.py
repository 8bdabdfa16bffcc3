"""Trains, exports and quantises the embedded model, and writes its files, tokenizer.json and card.json; the card's metrics
are what `make cards` measures."""

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

import data
import evaluate
import export
import network

HERE = Path(__file__).resolve().parent
SEED = 20240607
TRAIN, EVAL = 24000, 500
STEPS, BATCH, PEAK_RATE, WARM_STEPS = 1600, 16, 3e-3, 100
# Of the article's tokens, this share counts with this weight in the loss; all of the summary's count with 1.
ARTICLE_SHARE, ARTICLE_WEIGHT = 0.25, 0.25


class Batches:
    """Batches of articles of about the same length, in random order."""

    def __init__(self, rows, rng):
        self.rows, self.rng = rows, rng
        self.queue = []

    def refill(self):
        """Cuts 64 batches out of random articles sorted by length."""
        picked = self.rng.integers(0, len(self.rows), 64 * BATCH)
        picked = sorted(picked, key=lambda i: len(self.rows[i][0]))
        batches = [picked[i : i + BATCH] for i in range(0, len(picked), BATCH)]
        self.queue = [batches[i] for i in self.rng.permutation(len(batches))]

    def next(self):
        """ids, and the weight of the loss on each."""
        if not self.queue:
            self.refill()
        rows = [self.rows[i] for i in self.queue.pop()]
        length = max(len(ids) for ids, _ in rows)
        ids = np.zeros((BATCH, length), np.int64)
        weight = np.zeros((BATCH, length), np.float32)
        for row, (tokens, start) in enumerate(rows):
            ids[row, : len(tokens)] = tokens
            weight[row, :start] = ARTICLE_WEIGHT * (self.rng.random(start) < ARTICLE_SHARE)
            weight[row, start : len(tokens)] = 1
        return torch.from_numpy(ids), torch.from_numpy(weight)


def loss_of(model, ids, weight):
    """The weighted mean loss, and the mean on the summaries. Only the tokens that count get logits."""
    hidden = model.model(input_ids=ids[:, :-1], use_cache=False).last_hidden_state
    chosen = weight[:, 1:] > 0
    logits = model.lm_head(hidden[chosen])
    losses = torch.nn.functional.cross_entropy(logits, ids[:, 1:][chosen], reduction="none")
    weight = weight[:, 1:][chosen]
    return (losses * weight).sum() / weight.sum(), losses.detach()[weight == 1].mean()


def train(model, batches):
    """One cycle of AdamW."""
    optimizer = torch.optim.AdamW(model.parameters(), PEAK_RATE, betas=(0.9, 0.98), weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, PEAK_RATE, STEPS, WARM_STEPS / STEPS)
    start, losses = time.monotonic(), []
    for step in range(STEPS):
        ids, weight = batches.next()
        loss, summary = loss_of(model, ids, weight)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(summary.item())
        if step % 50 == 49:
            print(f"step {step + 1}: {np.mean(losses[-50:]):.4f} per summary token, {time.monotonic() - start:.0f} s", flush=True)
    return model.eval()


def describe(path, precision):
    content = path.read_bytes()
    metrics = [{"name": kind, "unit": "%", "value": 0} for kind in evaluate.KINDS]
    metrics += [{"name": "gen_len", "unit": "characters", "value": 0}, {"name": "tokens_per_sample", "unit": "", "value": 0}]
    return {
        "name": path.name,
        "precision": precision,
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "metrics": metrics,
    }


def write_card(model, minutes, out, tokenizer, articles):
    card = {
        "parameters": sum(p.numel() for p in model.parameters()),
        "vocabulary": tokenizer.get_vocab_size(),
        "train_articles": TRAIN,
        "calibration_articles": export.CALIBRATION,
        "eval_articles": EVAL,
        "lead_baseline": evaluate.lead(articles),
        "training_minutes": round(minutes, 1),
        "trained_with": {
            "cores": os.cpu_count(),
            "machine": platform.machine(),
            "torch": torch.__version__,
            "onnxruntime": onnxruntime.__version__,
        },
        "files": [
            describe(out / "llm_fp32.onnx", "fp32"),
            describe(out / "llm_int8.onnx", "int8"),
        ],
    }
    (out / "card.json").write_text(json.dumps(card, indent=2) + "\n")
    print(json.dumps(card, indent=2))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=HERE, help="folder for the models, tokenizer.json and card.json")
    parser.add_argument("--cache", type=Path, help="folder that keeps the articles and the trained weights")
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
        articles = data.load("train", TRAIN, cache)
        tokenizer = data.make_tokenizer(articles)
        tokenizer.save(str(options.out / "tokenizer.json"))
        rows = data.encode(tokenizer, articles)
        model = train(network.make(), Batches(rows, np.random.default_rng(SEED)))
        minutes = (time.monotonic() - start) / 60
        model.save_pretrained(cache / "network")
        weights = network.weights(model)
        export.write_fp32(weights, options.out / "llm_fp32.onnx")
        calibration = data.encode(tokenizer, data.load("calibration", export.CALIBRATION, cache))
        export.write_int8(weights, calibration, options.out / "llm_int8.onnx")
        write_card(model, minutes, options.out, tokenizer, data.load("eval", EVAL, cache))


if __name__ == "__main__":
    main()
