"""The data: the project's captioned pictures, drawn by its own command, and CLIP's tokenizer of a short list."""

import csv
import json
import re
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from embedded import synthetic

HERE = Path(__file__).resolve().parent
SIDE, CONTEXT = 64, 77
NEGATIVE = "normal quality, low quality, worst quality, low res, blurry, nsfw, nude"

COLORS = ["red", "orange", "yellow", "green", "blue", "purple", "white", "black"]
SHAPES = ["circle", "square", "triangle", "star", "heart", "ring", "cross", "moon"]
PLACES = ["at the top left", "at the top right", "at the top", "at the bottom left", "at the bottom right",
          "at the bottom", "on the left", "on the right", "in the middle"]
RELATIONS = ["to the left of", "to the right of", "above", "below"]
FIGURE = re.compile(r"(small |big )?(%s) (%s)" % ("|".join(COLORS), "|".join(SHAPES)))
GROUND = re.compile(r"(?:(%s) background|background is (%s))" % ("|".join(COLORS), "|".join(COLORS)))


@dataclass
class Set:
    captions: list
    pixels: np.ndarray  # uint8 N,3,SIDE,SIDE


def load(name, cache):
    """A set, kept as files in cache: the pictures in the captions' order."""
    folder = synthetic.export("captioned", name, cache / name)
    with open(folder / "captions" / "captions.tsv", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    pixels = np.stack([picture(folder / "validation" / "data" / row["file_name"]) for row in rows])
    return Set([row["caption"] for row in rows], pixels)


def picture(path):
    """A PNG as the project writes it, unfiltered and uncompressed, as 3,SIDE,SIDE."""
    content = path.read_bytes()
    start = content.index(b"IDAT")
    size = int.from_bytes(content[start - 4 : start], "big")
    lines = np.frombuffer(zlib.decompress(content[start + 4 : start + 4 + size]), np.uint8)
    return lines.reshape(SIDE, 1 + 3 * SIDE)[:, 1:].reshape(SIDE, SIDE, 3).transpose(2, 0, 1)


class Tokenizer:
    """CLIP's, of captions in ASCII."""

    PIECES = re.compile(r"'s|'t|'re|'ve|'m|'ll|'d|[a-z]+|[0-9]|[^\sa-z0-9]+")

    def __init__(self):
        self.ids = json.loads((HERE / "vocab.json").read_text(encoding="utf-8"))
        lines = (HERE / "merges.txt").read_text(encoding="utf-8").splitlines()[1:]
        self.ranks = {tuple(line.split()): rank for rank, line in enumerate(lines) if line}
        self.end = self.ids["<|endoftext|>"]
        self.known = {}

    def pad(self, texts, token):
        """int64 N,CONTEXT."""
        rows = np.full((len(texts), CONTEXT), token, np.int64)
        for row, text in zip(rows, texts):
            ids = self.encode(text)
            row[: len(ids)] = ids
        return rows

    def encode(self, text):
        ids = [self.ids["<|startoftext|>"]]
        for piece in self.PIECES.findall(" ".join(text.lower().split())):
            if piece not in self.known:
                self.known[piece] = [self.ids[symbol] for symbol in self.merged(piece)]
            ids += self.known[piece]
        return ids[: CONTEXT - 1] + [self.end]

    def merged(self, piece):
        symbols = [*piece[:-1], piece[-1] + "</w>"]
        while len(symbols) > 1:
            pairs = list(zip(symbols, symbols[1:]))
            best = min(pairs, key=lambda pair: self.ranks.get(pair, len(self.ranks)))
            if best not in self.ranks:
                break
            joined = []
            while symbols:
                if tuple(symbols[:2]) == best:
                    joined.append(symbols[0] + symbols[1])
                    symbols = symbols[2:]
                else:
                    joined.append(symbols.pop(0))
            symbols = joined
        return symbols


# What a caption says: the ground, where the first figure or the second is, and of both shape, colour and size; a class
# more for what is not there.
CLASSES = [9, 14, 9, 9, 4, 9, 9, 4]


def attributes(caption):
    """The classes of what a caption says."""
    ground = GROUND.search(caption)
    if not ground:
        return [n - 1 for n in CLASSES]
    sizes = ["small ", "", "big "]
    figures = [(SHAPES.index(s), COLORS.index(c), sizes.index(size)) for size, c, s in FIGURE.findall(caption)]
    words = RELATIONS + PLACES
    where = next(i for i, text in enumerate(words) if text in caption)
    second = figures[1] if len(figures) > 1 else (8, 8, 3)
    return [COLORS.index(ground[1] or ground[2]), where, *figures[0], *second]
