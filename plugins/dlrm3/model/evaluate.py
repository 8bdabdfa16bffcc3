"""Predictions of an ONNX file in ONNX Runtime on the CPU."""

import numpy as np
from data import CATEGORIES, ITEMS, category
from embedded.runtime import session
from export import OUTPUT
from metrics import metrics

BATCH = 8


def predict(path, requests, batch=BATCH, change=lambda inputs, random: inputs):
    """The predictions (N,C); change makes of each batch's inputs those that the model gets."""
    model, random = session(path), np.random.default_rng(1)
    parts = (requests.at(slice(i, i + batch)).inputs() for i in range(0, len(requests), batch))
    return np.concatenate([model.run([OUTPUT], change(part, random))[0] for part in parts])


def score(path, requests):
    """The metrics. Requests alone and requests in batches, padded to the longest, must agree."""
    predictions, alone = predict(path, requests), predict(path, requests.at(slice(0, 200)), batch=1)
    worst = np.abs(alone - predictions[:200]).max()
    print(f"{path.name}: predictions alone and in batches of {BATCH} differ by at most {worst:.2g}")
    if worst > 1e-5:
        raise SystemExit("a prediction hangs on its batch")
    return metrics(predictions, requests.labels)


def shuffled(arrays):
    """A change that puts the true entries of each history into a random order, the same in all of the arrays."""

    def change(inputs, random):
        out = inputs | {name: inputs[name].copy() for name in arrays}
        for i, n in enumerate(inputs["lengths"]):
            order = random.permutation(n)
            for name in arrays:
                out[name][i, :n] = inputs[name][i, order]
        return out

    return change


# What is taken from the model, and with it what it needs: the order of its history, the history, what was rated how.
ABLATIONS = {
    "history_shuffled": shuffled(["item_ids", "categories", "weights"]),
    "history_emptied": lambda inputs, random: inputs | {"lengths": np.zeros_like(inputs["lengths"])},
    "weights_permuted": shuffled(["weights"]),
}


def floors(seen, unseen):
    """Metrics on unseen requests of who does without a model: the mean label of what was seen; that of each item there;
    how the categories were rated in the user's own history, as chances that suit what was seen."""
    mean = seen.labels.mean()
    sums, counts = (np.bincount(seen.candidates.ravel(), w, ITEMS) for w in (seen.labels.ravel(), None))
    rated = by_category(unseen)
    chance = fitted(by_category(seen).ravel(), seen.labels.ravel())
    answers = {
        "constant": np.full(unseen.labels.shape, mean),
        "mean_of_item": ((sums + mean) / (counts + 1))[unseen.candidates],
        "mean_of_category_in_history": chance(rated),
    }
    return {name: metrics(p, unseen.labels) for name, p in answers.items()}


def by_category(requests):
    """Of each candidate, the mean logarithm of the weights of its category in the history (N,C), 2 where there are
    none."""
    levels = np.log2(np.maximum(requests.weights, 1))
    entry = np.arange(levels.shape[1]) < requests.lengths[:, None]
    of = [entry & (category(requests.items) == k) for k in range(CATEGORIES)]
    sums, counts = (np.stack([part.sum(1) for part in parts], 1) for parts in ((levels * k for k in of), of))
    means = np.where(counts > 0, sums / np.maximum(counts, 1), 2)
    return np.take_along_axis(means, category(requests.candidates), 1)


def fitted(x, labels, bins=20):
    """The share of labels by x, in steps."""
    edges = np.quantile(x, np.linspace(0, 1, bins + 1)[1:-1])
    place = np.searchsorted(edges, x)
    share = np.bincount(place, labels, bins) / np.maximum(np.bincount(place, minlength=bins), 1)
    return lambda values: share[np.searchsorted(edges, values)]
