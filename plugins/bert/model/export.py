"""Writes the network as ONNX files with the tensors of the official FP32 file, but free N and S."""

import math

import numpy as np
import onnx
from embedded import int8, onnxgraph
from embedded.onnxgraph import array, floats, ints
from network import FAR, HEADS, LAYERS, MASKED, WIDTH
from onnx import TensorProto

INPUTS = ("input_ids", "input_mask", "segment_ids")
OUTPUTS = ("output_start_logits", "output_end_logits")
OPSET = 17
INTEGERS = {"zero": 0, "one_integer": 1, "far_before": -FAR, "far_behind": FAR, "axis_0": 0, "axis_1": 1}


class Graph(onnxgraph.Graph):
    def layer_norm(self, name, x, module):
        return self.norm(name, x, array(module.weight), array(module.bias))

    def embed(self, network):
        parts = []
        for name, module, ids in (("words", network.words, INPUTS[0]), ("segments", network.segments, INPUTS[2])):
            parts.append(self.node("Gather", [self.weight(name, array(module.weight)), ids], "embed/" + name))
        return self.layer_norm("embed", self.node("Add", parts, "embed/sum"), network.norm)

    def biases(self, network):
        """What distance adds to the attention, for each layer: HEADS,S,S."""
        scalars = {name: self.weight(name, np.array([value], np.int64)) for name, value in INTEGERS.items()}
        shape = self.node("Shape", [INPUTS[0]], "bias/shape")
        size = self.node("Gather", [shape, scalars["one_integer"]], "bias/size")
        place = self.node("Range", [scalars["zero"], size, scalars["one_integer"]], "bias/place")
        row = self.node("Unsqueeze", [place, scalars["axis_0"]], "bias/row")
        column = self.node("Unsqueeze", [place, scalars["axis_1"]], "bias/column")
        distance = self.node("Sub", [row, column], "bias/distance")
        near = self.node("Clip", [distance, scalars["far_before"], scalars["far_behind"]], "bias/near")
        index = self.node("Add", [near, scalars["far_behind"]], "bias/index")
        table = self.weight("distances", array(network.distances))
        values = self.node("Gather", [table, index], "bias/values")
        parts = [f"bias/layer{i}" for i in range(LAYERS)]
        turned = self.node("Transpose", [values], "bias", perm=[2, 0, 1])
        split = self.weight("bias_split", np.array([HEADS] * LAYERS, np.int64))
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
        scale = 1 / math.sqrt(WIDTH // HEADS)  # folded into the queries
        weights = [array(p.weight).T * s for p, s in zip(parts, (scale, 1, 1))]
        biases = [array(p.bias) * s for p, s in zip(parts, (scale, 1, 1))]
        x = self.linear(name + "/qkv", x, np.concatenate(weights, 1), np.concatenate(biases))
        qkv = [name + "/q0", name + "/k0", name + "/v0"]
        self.node("Split", [x, "thirds"], qkv, name + "/split", axis=-1)
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

    def ends(self, x, outputs):
        """The two columns of x N,S,2."""
        self.node("Split", [x], ["head/start", "head/end"], "head/split", axis=-1)
        last = self.weight("last_axis", np.array([-1], np.int64))
        for part, output in zip(("head/start", "head/end"), outputs):
            self.node("Squeeze", [part, last], output)


def write_fp32(network, path):
    """Writes the file, and returns the names of the nodes to quantise."""
    graph = Graph()
    graph.weight("head_shape", np.array([0, 0, HEADS, WIDTH // HEADS], np.int64))
    graph.weight("flat_shape", np.array([0, 0, WIDTH], np.int64))
    graph.weight("thirds", np.array([WIDTH] * 3, np.int64))
    graph.weight("root_two", np.array([math.sqrt(2)], np.float32))
    graph.weight("half", np.array([0.5], np.float32))
    mask = graph.mask(INPUTS[1])
    x = graph.embed(network)
    for i, (layer, bias) in enumerate(zip(network.layers, graph.biases(network))):
        x = graph.layer(f"layer{i}", x, mask, bias, layer)
    x = graph.node("MatMul", [x, graph.weight("head.weight", array(network.head.weight).T)], "head/product")
    graph.ends(graph.node("Add", [x, graph.weight("head.bias", array(network.head.bias))], "head"), OUTPUTS)
    inputs, outputs = [ints(name, "N", "S") for name in INPUTS], [floats(name, "N", "S") for name in OUTPUTS]
    onnx.save(graph.model("plumbline-bert", inputs, outputs, OPSET), path)
    return graph.dense


def write_int8(fp32, dense, batches, path):
    """Quantises the layers with weights, with the ranges of the calibration batches."""
    int8.static(fp32, path, (dict(zip(INPUTS, batch)) for batch in batches), ["MatMul"], only=dense)
