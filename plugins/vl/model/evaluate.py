"""Scores of an ONNX file in ONNX Runtime on the CPU, also with the picture or the title hidden."""

import json

import numpy as np
from data import answer
from embedded.runtime import session
from export import BRAND, CATEGORY, PICTURE, SECOND_HAND, TITLE


def answers(path, products, hide=""):
    """The answers to a set; hide: picture or title, of which the model then sees nothing."""
    pictures = np.full_like(products.pictures, 128) if hide == "picture" else products.pictures
    titles = np.zeros_like(products.titles) if hide == "title" else products.titles
    model, batch, all_ = session(path), 36, []
    for i in range(0, len(titles), batch):
        feed = {PICTURE: pictures[i : i + batch], TITLE: titles[i : i + batch]}
        of = model.run([CATEGORY, BRAND, SECOND_HAND], feed)
        all_ += [json.loads(answer(row, *parts)) for row, *parts in zip(products.rows[i : i + batch], *of)]
    return all_


def scores(products, answered):
    """Hierarchical F1 of categories, brands that are exactly right in percent, F1 of second-hand."""
    split = lambda text: text.split(" > ")
    shared = given = wanted = brands = positives = claimed = second_hand = 0
    for row, a in zip(products.rows, answered):
        g, w = split(a["category"]), split(row["ground_truth_category"])
        equal = [x == y for x, y in zip(g, w)]
        shared += equal.index(False) if False in equal else len(equal)
        given, wanted = given + len(g), wanted + len(w)
        brands += a["brand"] == row["ground_truth_brand"]
        positives += a["is_secondhand"] and row["ground_truth_is_secondhand"]
        claimed, second_hand = claimed + a["is_secondhand"], second_hand + row["ground_truth_is_secondhand"]
    return 2 * shared / (given + wanted), 100 * brands / len(answered), 2 * positives / (claimed + second_hand)


def floor(products):
    """Of a model that answers each row's first category, no brand, and not second-hand."""
    first = lambda row: {"category": row["potential_product_categories"][0], "brand": "", "is_secondhand": False}
    return scores(products, [first(row) for row in products.rows])
