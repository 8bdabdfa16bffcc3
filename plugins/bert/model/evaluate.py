"""F1 and exact match of an ONNX file on features, with the post-processing of package accuracy/squad."""

import collections
import re
import string

import data
import numpy as np
from embedded.runtime import session
from export import INPUTS

CANDIDATES, LONGEST = 20, 30  # tokens looked at for either end of an answer; tokens of an answer


def logits(path, features, batch=16):
    """Yields each feature with its start and end logits; those of similar length share a batch."""
    model, order = session(path), sorted(features, key=lambda f: len(f.ids))
    for i in range(0, len(order), batch):
        part = order[i : i + batch]
        starts, ends = model.run(None, dict(zip(INPUTS, data.collate(part))))
        for feature, start, end in zip(part, starts, ends):
            yield feature, start[: len(feature.ids)], end[: len(feature.ids)]


def best_span(feature, start, end):
    """(score, first, last) of the best answer in a window, or None."""
    lasts = np.argsort(-end, kind="stable")[:CANDIDATES]
    best = None
    for first in np.argsort(-start, kind="stable")[:CANDIDATES]:
        if not feature.max_context(first):
            continue
        for last in lasts:
            if first <= last < min(first + LONGEST, len(feature.ids) - 1):
                score = float(start[first]) + float(end[last])
                if best is None or score > best[0]:
                    best = (score, first, last)
    return best


def normal(text):
    text = "".join(c for c in text.lower() if c not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", text).split()


def f1(predicted, accepted):
    shared = sum((collections.Counter(predicted) & collections.Counter(accepted)).values())
    return 2 * shared / (len(predicted) + len(accepted)) if shared else 0.0


def score(path, features, answers):
    """F1 and exact match in percent: answers are the accepted texts by number of question."""
    found = {}
    for feature, start, end in logits(path, features):
        best = best_span(feature, start, end)
        if best and (feature.question not in found or best[0] > found[feature.question][0]):
            found[feature.question] = (best[0], feature.text(best[1], best[2]))
    pairs = [(normal(found[i][1]) if i in found else ["empty"], normal(a)) for i, a in enumerate(answers)]
    return 100 * np.mean([f1(*p) for p in pairs]), 100 * np.mean([p == a for p, a in pairs])
