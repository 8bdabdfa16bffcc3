"""The data: the project's drawn products, written by its own command in the columns of the hub."""

import json

import cv2
import numpy as np
import pyarrow.parquet as parquet
from embedded import synthetic
from network import LETTERS, LEVELS, SIDE

FILE = "data/train-00000-of-00001.parquet"


def names():
    """The categories, in the order of the network's answers."""
    things = ["Mugs", "Bottles", "Plates", "Lamps", "Chairs", "Tables", "Shirts", "Trousers", "Hats", "Kites", "Balls"]
    things, departments = [*things, "Cars"], ["Kitchen", "Furniture", "Clothing", "Toys"]
    of = lambda i, thing: [f"{departments[i // 3]} > {thing} > {p} {thing}" for p in ("Plain", "Striped", "Dotted")]
    return [name for i, thing in enumerate(things) for name in of(i, thing)]


class Products:
    """A set: pictures (uint8 N,96,96,3, RGB), titles (int64 N,64), labels, spans (float32 N,64), second_hand (N,1), and
    the rows."""

    def __init__(self, name, cache):
        rows = parquet.read_table(synthetic.export("products", name, cache / name) / FILE).to_pylist()
        decode = lambda row: cv2.imdecode(np.frombuffer(row["product_image"]["bytes"], np.uint8), cv2.IMREAD_COLOR)
        self.pictures = np.stack([decode(row)[:, :, ::-1] for row in rows])
        assert self.pictures.shape[1:] == (SIDE, SIDE, 3)
        self.titles = np.stack([encode(row["product_title"]) for row in rows])
        places = {category: i for i, category in enumerate(names())}
        self.labels = np.array([places[row["ground_truth_category"]] for row in rows])
        self.spans = np.stack([span(row["product_title"], row["ground_truth_brand"]) for row in rows])
        self.second_hand = np.array([[row["ground_truth_is_secondhand"]] for row in rows], np.float32)
        self.rows = rows


def encode(title):
    """The first 64 bytes of a title, 0 behind its end."""
    codes = np.zeros(LETTERS, np.int64)
    text = title.encode()[:LETTERS]
    codes[: len(text)] = list(text)
    return codes


def span(title, brand):
    marks = np.zeros(LETTERS, np.float32)
    start = title.encode().index(brand.encode())
    marks[start : start + len(brand.encode())] = 1
    return marks


def pixels(pictures):
    """uint8 N,96,96,3 to what the network is trained on."""
    return np.ascontiguousarray(pictures.transpose(0, 3, 1, 2)).astype(np.float32) / LEVELS - 1


def brand(title, logits):
    """The run of bytes whose logits have the largest sum; none where no logit is above 0."""
    best, start, end, total, begin = 0.0, 0, 0, 0.0, 0
    for i, value in enumerate(logits[: len(title.encode())]):
        if total <= 0:
            total, begin = 0.0, i
        total += float(value)
        if total > best:
            best, start, end = total, begin, i + 1
    return title.encode()[start:end].decode(errors="replace").strip()


def answer(row, categories, logits, second_hand):
    """What is answered to a row: the most likely of the categories that it offers, the brand, second-hand."""
    places = {category: i for i, category in enumerate(names())}
    offered = [c for c in row["potential_product_categories"] if c in places]
    category = max(offered, key=lambda c: categories[places[c]], default="")
    found = brand(row["product_title"], logits)
    return json.dumps({"category": category, "brand": found, "is_secondhand": bool(second_hand > 0)})
