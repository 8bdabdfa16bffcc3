"""AUC of an ONNX file in ONNX Runtime on the CPU."""

import numpy as np
import onnxruntime

from export import PREDICTION


def predict(path, clicks, batch=1000):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    parts = (clicks.at(slice(i, i + batch)) for i in range(0, len(clicks), batch))
    return np.concatenate([session.run([PREDICTION], part.inputs())[0] for part in parts])


def auc(labels, predictions):
    """The share of (click, no click) pairs in which the click has the higher prediction; equal ones count half."""
    values, place, count = np.unique(predictions, return_inverse=True, return_counts=True)
    rank = np.cumsum(count) - (count - 1) / 2
    clicks = labels == 1
    positives = int(clicks.sum())
    negatives = len(labels) - positives
    return float((rank[place[clicks]].sum() - positives * (positives + 1) / 2) / positives / negatives)


def auc_percent(path, clicks):
    """100 * AUC. Pairs alone and pairs in batches must agree."""
    predictions = predict(path, clicks)
    alone = predict(path, clicks.at(slice(0, 200)), batch=1)
    worst = np.abs(alone - predictions[:200]).max()
    if worst > 1e-5:
        raise SystemExit(f"{path}: predictions differ by {worst} between batch 1 and batch 1000")
    return 100 * auc(clicks.labels, predictions)
