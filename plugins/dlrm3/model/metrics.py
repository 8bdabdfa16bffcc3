"""The benchmark's metrics of predictions (N,C) and labels (N,C), a row for each request; all weights are 1."""

import numpy as np

LEAST = 1e-12  # of a probability


def entropy(p, labels):
    """Bits of all labels together under predictions p."""
    p = np.clip(p, LEAST, 1 - LEAST)
    return -(labels * np.log2(p) + (1 - labels) * np.log2(1 - p)).sum()


def normalised_entropy(p, labels):
    """Bits of the labels, as a part of those under their mean: 1 is the score of who knows the mean alone."""
    p, labels = p.astype(np.float64), labels.astype(np.float64)
    return entropy(p, labels) / entropy(np.full_like(labels, labels.mean()), labels)


def accuracy(p, labels):
    return ((p >= 0.5) == labels).mean()


def gauc(p, labels):
    """The mean of the requests' AUC, of those that have both labels and not one prediction alone. Equal predictions
    stay in their order. Without any it is a half."""
    told = ~((p == p[:, :1]) | (p == 0)).all(1)
    order = np.argsort(p[told], 1, kind="stable")
    labels = np.take_along_axis(labels[told], order, 1).astype(np.float64)
    above = (labels * np.cumsum(1 - labels, 1)).sum(1)
    positives = labels.sum(1)
    both = positives * (labels.shape[1] - positives)
    auc = above[both > 0] / both[both > 0]
    return (auc.sum() + 1e-9) / (len(auc) + 2e-9)


def metrics(p, labels):
    of = {"NE": normalised_entropy, "accuracy": accuracy, "GAUC": gauc}
    return {name: float(score(p, labels)) for name, score in of.items()}
