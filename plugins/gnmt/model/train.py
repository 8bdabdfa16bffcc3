"""Trains the embedded model of the gnmt benchmark and writes its files, codes and vocabularies beside this script.

    pip install -r requirements.txt
    python train.py            # needs Go, and one CPU core

With --cache it may be stopped and started again: it goes on where it was, give or take 25 steps; the
card's minutes are those since the last start. The card's metrics are what `make cards` measures.
"""
import collections
import math
import random
from pathlib import Path

import graphs
import numpy as np
import onnx
import quantise
import torch
from embedded import synthetic, training
from subword_nmt.apply_bpe import BPE
from subword_nmt.learn_bpe import learn_bpe
from torch import nn

MERGES, WIDTH, BATCH, EPOCHS, RATE, DROPOUT = 1000, 96, 64, 18, 5e-3, 0.1
SAVE = 25  # steps
EVAL = 600  # pairs that `make cards` translates
SPECIAL = ["<unk>", "<s>", "</s>"]


def lines(path):
    return path.read_text(encoding="utf-8").splitlines()


def prepare(folder, out):
    """The training pairs as ids, with the codes and vocabularies that they were made with, which it writes to out."""
    words = synthetic.export("translation", "train", folder / "words")
    texts = {side: lines(words / f"words.{side}") for side in ("en", "de")}
    codes = out / "bpe.codes"
    with open(codes, "w", encoding="utf-8") as f:
        learn_bpe(iter(t + "\n" for side in texts.values() for t in side), f, MERGES)
    with open(codes, encoding="utf-8") as f:
        bpe = BPE(f)
    ids = []
    for side, text in texts.items():
        pieces = [bpe.process_line(t).split() for t in text]
        counts = collections.Counter(p for line in pieces for p in line)
        vocabulary = SPECIAL + [p for p, _ in sorted(counts.items(), key=lambda c: (-c[1], c[0]))]
        (out / f"vocab.bpe.{side}").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
        number = {p: i for i, p in enumerate(vocabulary)}
        ids.append([[number[p] for p in line] for line in pieces])
    return list(zip(*ids)), [len(lines(out / f"vocab.bpe.{side}")) for side in texts]


