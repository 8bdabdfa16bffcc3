"""Trains the embedded encoder and reranker of the rag benchmarks and writes their files beside this script.

    pip install -r requirements.txt
    python train.py            # needs Go, 2 GB of memory, and one CPU core

Everything random is seeded. Sums of floats differ between machines, so a repeated training agrees within half a point
of each figure, not bit by bit.
"""

from pathlib import Path

import data
import evaluate
import export
import numpy as np
import torch
from embedded import training, wordpiece
from network import INNER, LAYERS, WIDTH, make, maxsim, pooled

TRAIN, CALIBRATION, UNSEEN = 48, 1, 12  # worlds
RERANKED = 16  # worlds that the reranker is trained on
VOCABULARY, RARE, VOCABULARY_WORLDS = 1500, 5, 24
SEED = 1
PAGES, LOOKUPS = 32, 3  # of a batch of the encoder, all of one world; lookups of each page
QUERIES, HARD = 8, 4  # of a batch of the reranker, and passages that the encoder brings for each
SHARP = 20.0  # what similarities of the encoder are multiplied with; those of the reranker are divided by SOFT
SOFT = 16.0
STEPS = {"encoder": 900, "reranker": 500}
# What `make cards` measures afterwards, by benchmark.
ANSWERED = ("accuracy", "strict_accuracy", "retrieval_precision", "retrieval_recall", "retrieval_f1")
UNITS = {"accuracy": "%", "strict_accuracy": "%", "pages": "%"}
HARNESS = {
    model: [(name, UNITS.get(name, ""), 0.0) for name in names]
    for model, names in {"e2e-rag-qna": ANSWERED, "e2e-rag-db": ("pages",)}.items()
}
STAND_IN = "stand-in: scripted server, in the place of the language models and the judge"
ASKING = {"models": {"e2e-rag-qna": HARNESS["e2e-rag-qna"]}, "audits": {"e2e-rag-qna": [("TEST09", "", 0.0)]}}
PEAK_RATE, WARM_UP, DECAY, CLIP = 2e-3, 50, 0.01, 1.0


def states(network, ids):
    """What the network says of texts, and their mask."""
    padded, mask, segments = (torch.from_numpy(x) for x in data.collate(ids))
    return network(padded, mask, segments), mask


def optimised(network, name, batches, loss):
    """Trains for the steps of a name on the loss of batches."""
    optimiser = torch.optim.AdamW(network.parameters(), PEAK_RATE, weight_decay=DECAY)
    rate = training.rise_and_fall(STEPS[name], WARM_UP)
    step = training.Steps(optimiser, torch.optim.lr_scheduler.LambdaLR(optimiser, rate), CLIP, name=name)
    for _, batch in zip(range(STEPS[name]), batches):
        step(*loss(network, *batch))
    return network.eval()


def encoder_batches(worlds, rng):
    """Passages of pages of one world, lookups of these pages, and which passage each means."""
    by_page = [[[q for q in w.queries if q.page == page] for page in range(len(w.of_page))] for w in worlds]
    while True:
        k = rng.integers(len(worlds))
        world, queries, passages, meant = worlds[k], [], [], []
        for page in rng.permutation(len(world.of_page))[:PAGES]:
            for i in rng.permutation(len(by_page[k][page]))[:LOOKUPS]:
                queries.append(by_page[k][page][i].ids)
                meant.append(len(passages))
            passages += [world.passages[i].ids for i in world.of_page[page]]
        yield queries, passages, torch.tensor(meant)


def encoder_loss(network, queries, passages, meant):
    """The cross entropy of the passage that is meant, and how often another one is nearer."""
    scores = SHARP * pooled(*states(network, queries)) @ pooled(*states(network, passages)).T
    return torch.nn.functional.cross_entropy(scores, meant), (scores.argmax(1) != meant).float().mean()


