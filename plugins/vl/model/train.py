"""Trains the embedded model of the vl benchmark and writes its files beside this script.

    pip install -r requirements.txt
    python train.py            # needs Go and CPU cores only

Everything random is seeded. Sums of floats differ between machines, so a repeated training agrees within half a point,
not bit by bit.
"""

from pathlib import Path

import evaluate
import export
import numpy as np
import torch
from data import Products, pixels
from embedded import training
from network import Network
from torch import nn

METRICS = {"category_f1": "", "brand": "%", "second_hand_f1": ""}
SEED = 1
BATCH, EPOCHS = 64, 8
PEAK_RATE, DECAY = 4e-3, 1e-2


def train(products, rng):
    """Trains with AdamW under a rate that rises and falls. What is told are the loss, the right categories in percent,
    and the bytes of titles that are marked rightly."""
    network = Network()
    optimiser = torch.optim.AdamW(network.parameters(), PEAK_RATE, weight_decay=DECAY)
    batches = len(products.labels) // BATCH
    rate = training.rise_and_fall(EPOCHS * batches, batches // 2)
    learn = training.Steps(optimiser, torch.optim.lr_scheduler.LambdaLR(optimiser, rate), every=batches, name="batch")
    of_category, of_marks = nn.CrossEntropyLoss(), nn.BCEWithLogitsLoss()
    labels, titles = torch.from_numpy(products.labels), torch.from_numpy(products.titles)
    spans, second_hand = torch.from_numpy(products.spans), torch.from_numpy(products.second_hand)
    for _ in range(EPOCHS):
        order = rng.permutation(len(labels))
        for i in range(batches):
            chosen = order[i * BATCH : (i + 1) * BATCH]
            pictures = products.pictures[chosen]
            mirrored = rng.integers(2, size=len(chosen)).astype(bool)
            pictures[mirrored] = pictures[mirrored, :, ::-1]
            category, marks, used = network(torch.from_numpy(pixels(pictures)), titles[chosen])
            loss = of_category(category, labels[chosen])
            loss = loss + 4 * of_marks(marks, spans[chosen]) + of_marks(used, second_hand[chosen])
            right = 100 * (category.argmax(1) == labels[chosen]).float().mean()
            learn(loss, loss, right, 100 * ((marks > 0) == (spans[chosen] > 0)).float().mean())
    return network


def main():
    parser = training.arguments(__doc__, Path(__file__).resolve().parent)
    with training.Run(parser, SEED) as run:
        products = Products("train", run.cache)
        run.say(f"{len(products.labels)} products prepared")
        network = run.trained(train(products, np.random.default_rng(SEED)))
        paths = {precision: run.out / f"products_{precision}.onnx" for precision in ("fp32", "int8")}
        export.write_fp32(network, paths["fp32"])
        calibration = Products("calibration", run.cache)
        export.write_int8(paths["fp32"], calibration, paths["int8"])
        products = Products("eval", run.cache)
        facts = {"categories": len(set(products.labels)), "parameters": training.parameters(network)}
        facts |= {"train_products": 14400, "calibration_products": 360, "eval_products": len(products.labels)}
        shown = lambda s: dict(zip(METRICS, (round(x, 4) for x in s)))
        facts["floor"] = shown(evaluate.floor(products))
        for hide in ("picture", "title"):
            answered = evaluate.answers(paths["fp32"], products, hide)
            facts[f"{hide}_hidden"] = shown(evaluate.scores(products, answered))
        files = []
        for precision, path in paths.items():
            of = evaluate.scores(products, evaluate.answers(path, products))
            metrics = [(name, unit, round(v, 4)) for (name, unit), v in zip(METRICS.items(), of)]
            files.append(training.entry(path, precision, *metrics))
        run.write_card(facts, files)


if __name__ == "__main__":
    main()
