"""Trains the embedded model of the bert benchmark and writes its files beside this script.

    pip install -r requirements.txt
    python train.py            # needs Go, 2 GB of memory, and CPU cores only

Everything random is seeded. Sums of floats differ between machines, so a repeated training agrees within half a point
of F1, not bit by bit.
"""

import os
from pathlib import Path

import data
import evaluate
import export
import numpy as np
import torch
from embedded import training, wordpiece
from network import LAYERS, WIDTH, Network
from torch import nn

TRAIN, CALIBRATION, EVAL = 12000, 100, 250  # passages, with four questions each
VOCABULARY, RARE = 1200, 5  # tokens; pieces seen less often than this are none
VOCABULARY_PASSAGES = 4000
SEED = 1
BATCH_TOKENS = 1024  # of a batch, padding included
PEAK_RATE, WARM_UP, DECAY, CLIP = 2e-3, 150, 0.01, 1.0
GUIDANCE, GUIDED = 0.5, 0.8  # weight of the guiding losses, and the part of the training that has them
# (longest feature in tokens, batches): short passages teach to look answers up, the others where to look.
STAGES = ((80, 900), (data.LENGTH, 900))


def make_vocabulary(paragraphs, path):
    """Learns the pieces of the training texts, writes vocab.txt, and returns its tokenizer."""
    texts = [t for p in paragraphs for t in (p["context"], *(qa["question"] for qa in p["qas"]))]
    return wordpiece.learn(texts, VOCABULARY, RARE, path)


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


class Guide(nn.Module):
    """Further answers, asked of the inner layers in training only: which tokens question and passage share, of the
    first layer, and which sentence holds the answer, of the second. They say at each token what the answer says once
    for each question."""

    def __init__(self, full_stop):
        super().__init__()
        self.shared, self.sentence, self.full_stop = nn.Linear(WIDTH, 1), nn.Linear(WIDTH, 1), full_stop

    def forward(self, layers, ids, mask, segments, first):
        other = segments[:, :, None] != segments[:, None, :]
        shared = ((ids[:, :, None] == ids[:, None, :]) & other).any(-1)
        stops = (ids == self.full_stop) & (segments == 1)
        sentence = stops.cumsum(1) - stops.long()
        of_answer = (sentence == sentence.gather(1, first[:, None])) & (first[:, None] > 0)
        return ask(self.shared(layers[0]), shared, mask) + ask(self.sentence(layers[1]), of_answer, segments)


def ask(logits, answers, where):
    """The loss of yes-or-no answers at the tokens that count."""
    loss = nn.functional.binary_cross_entropy_with_logits
    return loss(logits.squeeze(-1)[where == 1], answers[where == 1].float())


def losses_of(network, guide, batch):
    ids, mask, segments = map(torch.from_numpy, data.collate(batch))
    first, last = torch.tensor([f.first for f in batch]), torch.tensor([f.last for f in batch])
    layers = list(network.hidden(ids, mask, segments))
    start, end = network.head(layers[-1]).unbind(-1)
    absent = (1.0 - mask) * -1e4
    cross = nn.functional.cross_entropy
    return (cross(start + absent, first) + cross(end + absent, last)) / 2, guide(layers, ids, mask, segments, first)


def train(network, guide, batches):
    optimiser = torch.optim.AdamW(
        [*network.parameters(), *guide.parameters()], PEAK_RATE, betas=(0.9, 0.98), weight_decay=DECAY
    )
    steps = sum(count for _, count in STAGES)
    rate = torch.optim.lr_scheduler.LambdaLR(optimiser, training.rise_and_fall(steps, WARM_UP, 0.33))
    learn = training.Steps(optimiser, rate, CLIP, every=250, name="batch")
    for longest, count in STAGES:
        for _, batch in zip(range(count), batches.upto(longest)):
            loss, guided = losses_of(network, guide, batch)
            learn(loss + (GUIDANCE * guided if learn.done < GUIDED * steps else 0), loss)
    return network


def calibration(tokenizer, folder):
    features = list(data.features(tokenizer, data.load("calibration", CALIBRATION, folder)))
    features.sort(key=lambda f: len(f.ids))
    return [data.collate(features[i : i + 16]) for i in range(0, len(features), 16)]


def main():
    parser = training.arguments(__doc__, Path(__file__).resolve().parent, os.cpu_count())
    with training.Run(parser, SEED) as run:
        paragraphs = data.load("train", TRAIN, run.cache)
        tokenizer = make_vocabulary(paragraphs[:VOCABULARY_PASSAGES], run.out / "vocab.txt")
        batches = Batches(list(data.features(tokenizer, paragraphs)), np.random.default_rng(SEED))
        run.say(f"{len(batches.features)} features")
        network = run.trained(train(Network(len(tokenizer.tokens)), Guide(tokenizer.ids["."]), batches))
        paths = {precision: run.out / f"bert_{precision}.onnx" for precision in ("fp32", "int8")}
        dense = export.write_fp32(network, paths["fp32"])
        export.write_int8(paths["fp32"], dense, calibration(tokenizer, run.cache), paths["int8"])
        paragraphs, files, exact = data.load("eval", EVAL, run.cache), [], {}
        features = list(data.features(tokenizer, paragraphs))
        for precision, path in paths.items():
            f1, same = evaluate.score(path, features, data.answers(paragraphs))
            exact[precision] = round(same, 4)
            files.append(training.entry(path, precision, ("F1", "%", round(f1, 4))))
        facts = {"layers": LAYERS, "width": WIDTH, "parameters": training.parameters(network)}
        facts |= {"vocabulary": network.words.num_embeddings, "train_passages": TRAIN, "eval_passages": EVAL}
        facts |= {"calibration_passages": CALIBRATION, "eval_features": len(features), "exact_match": exact}
        run.write_card(facts, files)


if __name__ == "__main__":
    main()
