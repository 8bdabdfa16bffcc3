"""Drawn encyclopedias as passages and lookups in tokens, cut and padded as the benchmark does it."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from embedded import synthetic, wordpiece

LENGTH, STEP = 768, 736  # characters of a passage, and from one's start to the next's
PASSAGE, QUERY = 512, 32  # most tokens of a passage, and of a query at the reranker


def load(name, count, folder):
    """The first worlds of a set: their pages and lookups."""
    path = synthetic.export("lookups", name, Path(folder) / f"{name}_{count}.jsonl", count)
    return [json.loads(line) for line in path.read_text().splitlines()]


def cut(text):
    """The passages of a text."""
    text = " ".join(text.split())
    if len(text) <= LENGTH:
        return [text]
    return [piece for s in range(0, len(text), STEP) if (piece := text[s : s + LENGTH].strip())]


def texts(worlds):
    """All that the vocabulary is learned of."""
    for world in worlds:
        yield from (page["text"] for page in world["pages"])
        yield from (lookup["text"] for lookup in world["lookups"])


@dataclass
class Passage:
    page: int  # its number in the world
    first: bool  # of its page
    words: list
    ids: list


@dataclass
class Query:
    page: int  # the one that is meant
    form: str  # name, phrase, question, chain (begins with the page and ends at another), described (without its name)
    words: list
    ids: list


class World:
    """The passages of a world, and what is looked for."""

    def __init__(self, tokenizer, row):
        self.passages, self.queries = [], []
        begin, end = tokenizer.ids["[CLS]"], tokenizer.ids["[SEP]"]
        number = {page["title"]: i for i, page in enumerate(row["pages"])}
        for i, page in enumerate(row["pages"]):
            for k, text in enumerate(cut(page["text"])):
                ids = [begin, *tokenizer.encode(text)[: PASSAGE - 2], end]
                self.passages.append(Passage(i, k == 0, wordpiece.split(text), ids))
        for lookup in row["lookups"]:
            ids = [begin, *tokenizer.encode(lookup["text"])[: QUERY - 2], end]
            words = wordpiece.split(lookup["text"])
            self.queries.append(Query(number[lookup["title"]], form(lookup), words, ids))
        self.of_page = [[] for _ in row["pages"]]  # numbers of its passages
        for i, passage in enumerate(self.passages):
            self.of_page[passage.page].append(i)

    def meant(self):
        """Whether a query means a passage: bool Q,P."""
        queries, passages = (np.array([x.page for x in part]) for part in (self.queries, self.passages))
        return queries[:, None] == passages[None]


STEPS = ("the mayor of", "the town that hosts", "the founder of", "the birthplace of", "the teacher of")


def form(lookup):
    text = lookup["text"]
    if text.endswith("?"):
        return "chain" if any(step in text for step in STEPS) else "question"
    if any(text.startswith(kind + " with ") for kind in ("person", "town", "feast")):
        return "described"
    return "name" if text.removeprefix("the ") == lookup["title"] else "phrase"


def worlds(tokenizer, rows):
    return [World(tokenizer, row) for row in rows]


def collate(ids):
    """ids, mask and segments (int64 N,S) of lists of ids, as long as the longest."""
    shape = (len(ids), max(map(len, ids)))
    padded, mask, segments = (np.zeros(shape, np.int64) for _ in range(3))
    for i, row in enumerate(ids):
        padded[i, : len(row)] = row
        mask[i, : len(row)] = 1
    return padded, mask, segments
