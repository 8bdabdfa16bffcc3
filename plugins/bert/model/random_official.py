"""Writes a BERT with random weights and the tensors of an official ONNX file, to try the benchmark at full size.

    python random_official.py --size base --tensors fp32 --out bert_base.onnx
    harness run bert-99 --model bert_base.onnx --mode accuracy

Its answers are noise, its work is that of the real one: --size large has the 334 million parameters of the benchmark's
model.
"""

import argparse
import math

import export
import numpy as np
import onnx
from embedded import encodergraph
from embedded.encoder import Sizes
from embedded.onnxgraph import floats, ints

SIZES = {"tiny": (2, 128, 2), "base": (12, 768, 12), "large": (24, 1024, 16)}  # layers, width, heads
TENSORS = {
    "fp32": (("input_ids", "input_mask", "segment_ids"), ("output_start_logits", "output_end_logits")),
    "int8": (("input_ids", "attention_mask", "token_type_ids"), ("1657", "1658")),
}
VOCABULARY, POSITIONS = 30522, 512


class Graph(export.Graph):
    """A graph of random weights."""

    def __init__(self, sizes, inputs, seed):
        super().__init__(sizes, inputs)
        self.rng, self.width = np.random.default_rng(seed), sizes.width

    def draw(self, *shape):
        return self.rng.normal(0, 0.02, shape).astype(np.float32)

    def dense_layer(self, name, x, rows, columns):
        return self.linear(name, x, self.draw(rows, columns), self.draw(columns))

    def sum_norm(self, name, x, y):
        ones, zeros = np.ones(self.width, np.float32), np.zeros(self.width, np.float32)
        return self.norm(name, self.node("Add", [x, y], name + "/sum"), ones, zeros, 1e-12)

    def embed_texts(self, ids, segments):
        words = self.node("Gather", [self.weight("words", self.draw(VOCABULARY, self.width)), ids], "embed/words")
        kinds = self.node("Gather", [self.weight("segments", self.draw(2, self.width)), segments], "embed/segments")
        size = self.node("Shape", [ids], "embed/length", start=1, end=2)
        table = self.weight("positions", self.draw(POSITIONS, self.width))
        zero = self.ints(0)
        places = self.node("Slice", [table, zero, size, zero], "embed/positions")
        return self.sum_norm("embed", self.node("Add", [words, kinds], "embed/words_and_segments"), places)

    def heads_of(self, name, x, order):
        x = self.node("Reshape", [self.dense_layer(name, x, self.width, self.width), "head_shape"], name + "/heads")
        return self.node("Transpose", [x], name + "/turned", perm=order)

    def attend(self, name, x, mask):
        q, v = self.heads_of(name + "/query", x, [0, 2, 1, 3]), self.heads_of(name + "/value", x, [0, 2, 1, 3])
        scores = self.node("MatMul", [q, self.heads_of(name + "/key", x, [0, 2, 3, 1])], name + "/scores")
        scores = self.node("Add", [self.node("Div", [scores, "root"], name + "/scaled"), mask], name + "/masked")
        y = self.node("MatMul", [self.node("Softmax", [scores], name + "/weights", axis=-1), v], name + "/mixed")
        y = self.node("Transpose", [y], name + "/back", perm=[0, 2, 1, 3])
        y = self.node("Reshape", [y, "flat_shape"], name + "/flat")
        return self.dense_layer(name, y, self.width, self.width)

    def block(self, name, x, mask):
        x = self.sum_norm(name + "/norm1", x, self.attend(name + "/attention", x, mask))
        y = self.dense_layer(name + "/wide", x, self.width, 4 * self.width)
        y = self.dense_layer(name + "/narrow", self.gelu(name + "/gelu", y), 4 * self.width, self.width)
        return self.sum_norm(name + "/norm2", x, y)


def build(size, tensors, length, seed):
    layers, width, heads = SIZES[size]
    inputs, outputs = TENSORS[tensors]
    graph = Graph(Sizes(VOCABULARY, layers, width, heads, 4 * width), inputs, seed)
    graph.weight("root", np.float32(math.sqrt(width // heads)))
    mask, x = graph.mask(inputs[1]), graph.embed_texts(inputs[0], inputs[2])
    for i in range(layers):
        x = graph.block(f"layer{i}", x, mask)
    graph.ends(graph.dense_layer("head", x, width, 2), outputs)
    inputs = [ints(name, "N", length or "S") for name in inputs]
    outputs = [floats(name, "N", length or "S") for name in outputs]
    return graph.model("random-bert", inputs, outputs, encodergraph.OPSET, check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", choices=SIZES, default="tiny")
    parser.add_argument("--tensors", choices=TENSORS, default="fp32", help="named as the official FP32 or INT8 file's")
    parser.add_argument("--length", type=int, default=384, help="positions of a feature; 0: free")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    onnx.save(build(options.size, options.tensors, options.length, options.seed), options.out)


if __name__ == "__main__":
    main()
