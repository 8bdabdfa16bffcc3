"""Top-1 of an ONNX file in ONNX Runtime on the CPU."""

import numpy as np
import onnxruntime

from data import model_input
from export import ARGMAX, INPUT


def predict(path, pixels, batch=8):
    """The classes that a model answers, for uint8 pictures N,224,224,3."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    answers = [
        session.run([ARGMAX], {INPUT: model_input(pixels[i : i + batch])})[0] - 1 for i in range(0, len(pixels), batch)
    ]
    return np.concatenate(answers)


def top1(path, pixels, labels):
    """Share of right answers in percent. Batches of 1 and of 8 must agree."""
    answers = predict(path, pixels)
    alone = predict(path, pixels, batch=1)
    if (answers != alone).any():
        raise SystemExit(f"{path}: {(answers != alone).sum()} answers differ between batch 1 and batch 8")
    return 100 * float((answers == labels).mean())
