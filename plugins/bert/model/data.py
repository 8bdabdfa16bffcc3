"""The synthetic questions as tokens, as package features makes them: [CLS] question [SEP] window [SEP]."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from embedded import synthetic
from embedded.wordpiece import plain, split

LENGTH, QUESTION, STRIDE = 384, 64, 128
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def load(name, count, folder):
    """The first passages of a set."""
    path = synthetic.export("questions", name, Path(folder) / f"{name}_{count}.json", count)
    return [p for article in json.loads(path.read_text())["data"] for p in article["paragraphs"]]


@dataclass
class Feature:
    ids: list
    text_of: "Passage"
    before: int  # place of the window's first token
    first: int  # places of the answer's first and last token; 0 where the window does not show it
    last: int
    question: int  # number of the question in the set
    window: int
    windows: list  # (first token, one behind the last) of all windows of the passage

    def token(self, place):
        """The number in its passage of the token at a place, and whether it is one of the passage."""
        start, end = self.windows[self.window]
        token = place - self.before + start
        return token, start <= token < end

    def max_context(self, place):
        """Whether no other window shows the token between more of its neighbours."""
        token, ok = self.token(place)
        if not ok:
            return False
        scores = [
            min(token - start, end - 1 - token) + 0.01 * (end - start) if start <= token < end else -1
            for start, end in self.windows
        ]
        return scores.index(max(scores)) == self.window

    def text(self, first, last):
        """What the passage has from a place to another."""
        return self.text_of.text[self.text_of.starts[self.token(first)[0]] : self.text_of.ends[self.token(last)[0]]]


class Passage:
    """The tokens of a passage, and where in its text they start and end."""

    def __init__(self, tokenizer, text):
        self.text = text
        self.ids, self.starts, self.ends = [], [], []
        at, lower = 0, plain(text)
        for word in split(text):
            at = lower.index(word, at)
            for i in tokenizer.word(word):
                length = len(tokenizer.tokens[i].removeprefix("##"))
                self.ids.append(i)
                self.starts.append(at)
                self.ends.append(at + length)
                at += length

    def span(self, answer):
        """The first and the last token of an answer."""
        start = answer["answer_start"]
        return self.starts.index(start), self.ends.index(start + len(answer["text"]))


def features(tokenizer, paragraphs):
    cls, sep = tokenizer.ids["[CLS]"], tokenizer.ids["[SEP]"]
    number = 0
    for p in paragraphs:
        passage = Passage(tokenizer, p["context"])
        for qa in p["qas"]:
            question = tokenizer.encode(qa["question"])[:QUESTION]
            first, last = passage.span(qa["answers"][0])
            before = len(question) + 2
            parts = list(windows(len(passage.ids), LENGTH - before - 1))
            for i, (start, end) in enumerate(parts):
                ids = [cls, *question, sep, *passage.ids[start:end], sep]
                shift = before - start if start <= first and last < end else None
                answer = (0, 0) if shift is None else (first + shift, last + shift)
                yield Feature(ids, passage, before, *answer, number, i, parts)
            number += 1


def answers(paragraphs):
    return [qa["answers"][0]["text"] for p in paragraphs for qa in p["qas"]]


def windows(tokens, longest):
    start = 0
    while True:
        end = min(start + longest, tokens)
        yield start, end
        if end == tokens:
            return
        start += min(end - start, STRIDE)


def collate(batch):
    """ids, mask and segments of int64 N,S, as long as the longest of the batch."""
    shape = (len(batch), max(len(f.ids) for f in batch))
    ids, mask, segments = (np.zeros(shape, np.int64) for _ in range(3))
    for i, f in enumerate(batch):
        ids[i, : len(f.ids)] = f.ids
        mask[i, : len(f.ids)] = 1
        segments[i, f.before : len(f.ids)] = 1
    return ids, mask, segments
