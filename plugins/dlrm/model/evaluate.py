"""AUC of an ONNX file in ONNX Runtime on the CPU."""

import numpy as np
from embedded.runtime import session
from export import PREDICTION

BATCH = 1000


def predict(path, clicks, batch=BATCH, change=lambda inputs: inputs):
    """The answers to pairs; change makes of each batch's inputs those that the model gets."""
    model = session(path)
    parts = (clicks.at(slice(i, i + batch)).inputs() for i in range(0, len(clicks), batch))
    return np.concatenate([model.run([PREDICTION], change(part))[0] for part in parts])


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
        raise SystemExit(f"{path}: predictions differ by {worst} between batch 1 and batch {BATCH}")
    return 100 * auc(clicks.labels, predictions)
