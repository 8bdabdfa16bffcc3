"""Streams of package internal/synthetic/preferences, drawn by its own command, as requests with their histories."""

import csv

import numpy as np
from embedded import synthetic

# The shape of the sets: that of the Go package.
TRAIN_PERIODS, PERIODS = 8, 10
CATEGORIES, ITEMS, COHORTS = 8, 1024, 64
HISTORY = 62  # the most entries
LIKED = 3.5  # the least rating of a label 1


def category(ids):
    return ids // (ITEMS // CATEGORIES)


class Requests:
    """Requests in the order of users and periods: user and period (N,), history items and weights (N,HISTORY) with 0
    behind the last of each, lengths (N,), candidates (N,C) and their labels, float32."""

    def __init__(self, **arrays):
        self.arrays = arrays
        self.__dict__.update(arrays)

    def __len__(self):
        return len(self.user)

    def at(self, chosen):
        return Requests(**{name: values[chosen] for name, values in self.arrays.items()})

    def inputs(self):
        """The model's inputs, with the histories as long as the longest."""
        items, weights = (x[:, : self.lengths.max()].astype(np.int64) for x in (self.items, self.weights))
        candidates = self.candidates.astype(np.int64)
        return {
            "item_ids": items,
            "weights": weights,
            "categories": category(items),
            "user": self.user,
            "candidate_ids": candidates,
            "candidate_categories": category(candidates),
            "lengths": self.lengths,
        }


def _numbers(cell, kind):
    return np.array(cell.split(",") if cell else [], kind)


def _requests(user, row):
    """Those of a user's line: of each period in which the user has candidates."""
    blocks = [row[i : i + 4] for i in range(0, len(row), 4)]
    items, ratings = _numbers(blocks[0][2], np.int32), _numbers(blocks[0][3], np.float64)
    for period in range(PERIODS):
        candidates, rated, taken, marks = blocks[period + (1 if period < TRAIN_PERIODS else 2)]
        if not candidates:
            continue
        yield {
            "user": np.int64(user),
            "period": np.int64(period),
            "items": np.pad(items, (0, HISTORY - len(items))),
            "weights": np.pad(1 << ratings.astype(np.int32) - 1, (0, HISTORY - len(items))),
            "lengths": np.int64(len(items)),
            "candidates": _numbers(candidates, np.int32),
            "labels": (_numbers(rated, np.float64) >= LIKED).astype(np.float32),
        }
        items = np.concatenate([items, _numbers(taken, np.int32)])
        ratings = np.concatenate([ratings, _numbers(marks, np.float64)])


def load(name, cache):
    """The requests of all periods of a set, whose files are kept in cache."""
    folder = synthetic.export("preferences", name, cache / f"preferences_{name}")
    with open(folder / "0.csv", newline="") as lines:
        rows = [r for user, row in enumerate(csv.reader(lines)) for r in _requests(user, row)]
    return Requests(**{key: np.stack([row[key] for row in rows]) for key in rows[0]})


def unseen(requests):
    """Those of the periods of inference."""
    return requests.at(requests.period >= TRAIN_PERIODS)


def seen(requests):
    """Those of the training periods."""
    return requests.at(requests.period < TRAIN_PERIODS)
