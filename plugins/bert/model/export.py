"""Writes the network as ONNX files with the tensors of the official FP32 file, but free N and S."""

import math

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static

from network import FAR, HEADS, LAYERS, MASKED, WIDTH

INPUTS = ("input_ids", "input_mask", "segment_ids")
OUTPUTS = ("output_start_logits", "output_end_logits")
OPSET, IR_VERSION = 17, 8
EPSILON = 1e-5  # of nn.LayerNorm
INTEGERS = {"zero": 0, "one_integer": 1, "far_before": -FAR, "far_behind": FAR, "axis_0": [0], "axis_1": [1]}


class Graph:
    """Collects nodes and weights. Each method adds what its name says, and returns the name of the result."""

    def __init__(self):
        self.nodes, self.weights, self.dense = [], [], []

    def weight(self, name, value):
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, op, inputs, output, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [output], output, **attributes))
        return output

    def linear(self, name, x, weight, bias):
        """A layer that is quantised: weight is in,out."""
        y = self.node("MatMul", [x, self.weight(name + ".weight", weight)], name + "/product")
        self.dense.append(y)
        return self.node("Add", [y, self.weight(name + ".bias", bias)], name)

    def norm(self, name, x, module):
        scale, bias = array(module.weight), array(module.bias)
        inputs = [x, self.weight(name + ".scale", scale), self.weight(name + ".bias", bias)]
        return self.node("LayerNormalization", inputs, name, axis=-1, epsilon=EPSILON)

    def embed(self, network):
        words = self.node("Gather", [self.weight("words", array(network.words.weight)), INPUTS[0]], "embed/words")
        segments = self.node("Gather", [self.weight("segments", array(network.segments.weight)), INPUTS[2]], "embed/segments")
        return self.norm("embed", self.node("Add", [words, segments], "embed/sum"), network.norm)

    def biases(self, network):
        """What distance adds to the attention, for each layer: HEADS,S,S."""
        scalars = {name: self.weight(name, np.array(value, np.int64)) for name, value in INTEGERS.items()}
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
        self.nodes.append(helper.make_node("Split", [turned, split], parts, "bias/split", axis=0))
        return parts

    def mask(self):
        """0 for tokens and MASKED for padding, of N,1,1,S."""
        present = self.node("Cast", [INPUTS[1]], "mask/present", to=TensorProto.FLOAT)
        padding = self.node("Sub", [self.weight("one", np.float32(1)), present], "mask/padding")
        rows = self.node("Mul", [padding, self.weight("masked", np.float32(MASKED))], "mask/rows")
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
        self.nodes.append(helper.make_node("Split", [x, "thirds"], qkv, name + "/split", axis=-1))
        q = self.split_heads(name + "/q", qkv[0], 0, 2, 1, 3)
        k = self.split_heads(name + "/k", qkv[1], 0, 2, 3, 1)
        v = self.split_heads(name + "/v", qkv[2], 0, 2, 1, 3)
        scores = self.node("Add", [self.node("MatMul", [q, k], name + "/scores"), bias], name + "/near")
        scores = self.node("Add", [scores, mask], name + "/masked")
        y = self.node("MatMul", [self.node("Softmax", [scores], name + "/weights", axis=-1), v], name + "/mixed")
        y = self.node("Transpose", [y], name + "/turned", perm=[0, 2, 1, 3])
        y = self.node("Reshape", [y, "flat_shape"], name + "/flat")
        return self.linear(name + "/output", y, array(module.output.weight).T, array(module.output.bias))

    def gelu(self, name, x):
        y = self.node("Erf", [self.node("Div", [x, "root_two"], name + "/scaled")], name + "/erf")
        y = self.node("Mul", [x, self.node("Add", [y, "one"], name + "/plus_one")], name + "/product")
        return self.node("Mul", [y, "half"], name)

    def layer(self, name, x, mask, bias, module):
        y = self.attention(name + "/attention", x, mask, bias, module.attention)
        x = self.norm(name + "/norm1", self.node("Add", [x, y], name + "/sum1"), module.norm1)
        y = self.linear(name + "/wide", x, array(module.wide.weight).T, array(module.wide.bias))
        y = self.gelu(name + "/gelu", y)
        y = self.linear(name + "/narrow", y, array(module.narrow.weight).T, array(module.narrow.bias))
        return self.norm(name + "/norm2", self.node("Add", [x, y], name + "/sum2"), module.norm2)

    def head(self, x, linear):
        x = self.node("MatMul", [x, self.weight("head.weight", array(linear.weight).T)], "head/product")
        x = self.node("Add", [x, self.weight("head.bias", array(linear.bias))], "head")
        self.nodes.append(helper.make_node("Split", [x], ["head/start", "head/end"], "head/split", axis=-1))
        last = self.weight("last_axis", np.array([-1], np.int64))
        for part, output in zip(("head/start", "head/end"), OUTPUTS):
            self.node("Squeeze", [part, last], output)


def array(parameter):
    return parameter.detach().numpy().astype(np.float32)


def write_fp32(network, path):
    """Writes the file, and returns the names of the nodes to quantise."""
    graph = Graph()
    graph.weight("head_shape", np.array([0, 0, HEADS, WIDTH // HEADS], np.int64))
    graph.weight("flat_shape", np.array([0, 0, WIDTH], np.int64))
    graph.weight("thirds", np.array([WIDTH] * 3, np.int64))
    graph.weight("root_two", np.float32(math.sqrt(2)))
    graph.weight("half", np.float32(0.5))
    mask = graph.mask()
    x = graph.embed(network)
    for i, (layer, bias) in enumerate(zip(network.layers, graph.biases(network))):
        x = graph.layer(f"layer{i}", x, mask, bias, layer)
    graph.head(x, network.head)
    onnx.save(model_of(graph), path)
    return graph.dense


def model_of(graph):
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["N", "S"]) for name in INPUTS]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", "S"]) for name in OUTPUTS]
    body = helper.make_graph(graph.nodes, "plumbline-bert", inputs, outputs, graph.weights)
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="plumbline")
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model, full_check=True)
    return model


class Calibration(CalibrationDataReader):
    """Feeds the calibration features: each batch is the three inputs."""

    def __init__(self, batches):
        self.batches = iter(batches)

    def get_next(self):
        batch = next(self.batches, None)
        return None if batch is None else dict(zip(INPUTS, batch))


def write_int8(fp32, dense, batches, path):
    """Quantises the layers with weights statically: UInt8 activations from the ranges of the calibration features, Int8 weights
    per channel. Ranges that do not depend on the batch keep an answer the same whatever it is padded and batched with.

    Weights keep seven bits: processors without VNNI add pairs of products in 16 bits, which eight bits overflow, and the answers
    would depend on the processor.
    """
    quantize_static(
        fp32,
        path,
        Calibration(batches),
        quant_format=QuantFormat.QDQ,
        op_types_to_quantize=["MatMul"],
        nodes_to_quantize=dense,
        per_channel=True,
        reduce_range=True,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
        calibrate_method=CalibrationMethod.MinMax,
    )
