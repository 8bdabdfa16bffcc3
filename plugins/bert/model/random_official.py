"""Writes a BERT with random weights and the tensors of an official ONNX file, to try the benchmark at full size without a download.

    python random_official.py --size base --tensors fp32 --out bert_base.onnx
    harness run bert-99 --model bert_base.onnx --mode accuracy

Its answers are noise, its work is that of the real one: --size large has the 334 million parameters of the benchmark's model.
"""

import argparse
import math

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SIZES = {"tiny": (2, 128, 2), "base": (12, 768, 12), "large": (24, 1024, 16)}  # layers, width, heads
TENSORS = {
    "fp32": (("input_ids", "input_mask", "segment_ids"), ("output_start_logits", "output_end_logits")),
    "int8": (("input_ids", "attention_mask", "token_type_ids"), ("1657", "1658")),
}
VOCABULARY, POSITIONS, OPSET, IR_VERSION = 30522, 512, 17, 8


class Graph:
    """Collects nodes and random weights; each method returns the name of its result."""

    def __init__(self, heads, width, seed):
        self.rng = np.random.default_rng(seed)
        self.heads, self.width, self.nodes, self.weights = heads, width, [], []

    def constant(self, name, value):
        self.weights.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def random(self, name, *shape):
        return self.constant(name, self.rng.normal(0, 0.02, shape).astype(np.float32))

    def node(self, op, inputs, output, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [output], output, **attributes))
        return output

    def linear(self, name, x, rows, columns):
        y = self.node("MatMul", [x, self.random(name + ".weight", rows, columns)], name + "/product")
        return self.node("Add", [y, self.random(name + ".bias", columns)], name)

    def norm(self, name, x, y):
        ones, zeros = np.ones(self.width, np.float32), np.zeros(self.width, np.float32)
        inputs = [self.node("Add", [x, y], name + "/sum"), self.constant(name + ".scale", ones), self.constant(name + ".bias", zeros)]
        return self.node("LayerNormalization", inputs, name, axis=-1, epsilon=1e-12)

    def embed(self, ids, segments):
        words = self.node("Gather", [self.random("words", VOCABULARY, self.width), ids], "embed/words")
        kinds = self.node("Gather", [self.random("segments", 2, self.width), segments], "embed/segments")
        size = self.node("Shape", [ids], "embed/length", start=1, end=2)
        table = self.random("positions", POSITIONS, self.width)
        first, axis = self.constant("first", np.array([0])), self.constant("axis", np.array([0]))
        places = self.node("Slice", [table, first, size, axis], "embed/positions")
        return self.norm("embed", self.node("Add", [words, kinds], "embed/words_and_segments"), places)

    def mask(self, mask):
        present = self.node("Cast", [mask], "mask/present", to=TensorProto.FLOAT)
        padding = self.node("Sub", [self.constant("one", np.float32(1)), present], "mask/padding")
        rows = self.node("Mul", [padding, self.constant("masked", np.float32(-10000))], "mask/rows")
        return self.node("Unsqueeze", [rows, self.constant("mask_axes", np.array([1, 2]))], "mask")

    def heads_of(self, name, x, order):
        x = self.node("Reshape", [self.linear(name, x, self.width, self.width), "head_shape"], name + "/heads")
        return self.node("Transpose", [x], name + "/turned", perm=order)

    def attention(self, name, x, mask):
        q, v = self.heads_of(name + "/query", x, [0, 2, 1, 3]), self.heads_of(name + "/value", x, [0, 2, 1, 3])
        scores = self.node("MatMul", [q, self.heads_of(name + "/key", x, [0, 2, 3, 1])], name + "/scores")
        scores = self.node("Add", [self.node("Div", [scores, "root"], name + "/scaled"), mask], name + "/masked")
        y = self.node("MatMul", [self.node("Softmax", [scores], name + "/weights", axis=-1), v], name + "/mixed")
        y = self.node("Reshape", [self.node("Transpose", [y], name + "/back", perm=[0, 2, 1, 3]), "flat_shape"], name + "/flat")
        return self.linear(name, y, self.width, self.width)

    def layer(self, name, x, mask):
        x = self.norm(name + "/norm1", x, self.attention(name + "/attention", x, mask))
        y = self.linear(name + "/wide", x, self.width, 4 * self.width)
        z = self.node("Erf", [self.node("Div", [y, "root_two"], name + "/erf_in")], name + "/erf")
        z = self.node("Mul", [self.node("Mul", [y, "half"], name + "/half"), self.node("Add", [z, "one"], name + "/plus")], name + "/gelu")
        return self.norm(name + "/norm2", x, self.linear(name + "/narrow", z, 4 * self.width, self.width))

    def head(self, x, outputs):
        x = self.linear("head", x, self.width, 2)
        self.nodes.append(helper.make_node("Split", [x], ["start", "end"], "head/split", axis=-1))
        for part, output in zip(("start", "end"), outputs):
            self.node("Squeeze", [part, self.constant("last_of_" + part, np.array([-1]))], output)


def build(size, tensors, length, seed):
    layers, width, heads = SIZES[size]
    inputs, outputs = TENSORS[tensors]
    graph = Graph(heads, width, seed)
    graph.constant("head_shape", np.array([0, 0, heads, width // heads]))
    graph.constant("flat_shape", np.array([0, 0, width]))
    graph.constant("root", np.float32(math.sqrt(width // heads)))
    graph.constant("root_two", np.float32(math.sqrt(2)))
    graph.constant("half", np.float32(0.5))
    mask, x = graph.mask(inputs[1]), graph.embed(inputs[0], inputs[2])
    for i in range(layers):
        x = graph.layer(f"layer{i}", x, mask)
    graph.head(x, outputs)
    shape = ["N", length or "S"]
    body = helper.make_graph(
        graph.nodes,
        "random-bert",
        [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in inputs],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in outputs],
        graph.weights,
    )
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="plumbline")
    model.ir_version = IR_VERSION
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", choices=SIZES, default="tiny")
    parser.add_argument("--tensors", choices=TENSORS, default="fp32", help="whose names: the official FP32 or INT8 file's")
    parser.add_argument("--length", type=int, default=384, help="positions of a feature; 0: free")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    onnx.save(build(options.size, options.tensors, options.length, options.seed), options.out)


if __name__ == "__main__":
    main()
