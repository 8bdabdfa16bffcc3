"""Prints the AUC of the FP32 model where one step of preparing its inputs is done wrong.

    python sensitivity.py
"""

import tempfile
from pathlib import Path

import numpy as np
import onnxruntime

import data
import evaluate
from export import PREDICTION

HERE = Path(__file__).resolve().parent
BATCH = 1000


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


def predict(session, clicks, mistake):
    parts = (clicks.at(slice(i, i + BATCH)).inputs() for i in range(0, len(clicks), BATCH))
    return np.concatenate([session.run([PREDICTION], clamp(mistake(part), part))[0] for part in parts])


def clamp(wrong, inputs):
    """Wrong indices within their tables."""
    return wrong | {"indices": np.minimum(wrong["indices"], limit(inputs)).astype(np.int32)}


def main():
    session = onnxruntime.InferenceSession(HERE / "dlrm_fp32.onnx", providers=["CPUExecutionProvider"])
    with tempfile.TemporaryDirectory() as scratch:
        clicks = data.load("eval", 0, 100_000, Path(scratch))
    for name, mistake in MISTAKES.items():
        print(f"| {name} | {100 * evaluate.auc(clicks.labels, predict(session, clicks, mistake)):.1f} |", flush=True)


if __name__ == "__main__":
    main()
