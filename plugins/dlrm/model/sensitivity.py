"""Prints the AUC of the FP32 model where one step of preparing its inputs is done wrong.

    python sensitivity.py
"""

import tempfile
from functools import partial
from pathlib import Path

import data
import evaluate
import numpy as np

MODEL = Path(__file__).with_name("dlrm_fp32.onnx")


def changed(**arrays):
    """A mistake that replaces inputs by what a function makes of them."""
    return lambda inputs: {name: arrays[name](value) if name in arrays else value for name, value in inputs.items()}


def pairs_first(inputs):
    """Indices in the order of the pairs, not of the tables."""
    offsets, n = inputs["offsets"], len(inputs["dense_x"])
    order = np.arange(data.TABLES * n).reshape(data.TABLES, n).T.reshape(-1)
    bags = [inputs["indices"][offsets[bag] : offsets[bag + 1]] for bag in order]
    return inputs | {"indices": np.concatenate(bags)}


def limit(inputs):
    """The last row of the table of each index, by what occurs."""
    offsets, n = inputs["offsets"], len(inputs["dense_x"])
    tables = [inputs["indices"][offsets[k * n] : offsets[(k + 1) * n]] for k in range(data.TABLES)]
    return np.concatenate([np.full(len(table), table.max()) for table in tables])


MISTAKES = {
    "none": lambda inputs: inputs,
    "numbers without the logarithm": changed(dense_x=np.expm1),
    "log(count) + 1 for log(count + 1)": changed(dense_x=lambda x: np.log(np.maximum(np.expm1(x), 1)) + 1),
    "numbers in reverse": changed(dense_x=lambda x: np.ascontiguousarray(x[:, ::-1])),
    "numbers of the next pair": changed(dense_x=lambda x: np.roll(x, 1, 0)),
    "indices one too low": changed(indices=lambda x: np.maximum(x - 1, 0)),
    "indices shifted by one place": changed(indices=lambda x: np.roll(x, 1)),
    "indices in the order of pairs": pairs_first,
    "all rows 0": changed(indices=np.zeros_like),
}


def clamped(mistake, inputs):
    """Inputs with a mistake, wrong indices within their tables."""
    wrong = mistake(inputs)
    return wrong | {"indices": np.minimum(wrong["indices"], limit(inputs)).astype(np.int32)}


def main():
    with tempfile.TemporaryDirectory() as scratch:
        clicks = data.load("eval", 0, 100_000, Path(scratch))
    for name, mistake in MISTAKES.items():
        predictions = evaluate.predict(MODEL, clicks, change=partial(clamped, mistake))
        print(f"| {name} | {100 * evaluate.auc(clicks.labels, predictions):.1f} |", flush=True)


if __name__ == "__main__":
    main()
