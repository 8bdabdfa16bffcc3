"""Translates with the embedded model in PyTorch, as GNMT's reference searches: sentences in batches in their order,
each batch until all its beams have ended or twice its longest source has been reached. It prints sentences per second.

    python evaluate.py --pieces pieces.en [--batch 32] [--threads 1] [--out words.de]

pieces.en is what is written of words.en (`go run ./cmd/synthetic-export translation -set eval -out DIR` in datasets/)
by

    subword-nmt apply-bpe -c bpe.codes < words.en > pieces.en
"""
import argparse
import pathlib
import time

import numpy as np
import onnx
import torch
from onnx import numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
START, END = 1, 2


def weights(name):
    """The float32 constants of a graph of graphs.py, in the order in which it makes them."""
    graph = onnx.load(HERE / name).graph
    arrays = (numpy_helper.to_array(c) for c in graph.initializer)
    return [torch.from_numpy(a.copy()) for a in arrays if a.dtype == np.float32 and a.size > 1]


def lstm(w, r, b):
    """torch.nn.LSTM of ONNX's weights, one or both directions."""
    directions, width = w.shape[0], r.shape[2]
    module = torch.nn.LSTM(w.shape[2], width, bidirectional=directions == 2, batch_first=True)
    order = lambda a: torch.cat([a.chunk(4)[k] for k in (0, 2, 3, 1)])  # i, o, f, c -> i, f, g, o
    for d, end in enumerate(("_l0", "_l0_reverse")[:directions]):
        module.get_parameter("weight_ih" + end).data = order(w[d])
        module.get_parameter("weight_hh" + end).data = order(r[d])
        module.get_parameter("bias_ih" + end).data = order(b[d, :4 * width])
        module.get_parameter("bias_hh" + end).data = order(b[d, 4 * width:])
    return module.eval()


class Encoder:
    def __init__(self):
        self.table, *rest, self.to_keys = weights("encoder_fp32.onnx")
        self.first, self.second = lstm(*rest[:3]), lstm(*rest[3:])

    def run(self, source, lengths):
        pack = lambda x: torch.nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        unpack = lambda x: torch.nn.utils.rnn.pad_packed_sequence(x, batch_first=True)[0]
        x, (h0, c0) = self.first(pack(self.table[source]))
        memory, (h1, c1) = self.second(x)
        memory = unpack(memory)
        return memory, memory @ self.to_keys, torch.stack([h0[1], h1[0]]), torch.stack([c0[1], c1[0]])


class Decoder:
    def __init__(self):
        (self.table, self.kernel0, self.bias0, self.query, self.b, self.v,
         self.kernel1, self.bias1, self.out) = weights("decoder_fp32.onnx")

    @staticmethod
    def cell(x, h, c, kernel, bias):
        i, j, f, o = torch.addmm(bias, torch.cat([x, h], 1), kernel).chunk(4, 1)
        c = c * torch.sigmoid(f) + torch.sigmoid(i) * torch.tanh(j)
        return torch.tanh(c) * torch.sigmoid(o), c

    def step(self, token, memory, keys, outside, context, h, c):
        y, c0 = self.cell(torch.cat([self.table[token], context], 1), h[0], c[0], self.kernel0, self.bias0)
        scores = (torch.tanh(keys + (y @ self.query + self.b)[:, None]) @ self.v)[..., 0]
        shares = torch.softmax(scores.masked_fill(outside, -torch.inf), 1)
        context = torch.bmm(shares[:, None], memory)[:, 0]
        top, c1 = self.cell(torch.cat([y, context], 1), h[1], c[1], self.kernel1, self.bias1)
        return top @ self.out, context, torch.stack([y, top]), torch.stack([c0, c1])


def search(encoder, decoder, sources, beams):
    """The ids of each sentence's first beam: TensorFlow's BeamSearchDecoder, length penalty 1."""
    n, lengths = len(sources), torch.tensor([len(s) for s in sources])
    source = torch.nn.utils.rnn.pad_sequence([torch.tensor(s) for s in sources], True, END)
    memory, keys, h, c = encoder.run(source, lengths)
    tile = lambda x, axis=0: x.repeat_interleave(beams, axis)
    memory, keys, h, c = tile(memory), tile(keys), tile(h, 1), tile(c, 1)
    outside = tile(torch.arange(memory.shape[1])[None] >= lengths[:, None])
    context, token = torch.zeros(n * beams, memory.shape[2]), torch.full((n * beams,), START)
    sums = torch.full((n, beams), -torch.inf)
    sums[:, 0] = 0
    ended = torch.ones(n, beams, dtype=torch.bool)
    ended[:, 0] = False
    size, steps = torch.zeros(n, beams), []
    frozen = torch.full((decoder.out.shape[1],), torch.finfo(torch.float32).min)
    frozen[END] = 0
    for _ in range(2 * int(lengths.max())):
        logits, context, h, c = decoder.step(token, memory, keys, outside, context, h, c)
        logs = torch.log_softmax(logits, 1).view(n, beams, -1)
        total = sums[:, :, None] + torch.where(ended[:, :, None], frozen, logs)
        count = (size + ~ended)[:, :, None].repeat(1, 1, total.shape[2])
        count[:, :, END] = size
        _, best = (total / ((5 + count) / 6)).view(n, -1).topk(beams)
        parent, word = best // total.shape[2], best % total.shape[2]
        sums = total.view(n, -1).gather(1, best)
        was = ended.gather(1, parent)
        size, ended = size.gather(1, parent) + ~was, was | (word == END)
        steps.append((word, parent))
        rows = (torch.arange(n)[:, None] * beams + parent).view(-1)
        token, context, h, c = word.view(-1), context[rows], h[:, rows], c[:, rows]
        if ended.all():
            break
    return trace(steps, n)


def trace(steps, n):
    beam, ids = torch.zeros(n, dtype=torch.long), []
    for word, parent in reversed(steps):
        ids.append(word.gather(1, beam[:, None])[:, 0])
        beam = parent.gather(1, beam[:, None])[:, 0]
    all = torch.stack(ids[::-1], 1).tolist()
    return [a[:a.index(END)] if END in a else a for a in all]


def main():
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--pieces", type=pathlib.Path, required=True)
    flags.add_argument("--batch", type=int, default=32)
    flags.add_argument("--beams", type=int, default=10)
    flags.add_argument("--count", type=int, default=600)
    flags.add_argument("--threads", type=int, default=1)
    flags.add_argument("--out", type=pathlib.Path)
    o = flags.parse_args()
    torch.set_num_threads(o.threads)
    numbers, words = [(HERE / f"vocab.bpe.{s}").read_text(encoding="utf-8").splitlines() for s in ("en", "de")]
    number = {p: i for i, p in enumerate(numbers)}
    lines = o.pieces.read_text(encoding="utf-8").splitlines()[:o.count]
    sources = [[number.get(p, 0) for p in line.split()] for line in lines]
    encoder, decoder, all = Encoder(), Decoder(), []
    with torch.inference_mode():
        search(encoder, decoder, sources[:o.batch], o.beams)
        begun, spent = time.perf_counter(), time.process_time()
        for k in range(0, len(sources), o.batch):
            all += search(encoder, decoder, sources[k:k + o.batch], o.beams)
        took, spent = time.perf_counter() - begun, time.process_time() - spent
    print(f"{len(all) / took:.1f} sentences/s, {len(all) / spent:.1f} by processor time")
    if o.out:
        text = (" ".join(words[i] for i in ids).replace("@@ ", "") for ids in all)
        o.out.write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
