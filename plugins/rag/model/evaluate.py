"""How often ONNX files find the page that is meant, beside what finds it without learning."""

import collections
import math

import data
import numpy as np
from embedded.runtime import session
from export import INPUTS

TOP, KEPT = 10, 3  # passages that a search brings, and that are kept of them when three queries are asked


def hidden(model, ids, batch=16):
    """The tokens of each text: a list of float32 S,width."""
    order, out = sorted(range(len(ids)), key=lambda i: len(ids[i])), [None] * len(ids)
    for start in range(0, len(order), batch):
        part = order[start : start + batch]
        (states,) = model.run(None, dict(zip(INPUTS, data.collate([ids[i] for i in part]))))
        for i, state in zip(part, states):
            out[i] = state[: len(ids[i])]
    return out


class Searcher:
    """Scores (Q,P) of one encoder."""

    def __init__(self, path):
        self.model = session(path)

    def vectors(self, texts):
        means = np.stack([x.mean(0) for x in hidden(self.model, [t.ids for t in texts])])
        return means / np.linalg.norm(means, axis=1, keepdims=True)

    def scores(self, world):
        return self.vectors(world.queries) @ self.vectors(world.passages).T


class Reranker:
    """Scores of passages that a search brought."""

    def __init__(self, path):
        self.model = session(path)

    def rerank(self, world, order):
        """order: Q,TOP numbers of passages. Returns them by falling score."""
        passages = hidden(self.model, [p.ids for p in world.passages])
        queries = hidden(self.model, [q.ids for q in world.queries])
        out = np.empty_like(order)
        for i, query in enumerate(queries):
            scores = [(query @ passages[p].T).max(1).sum() for p in order[i]]
            out[i] = order[i][np.argsort(-np.array(scores), kind="stable")]
        return out


def overlap(world):
    """Distinct words that a query and a passage share: Q,P."""
    passages = [set(p.words) for p in world.passages]
    return np.array([[len(set(q.words) & p) for p in passages] for q in world.queries], float)


def bm25(world, k=1.2, b=0.75):
    """Okapi BM25 (Robertson and Zaragoza 2009): Q,P."""
    counts = [collections.Counter(p.words) for p in world.passages]
    found = collections.Counter(word for c in counts for word in c)
    mean = np.mean([len(p.words) for p in world.passages])
    out = np.zeros((len(world.queries), len(counts)))
    for i, query in enumerate(world.queries):
        for word in set(query.words):
            rare = math.log(1 + (len(counts) - found[word] + 0.5) / (found[word] + 0.5))
            for j, c in enumerate(counts):
                if word in c:
                    long = 1 - b + b * len(world.passages[j].words) / mean
                    out[i, j] += rare * c[word] * (k + 1) / (c[word] + k * long)
    return out


def top(scores):
    """The numbers of the best passages, Q,TOP; equal scores in the order of the passages."""
    return np.argsort(-scores, axis=1, kind="stable")[:, :TOP]


class Tally:
    """Shares of queries, in percent, whose page is among the first passages; by form, too."""

    def __init__(self):
        self.hits = collections.defaultdict(list)

    def add(self, world, order):
        right = np.take_along_axis(world.meant(), order, 1)
        for query, row in zip(world.queries, right):
            for name in ("all", query.form):
                self.hits[name].append([row[:1].any(), row[:KEPT].any(), row.any()])

    def shares(self):
        """{form: {"precision_at_1", "recall_at_3", "recall_at_10"}}."""
        names = ("precision_at_1", f"recall_at_{KEPT}", f"recall_at_{TOP}")
        means = {form: 100 * np.mean(rows, 0) for form, rows in sorted(self.hits.items())}
        return {form: {n: round(float(v), 2) for n, v in zip(names, mean)} for form, mean in means.items()}


def measure(searcher, worlds, reranker=None):
    """The shares of a function of world to scores, and with a reranker those after it."""
    tally, after = Tally(), Tally()
    for world in worlds:
        order = top(searcher(world))
        tally.add(world, order)
        if reranker:
            after.add(world, reranker.rerank(world, order))
    return (tally.shares(), after.shares()) if reranker else tally.shares()


def floors(worlds, seed=1):
    """What finds pages without learning: chance, shared words, and shared words by how rare they are."""
    rng = np.random.default_rng(seed)
    chance = lambda world: rng.random((len(world.queries), len(world.passages)))
    return {"random": measure(chance, worlds), "word_overlap": measure(overlap, worlds), "bm25": measure(bm25, worlds)}
