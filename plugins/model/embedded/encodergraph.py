"""Small encoders of BERT's family as ONNX files, whose batch and length are free."""

import math

import numpy as np
from onnx import TensorProto

from embedded import onnxgraph
from embedded.encoder import MASKED
from embedded.onnxgraph import array

OPSET = 17


class Graph(onnxgraph.Graph):
    """inputs are the names of ids, mask and segments."""

    def __init__(self, sizes, inputs):
        super().__init__()
        self.sizes, self.inputs = sizes, inputs
        self.weight("head_shape", np.array([0, 0, sizes.heads, sizes.width // sizes.heads], np.int64))
        self.weight("flat_shape", np.array([0, 0, sizes.width], np.int64))

    def encoder(self, network):
        """What the last layer says."""
        mask = self.mask(self.inputs[1])
        x = self.embed(network)
        for i, (layer, bias) in enumerate(zip(network.layers, self.biases(network))):
            x = self.layer(f"layer{i}", x, mask, bias, layer)
        return x

    def layer_norm(self, name, x, module):
        return self.norm(name, x, array(module.weight), array(module.bias))

    def embed(self, network):
        parts = []
        tables = ("words", network.words, self.inputs[0]), ("segments", network.segments, self.inputs[2])
        for name, module, ids in tables:
            parts.append(self.node("Gather", [self.weight(name, array(module.weight)), ids], "embed/" + name))
        return self.layer_norm("embed", self.node("Add", parts, "embed/sum"), network.norm)

    def integers(self):
        far = self.sizes.far
        return {"zero": 0, "one_integer": 1, "far_before": -far, "far_behind": far, "axis_0": 0, "axis_1": 1}

    def biases(self, network):
        """What distance adds to the attention, for each layer: heads,S,S."""
        scalars = {name: self.weight(name, np.array([value], np.int64)) for name, value in self.integers().items()}
        shape = self.node("Shape", [self.inputs[0]], "bias/shape")
        size = self.node("Gather", [shape, scalars["one_integer"]], "bias/size")
        place = self.node("Range", [scalars["zero"], size, scalars["one_integer"]], "bias/place")
        row = self.node("Unsqueeze", [place, scalars["axis_0"]], "bias/row")
        column = self.node("Unsqueeze", [place, scalars["axis_1"]], "bias/column")
        distance = self.node("Sub", [row, column], "bias/distance")
        near = self.node("Clip", [distance, scalars["far_before"], scalars["far_behind"]], "bias/near")
        index = self.node("Add", [near, scalars["far_behind"]], "bias/index")
        table = self.weight("distances", array(network.distances))
        values = self.node("Gather", [table, index], "bias/values")
        parts = [f"bias/layer{i}" for i in range(self.sizes.layers)]
        turned = self.node("Transpose", [values], "bias", perm=[2, 0, 1])
        split = self.weight("bias_split", np.array([self.sizes.heads] * self.sizes.layers, np.int64))
        return self.node("Split", [turned, split], parts, "bias/split", axis=0)

    def mask(self, present):
        """0 for tokens and MASKED for padding, of N,1,1,S, where an input of N,S has 1 and 0."""
        present = self.node("Cast", [present], "mask/present", to=TensorProto.FLOAT)
        padding = self.node("Sub", [self.weight("one", np.array([1], np.float32)), present], "mask/padding")
        rows = self.node("Mul", [padding, self.weight("masked", np.array([MASKED], np.float32))], "mask/rows")
        return self.node("Unsqueeze", [rows, self.weight("mask_axes", np.array([1, 2], np.int64))], "mask")

    def split_heads(self, name, x, *order):
        x = self.node("Reshape", [x, "head_shape"], name + "/heads")
        return self.node("Transpose", [x], name, perm=order)

    def attention(self, name, x, mask, bias, module):
        parts = (module.query, module.key, module.value)
        scale = 1 / math.sqrt(self.sizes.width // self.sizes.heads)  # folded into the queries
        weights = [array(p.weight).T * s for p, s in zip(parts, (scale, 1, 1))]
        biases = [array(p.bias) * s for p, s in zip(parts, (scale, 1, 1))]
        x = self.linear(name + "/qkv", x, np.concatenate(weights, 1), np.concatenate(biases))
        qkv = [name + "/q0", name + "/k0", name + "/v0"]
        self.node("Split", [x, self.ints(*[self.sizes.width] * 3)], qkv, name + "/split", axis=-1)
        q = self.split_heads(name + "/q", qkv[0], 0, 2, 1, 3)
        k = self.split_heads(name + "/k", qkv[1], 0, 2, 3, 1)
        v = self.split_heads(name + "/v", qkv[2], 0, 2, 1, 3)
        scores = self.node("Add", [self.node("MatMul", [q, k], name + "/scores"), bias], name + "/near")
        scores = self.node("Add", [scores, mask], name + "/masked")
        y = self.node("MatMul", [self.node("Softmax", [scores], name + "/weights", axis=-1), v], name + "/mixed")
        y = self.node("Transpose", [y], name + "/turned", perm=[0, 2, 1, 3])
        y = self.node("Reshape", [y, "flat_shape"], name + "/flat")
        return self.linear(name + "/output", y, array(module.output.weight).T, array(module.output.bias))

    def layer(self, name, x, mask, bias, module):
        y = self.attention(name + "/attention", x, mask, bias, module.attention)
        x = self.layer_norm(name + "/norm1", self.node("Add", [x, y], name + "/sum1"), module.norm1)
        y = self.linear(name + "/wide", x, array(module.wide.weight).T, array(module.wide.bias))
        y = self.gelu(name + "/gelu", y)
        y = self.linear(name + "/narrow", y, array(module.narrow.weight).T, array(module.narrow.bias))
        return self.layer_norm(name + "/norm2", self.node("Add", [x, y], name + "/sum2"), module.norm2)
