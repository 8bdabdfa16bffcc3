"""Trains the embedded model of the llm benchmark and writes its files and its tokenizer beside this script.

    pip install -r requirements.txt
    python train.py            # needs Go, and CPU cores only

The card's metrics are what `make cards` measures.
"""

import os
from pathlib import Path

import data
import evaluate
import export
import numpy as np
import torch
from embedded import decoder, training
from sizes import SIZES

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
    """One cycle of AdamW. What is told is the loss of a token of the summaries."""
    optimiser = torch.optim.AdamW(model.parameters(), PEAK_RATE, betas=(0.9, 0.98), weight_decay=0.05)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimiser, PEAK_RATE, STEPS, WARM_STEPS / STEPS)
    learn = training.Steps(optimiser, rate, 1.0, every=50)
    for _ in range(STEPS):
        learn(*loss_of(model, *batches.next()))
    return model


def main():
    parser = training.arguments(__doc__, Path(__file__).resolve().parent, os.cpu_count())
    with training.Run(parser, SEED) as run:
        articles = data.load("train", TRAIN, run.cache)
        tokenizer = data.make_tokenizer(articles)
        tokenizer.save(str(run.out / "tokenizer.json"))
        rows = data.encode(tokenizer, articles)
        model = run.trained(train(decoder.make(SIZES), Batches(rows, np.random.default_rng(SEED))))
        paths = export.write(decoder.weights(model, SIZES), tokenizer, run.cache, run.out)
        metrics = [(kind, "%", 0) for kind in evaluate.KINDS]
        metrics += [("gen_len", "characters", 0), ("tokens_per_sample", "", 0)]
        facts = {"parameters": training.parameters(model), "vocabulary": tokenizer.get_vocab_size()}
        facts |= {"train_articles": TRAIN, "calibration_articles": export.CALIBRATION, "eval_articles": EVAL}
        facts["lead_baseline"] = evaluate.lead(data.load("eval", EVAL, run.cache))
        run.write_card(facts, [training.entry(path, p, *metrics) for p, path in paths.items()])


if __name__ == "__main__":
    main()