def reranker_batches(worlds, order, rng):
    """Lookups of one world, the passages that the encoder brings for them, and which passage each means."""
    while True:
        k = rng.integers(len(worlds))
        world, chosen, meant = worlds[k], {}, []
        queries = rng.permutation(len(world.queries))[:QUERIES]
        for i in queries:
            right = world.of_page[world.queries[i].page][0]
            meant.append(chosen.setdefault(right, len(chosen)))
            for p in order[k][i][:HARD]:
                chosen.setdefault(int(p), len(chosen))
        yield [world.queries[i].ids for i in queries], [world.passages[p].ids for p in chosen], torch.tensor(meant)


def reranker_loss(network, queries, passages, meant):
    """As encoder_loss, of the sums of products of tokens."""
    scores = maxsim(*states(network, queries), *states(network, passages)) / SOFT
    return torch.nn.functional.cross_entropy(scores, meant), (scores.argmax(1) != meant).float().mean()


def calibration(world):
    """Batches of passages and of lookups."""
    texts = sorted((t.ids for t in (*world.passages, *world.queries)), key=len)
    return [data.collate(texts[i : i + 16]) for i in range(0, len(texts), 16)]


def write(network, name, world, out):
    """Writes both files of a network, and returns their paths by precision."""
    paths = {precision: out / f"{name}_{precision}.onnx" for precision in ("fp32", "int8")}
    dense = export.write_fp32(network, name, paths["fp32"])
    export.write_int8(paths["fp32"], dense, calibration(world), paths["int8"])
    return paths


def main():
    parser = training.arguments(__doc__, Path(__file__).resolve().parent)
    with training.Run(parser, SEED) as run:
        rng = np.random.default_rng(SEED)
        rows = data.load("train", TRAIN, run.cache)
        tokenizer = wordpiece.learn(data.texts(rows[:VOCABULARY_WORLDS]), VOCABULARY, RARE, run.out / "vocab.txt")
        worlds, calibrated, unseen = (
            data.worlds(tokenizer, r)
            for r in (rows, data.load("calibration", CALIBRATION, run.cache), data.load("unseen", UNSEEN, run.cache))
        )
        run.say(f"{sum(len(w.passages) for w in worlds)} passages, {len(tokenizer.tokens)} tokens")
        encoder = make(len(tokenizer.tokens))
        export.write_fp32(encoder, "encoder", run.cache / "untrained.onnx")
        untrained = evaluate.Searcher(run.cache / "untrained.onnx")
        encoder = optimised(encoder, "encoder", encoder_batches(worlds, rng), encoder_loss)
        encoders = write(encoder, "encoder", calibrated[0], run.out)
        searcher = evaluate.Searcher(encoders["fp32"])
        run.say(f"encoder: {evaluate.measure(searcher.scores, unseen)['all']}")
        order = [evaluate.top(searcher.scores(w)) for w in worlds[:RERANKED]]
        reranker = optimised(
            make(len(tokenizer.tokens)), "reranker", reranker_batches(worlds[:RERANKED], order, rng), reranker_loss
        )
        run.trained(torch.nn.ModuleList([encoder, reranker]))
        rerankers = write(reranker, "reranker", calibrated[0], run.out)
        found, files = {}, []
        for precision, path in encoders.items():
            ranker = evaluate.Reranker(rerankers[precision])
            before, after = evaluate.measure(evaluate.Searcher(path).scores, unseen, ranker)
            found[precision] = {"encoder": before, "reranked": after}
            files.append(training.entry(path, precision, part="embedder", **{**ASKING, "models": HARNESS}))
            files.append(training.entry(rerankers[precision], precision, part="reranker", **ASKING))
        facts = {"stand_in": STAND_IN, "layers": LAYERS, "width": WIDTH, "inner": INNER}
        facts["parameters"] = training.parameters(encoder)
        facts |= {"vocabulary": len(tokenizer.tokens), "train_worlds": TRAIN, "calibration_worlds": CALIBRATION}
        facts |= {"unseen_worlds": UNSEEN, "lookups": sum(len(w.queries) for w in unseen)}
        facts |= {"found": found, "floors": evaluate.floors(unseen)}
        facts["floors"]["untrained"] = evaluate.measure(untrained.scores, unseen)
        run.write_card(facts, files)


if __name__ == "__main__":
    main()
