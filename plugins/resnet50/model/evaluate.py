"""Top-1 of an ONNX file in ONNX Runtime on the CPU."""

import numpy as np
from data import model_input
from embedded.runtime import session
from export import ARGMAX, INPUT


def predict(path, pixels, batch=8, change=lambda x: x):
    """The classes that a model answers, for uint8 pictures N,224,224,3. change makes another input of the right one."""
    model, parts = session(path), (pixels[i : i + batch] for i in range(0, len(pixels), batch))
    return np.concatenate([model.run([ARGMAX], {INPUT: change(model_input(part))})[0] - 1 for part in parts])


def top1(path, pixels, labels):
    """Share of right answers in percent. Batches of 1 and of 8 must agree."""
    answers = predict(path, pixels)
    alone = predict(path, pixels, batch=1)
    if (answers != alone).any():
        raise SystemExit(f"{path}: {(answers != alone).sum()} answers differ between batch 1 and batch 8")
    return 100 * float((answers == labels).mean())
