"""What each mistake of making the model's inputs costs: metrics of the embedded FP32 model with one step done wrong.

python sensitivity.py
"""

import tempfile
from pathlib import Path

import data
import evaluate
import numpy as np
from metrics import metrics

MODEL = Path(__file__).with_name("dlrm3_fp32.onnx")


def changed(**arrays):
    """A mistake that replaces inputs by what a function makes of them."""
    return lambda inputs, _: {name: arrays[name](x) if name in arrays else x for name, x in inputs.items()}


def rolled(x):
    return np.roll(x, 1, 0)


def padding_read(inputs, _):
    return inputs | {"lengths": np.full_like(inputs["lengths"], inputs["item_ids"].shape[1])}


def reversed_history(inputs, _):
    out = dict(inputs)
    for name in ("item_ids", "categories", "weights"):
        out[name] = inputs[name].copy()
        for i, n in enumerate(inputs["lengths"]):
            out[name][i, :n] = inputs[name][i, :n][::-1]
    return out


def newest(count):
    """The newest entries alone."""

    def change(inputs, _):
        out = inputs | {"lengths": np.minimum(inputs["lengths"], count)}
        for name in ("item_ids", "categories", "weights"):
            out[name] = inputs[name].copy()
            for i, n in enumerate(inputs["lengths"]):
                left = max(0, n - count)
                out[name][i, : n - left] = inputs[name][i, left:n]
        return out

    return change


MISTAKES = {
    "none": lambda inputs, _: inputs,
    **{name.replace("_", " "): change for name, change in evaluate.ABLATIONS.items()},
    "history from the newest to the oldest": reversed_history,
    "the newest 12 entries alone": newest(12),
    "the oldest 30 entries alone": changed(lengths=lambda n: np.minimum(n, 30)),
    "padding read as history": padding_read,
    "all weights 1": changed(weights=np.ones_like),
    "weights doubled": changed(weights=lambda w: np.minimum(2 * w, 16)),
    "ratings for weights": changed(weights=lambda w: np.log2(np.maximum(w, 1)).astype(np.int64) + 1),
    "ids one too high": changed(item_ids=lambda i: i + 1, candidate_ids=lambda i: i + 1),
    "categories of candidates 0": changed(candidate_categories=np.zeros_like),
    "categories of the history 0": changed(categories=np.zeros_like),
    "candidates of the next request": changed(candidate_ids=rolled, candidate_categories=rolled),
    "the next user's row": changed(user=lambda u: u + 1),
}


def main():
    with tempfile.TemporaryDirectory() as scratch:
        requests = data.unseen(data.load("eval", Path(scratch)))
    for name, mistake in MISTAKES.items():
        p = evaluate.predict(MODEL, requests, change=mistake)
        of = metrics(p, requests.labels)
        print(f"| {name} | {of['NE']:.4f} | {100 * of['accuracy']:.2f} | {100 * of['GAUC']:.2f} |", flush=True)


if __name__ == "__main__":
    main()