class Network(nn.Module):
    """The reference's network with 2 + 2 layers."""

    def __init__(self, sources, targets, width):
        super().__init__()
        self.source, self.target = nn.Embedding(sources, width), nn.Embedding(targets, width)
        self.first = nn.LSTM(width, width, bidirectional=True, batch_first=True)
        self.second = nn.LSTM(2 * width, width, batch_first=True)
        self.keys = nn.Linear(width, width, bias=False)
        self.query = nn.Linear(width, width, bias=False)
        self.v, self.g = nn.Parameter(torch.randn(width)), nn.Parameter(torch.tensor(width ** -0.5))
        self.b = nn.Parameter(torch.zeros(width))
        self.cell = nn.LSTMCell(2 * width, width)
        self.top = nn.LSTM(2 * width, width, batch_first=True)
        self.out = nn.Linear(width, targets, bias=False)
        self.drop = nn.Dropout(DROPOUT)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.uniform_(p, -0.1, 0.1)
        for module in (self.first, self.second, self.cell, self.top):
            for name, p in module.named_parameters():
                if "bias" in name:
                    nn.init.zeros_(p)
                if "bias_ih" in name:
                    nn.init.ones_(p.data[width:2 * width])

    def forward(self, source, lengths, target):
        pack = lambda x: nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        x, (h0, c0) = self.first(pack(self.drop(self.source(source))))
        x, _ = nn.utils.rnn.pad_packed_sequence(x, batch_first=True)
        x, (h1, c1) = self.second(pack(self.drop(x)))
        memory, _ = nn.utils.rnn.pad_packed_sequence(x, batch_first=True)
        keys, v = self.keys(memory) + self.b, self.g * self.v / self.v.norm()
        outside = torch.arange(memory.shape[1])[None] >= lengths[:, None]
        embedded = self.drop(self.target(target))
        h, c, context, ys, contexts = h0[1], c0[1], torch.zeros_like(h0[1]), [], []
        for t in range(target.shape[1]):
            h, c = self.cell(torch.cat([embedded[:, t], context], 1), (h, c))
            scores = torch.tanh(keys + self.query(h)[:, None]) @ v
            shares = torch.softmax(scores.masked_fill(outside, -math.inf), 1)
            context = torch.bmm(shares[:, None], memory)[:, 0]
            ys.append(h)
            contexts.append(context)
        y = torch.cat([torch.stack(ys, 1), torch.stack(contexts, 1)], 2)
        y, _ = self.top(self.drop(y), (h1, c1))
        return self.out(self.drop(y))

    def weights(self):
        """Under the names and in the layouts of GNMT's checkpoint."""
        array = lambda t: t.detach().numpy()
        at = "decoder/multi_rnn_cell/cell_0_attention/attention/"
        all = {
            "embeddings/encoder/embedding_encoder": array(self.source.weight),
            "embeddings/decoder/embedding_decoder": array(self.target.weight),
            "decoder/memory_layer/kernel": array(self.keys.weight).T,
            "decoder/output_projection/kernel": array(self.out.weight).T,
            at + "bahdanau_attention/query_layer/kernel": array(self.query.weight).T,
            at + "bahdanau_attention/attention_v": array(self.v),
            at + "bahdanau_attention/attention_g": array(self.g),
            at + "bahdanau_attention/attention_b": array(self.b),
        }
        for name, module, end in (
                ("encoder/bidirectional_rnn/fw", self.first, "_l0"),
                ("encoder/bidirectional_rnn/bw", self.first, "_l0_reverse"), ("encoder/rnn", self.second, "_l0"),
                (at[:-1], self.cell, ""), ("decoder/multi_rnn_cell/cell_1", self.top, "_l0")):
            p = {k: array(getattr(module, k + end)) for k in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")}
            order = lambda a: np.concatenate([np.split(a, 4)[k] for k in (0, 2, 1, 3)])  # i, f, j, o -> i, j, f, o
            bias = order(p["bias_ih"] + p["bias_hh"])
            bias[2 * WIDTH : 3 * WIDTH] -= 1
            all[name + "/basic_lstm_cell/kernel"] = np.concatenate(
                [order(p["weight_ih"]).T, order(p["weight_hh"]).T])
            all[name + "/basic_lstm_cell/bias"] = bias
        return all


def batches(pairs, chance):
    """Pairs of like length together, in random order."""
    order = sorted(range(len(pairs)), key=lambda i: len(pairs[i][0]) + 2 * chance.random())
    cut = [order[i:i + BATCH] for i in range(0, len(order), BATCH)]
    chance.shuffle(cut)
    for part in cut:
        source, target = zip(*(pairs[i] for i in part))
        pad = lambda all: nn.utils.rnn.pad_sequence([torch.tensor(a) for a in all], True, 2)
        lengths = torch.tensor([len(s) for s in source])
        mask = pad([[1] * (len(t) + 1) for t in target]) == 1
        yield pad(source), lengths, pad([[1] + t for t in target]), pad([t + [2] for t in target]), mask


class Kept:
    """The state of a training in a file: the epoch, the batches of it that are done, and what has a state_dict."""

    def __init__(self, path, *parts):
        self.path, self.parts = path, parts
        self.epoch, self.done = 0, 0
        if path.exists():
            self.epoch, self.done, *states = torch.load(path)
            for part, state in zip(parts, states):
                part.load_state_dict(state)

    def keep(self, epoch, done):
        torch.save([epoch, done, *(part.state_dict() for part in self.parts)], self.path)


def train(pairs, sizes, state):
    net = Network(*sizes, WIDTH)
    optimiser = torch.optim.Adam(net.parameters(), RATE, betas=(0.9, 0.98))
    count = math.ceil(len(pairs) / BATCH)
    steps = EPOCHS * count
    plan = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda s: min(1, (s + 1) / 100, (steps - s) / (0.5 * steps)))
    learn, kept = training.Steps(optimiser, plan, 1, every=count), Kept(state, net, optimiser, plan)
    for epoch in range(kept.epoch, EPOCHS):
        for at, (source, lengths, given, wanted, mask) in enumerate(batches(pairs, random.Random(epoch))):
            if epoch == kept.epoch and at < kept.done:
                continue
            torch.manual_seed(steps * epoch + at)
            logits = net(source, lengths, given)
            learn(nn.functional.cross_entropy(logits[mask], wanted[mask], label_smoothing=0.05))
            if at % SAVE == SAVE - 1:
                kept.keep(epoch, at + 1)
        kept.keep(epoch + 1, 0)
    return net


def main():
    with training.Run(training.arguments(__doc__, Path(__file__).resolve().parent), 1) as run:
        pairs, sizes = prepare(run.cache, run.out)
        run.say(f"{len(pairs)} pairs, {sizes} tokens, {np.mean([len(s) + len(t) for s, t in pairs]) / 2:.1f} a line")
        net = run.trained(train(pairs, sizes, run.cache / "state.pt"))
        weights, files = net.weights(), []
        for part, model in (("encoder", graphs.encoder(weights)), ("decoder", graphs.decoder(weights))):
            for precision, graph in (("fp32", model), ("int8", quantise.weights(model))):
                path = run.out / f"{part}_{precision}.onnx"
                onnx.save(graph, path)
                files.append(training.entry(path, precision, ("BLEU", "", 0), ("sacreBLEU", "", 0), part=part))
        facts = {"parameters": training.parameters(net), "train_pairs": len(pairs), "eval_pairs": EVAL}
        run.write_card(facts | {"merges": MERGES}, files)


if __name__ == "__main__":
    main()
