"""What mistakes in preprocessing cost: F1 of the embedded FP32 model with one step done wrong at a time.

    python sensitivity.py

Data on which a mistake costs nothing could not show it: the figures are in the model card.
"""

import dataclasses
import tempfile
from pathlib import Path

import data
import evaluate
import numpy as np
from embedded import wordpiece
from train import EVAL

MODEL = Path(__file__).with_name("bert_fp32.onnx")


def changed(change):
    """A mistake in the three inputs of a batch, each of int64 N,S."""

    def score(features, answers):
        correct = data.collate
        try:
            data.collate = lambda batch: change(*correct(batch))
            return evaluate.score(MODEL, features, answers)
        finally:
            data.collate = correct

    return score


def without_windows(features, answers):
    return evaluate.score(MODEL, [f for f in features if f.window == 0], answers)


def last_window_only(features, answers):
    return evaluate.score(MODEL, [f for f in features if f.window == len(f.windows) - 1], answers)


def shifted(by):
    """Answers cut from the passage that many tokens from where the model points."""

    class Shifted(data.Feature):
        def text(self, first, last):
            place = lambda p: min(max(p + by, self.before), len(self.ids) - 2)
            return super().text(place(first), place(last))

    def score(features, answers):
        moved = [Shifted(**{f.name: getattr(x, f.name) for f in dataclasses.fields(x)}) for x in features]
        return evaluate.score(MODEL, moved, answers)

    return score


MISTAKES = {
    "none": changed(lambda i, m, s: (i, m, s)),
    "segments all 0": changed(lambda i, m, s: (i, m, np.zeros_like(s))),
    "segments exchanged": changed(lambda i, m, s: (i, m, m - s)),
    "mask and segments exchanged": changed(lambda i, m, s: (i, s, m)),
    "padding not masked": changed(lambda i, m, s: (i, np.ones_like(m), s)),
    "ids one too large": changed(lambda i, m, s: (np.minimum(i + 1, 1199) * m, m, s)),
    "no [CLS]": changed(lambda i, m, s: (np.where(i == 2, 0, i), m, s)),
    "first window only": without_windows,
    "last window only": last_window_only,
    "answers one token too late": shifted(1),
}


def main():
    with tempfile.TemporaryDirectory() as folder:
        paragraphs = data.load("eval", EVAL, folder)
    tokenizer = wordpiece.Tokenizer(MODEL.with_name("vocab.txt").read_text().splitlines())
    features, answers = list(data.features(tokenizer, paragraphs)), data.answers(paragraphs)
    for name, mistake in MISTAKES.items():
        f1, exact = mistake(features, answers)
        print(f"| {name} | {f1:.1f} | {exact:.1f} |", flush=True)


if __name__ == "__main__":
    main()
