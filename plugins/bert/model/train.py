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
from network import LAYERS, WIDTH, Network

HERE = Path(__file__).resolve().parent
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


class Guide(nn.Module):
    """Further answers, asked of the inner layers in training only: which tokens question and passage share, of the first layer,
    and which sentence holds the answer, of the second. They say at each token what the answer says once for each question."""

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


def rate(step, steps):
    """Rises for WARM_UP batches, stays for a third of the training, and falls as a cosine."""
    done = step / steps
    fall = 1.0 if done < 0.33 else 0.5 * (1 + math.cos(math.pi * (done - 0.33) / 0.67))
    return min(1.0, (step + 1) / WARM_UP) * fall


def train(network, guide, batches):
    parameters = [*network.parameters(), *guide.parameters()]
    optimiser = torch.optim.AdamW(parameters, PEAK_RATE, betas=(0.9, 0.98), weight_decay=DECAY)
    steps = sum(count for _, count in STAGES)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: rate(step, steps))
    start, losses = time.monotonic(), []
    for longest, count in STAGES:
        for _, batch in zip(range(count), batches.upto(longest)):
            loss, guided = losses_of(network, guide, batch)
            optimiser.zero_grad()
            (loss + (GUIDANCE * guided if len(losses) < GUIDED * steps else 0)).backward()
            nn.utils.clip_grad_norm_(parameters, CLIP)
            optimiser.step()
            schedule.step()
            losses.append(loss.item())
            if len(losses) % 250 == 0:
                elapsed = time.monotonic() - start
                print(f"{elapsed:6.0f} s  {len(losses)} batches  loss {np.mean(losses[-250:]):.3f}", flush=True)
    return network.eval()


def describe(path, precision, scores):
    content = path.read_bytes()
    return {
        "name": path.name,
        "precision": precision,
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "metrics": [{"name": "F1", "unit": "%", "value": round(scores[0], 4)}],
    }


def write_card(network, minutes, out, features, answers):
    paths = {precision: out / f"bert_{precision}.onnx" for precision in ("fp32", "int8")}
    scores = {precision: evaluate.score(path, features, answers) for precision, path in paths.items()}
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
            "cores": torch.get_num_threads(),
            "machine": platform.machine(),
            "torch": torch.__version__,
            "onnxruntime": onnxruntime.__version__,
        },
        "exact_match": {precision: round(exact, 4) for precision, (_, exact) in scores.items()},
        "files": [describe(path, precision, scores[precision]) for precision, path in paths.items()],
    }
    (out / "card.json").write_text(json.dumps(card, indent=2) + "\n")
    for precision, (f1, exact) in scores.items():
        print(f"{precision}: F1 {f1:.2f} %, exact match {exact:.2f} %, {paths[precision].stat().st_size} bytes")


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
        network = train(Network(len(tokenizer.tokens)), Guide(tokenizer.ids["."]), Batches(features, np.random.default_rng(SEED)))
        minutes = (time.monotonic() - start) / 60
        fp32 = options.out / "bert_fp32.onnx"
        dense = export.write_fp32(network, fp32)
        export.write_int8(fp32, dense, calibration(tokenizer, folder), options.out / "bert_int8.onnx")
        paragraphs = data.export("eval", EVAL, folder)
        write_card(network, minutes, options.out, list(data.features(tokenizer, paragraphs)), data.answers(paragraphs))


if __name__ == "__main__":
    main()
