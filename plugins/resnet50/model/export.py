"""The network as ONNX files with the interface of the official resnet50_v1.onnx, in FP32 and in INT8."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static

from data import model_input
from network import PIXEL_SCALE

INPUT, ARGMAX, SOFTMAX = "input_tensor:0", "ArgMax:0", "softmax_tensor:0"
OPSET, IR_VERSION = 13, 8
# What is quantised: all of the network up to the logits.
QUANTISED = ["Conv", "Relu", "Add", "MaxPool", "GlobalAveragePool", "Gemm"]


class Graph:
    """A graph that grows node by node; each method returns the name of its result."""

    def __init__(self):
        self.nodes, self.weights = [], []

    def weight(self, name, array):
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(self, kind, inputs, output, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output.split(":")[0], **attributes))
        return output

    def conv(self, name, x, module, scale=1.0):
        """A convolution with its batch normalisation folded in."""
        conv, norm = module[0], module[1]
        gain = (norm.weight / (norm.running_var + norm.eps).sqrt()).detach().double().numpy()
        bias = norm.bias.detach().double().numpy() - norm.running_mean.double().numpy() * gain
        kernel = conv.weight.detach().double().numpy() * gain[:, None, None, None] * scale
        weights = [self.weight(name + ".weight", kernel.astype(np.float32))]
        weights.append(self.weight(name + ".bias", bias.astype(np.float32)))
        pads, size = [conv.padding[0]] * 4, list(conv.kernel_size)
        return self.node("Conv", [x, *weights], name, kernel_shape=size, strides=list(conv.stride), pads=pads)

    def block(self, name, x, block):
        y = self.node("Relu", [self.conv(name + "/first", x, block.first)], name + "/first/relu")
        y = self.conv(name + "/second", y, block.second)
        shortcut = x if block.shortcut is None else self.conv(name + "/shortcut", x, block.shortcut)
        return self.node("Relu", [self.node("Add", [y, shortcut], name + "/add")], name + "/relu")

    def head(self, x, linear):
        x = self.node("GlobalAveragePool", [x], "pool")
        x = self.node("Flatten", [x], "flat", axis=1)
        weight = self.weight("head.weight", linear.weight.detach().numpy())
        bias = self.weight("head.bias", linear.bias.detach().numpy())
        return self.node("Gemm", [x, weight, bias], "logits", transB=1)

    def answer(self, logits):
        """Probabilities behind a column 0 for the background, which is never the answer, and the best column."""
        p = self.node("Softmax", [logits], "probabilities", axis=1)
        pads = self.weight("background.pads", np.array([0, 1, 0, 0], np.int64))
        self.node("Pad", [p, pads], SOFTMAX)
        self.node("ArgMax", [SOFTMAX], ARGMAX, axis=1, keepdims=0)


def write_fp32(network, classes, path):
    graph = Graph()
    x = graph.conv("stem", INPUT, network.stem, 1 / PIXEL_SCALE)
    x = graph.node("Relu", [x], "stem/relu")
    x = graph.node("MaxPool", [x], "stem/pool", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    for i, block in enumerate(network.blocks):
        x = graph.block(f"block{i}", x, block)
    graph.answer(graph.head(x, network.head))
    onnx.save(_model(graph, classes), path)


def _model(graph, classes):
    inputs = [helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, ["N", 3, 224, 224])]
    outputs = [
        helper.make_tensor_value_info(ARGMAX, TensorProto.INT64, ["N"]),
        helper.make_tensor_value_info(SOFTMAX, TensorProto.FLOAT, ["N", classes + 1]),
    ]
    body = helper.make_graph(graph.nodes, "plumbline-resnet", inputs, outputs, graph.weights)
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="plumbline")
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model, full_check=True)
    return model


class Calibration(CalibrationDataReader):
    """Feeds the calibration pictures, in batches."""

    def __init__(self, pixels, batch=50):
        self.batches = (model_input(pixels[i : i + batch]) for i in range(0, len(pixels), batch))

    def get_next(self):
        batch = next(self.batches, None)
        return None if batch is None else {INPUT: batch}


def write_int8(fp32, pixels, path):
    """Quantises statically: UInt8 activations from the calibration pictures' ranges, Int8 weights per channel.

    Weights keep seven bits: processors without VNNI add pairs of products in 16 bits, which eight bits overflow, and
    the answers would depend on the processor.
    """
    quantize_static(
        fp32,
        path,
        Calibration(pixels),
        quant_format=QuantFormat.QDQ,
        op_types_to_quantize=QUANTISED,
        per_channel=True,
        reduce_range=True,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
        calibrate_method=CalibrationMethod.MinMax,
    )
