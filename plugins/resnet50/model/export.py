"""The network as ONNX files with the interface of the official resnet50_v1.onnx, in FP32 and in INT8."""

import numpy as np
import onnx
from data import model_input
from embedded import int8, residual
from embedded.onnxgraph import array, floats, ints
from network import PIXEL_SCALE

INPUT, ARGMAX, SOFTMAX = "input_tensor:0", "ArgMax:0", "softmax_tensor:0"
OPSET = 13
# What is quantised: all of the network up to the logits.
QUANTISED = ["Conv", "Relu", "Add", "MaxPool", "GlobalAveragePool", "Gemm"]


class Graph(residual.Graph):
    def head(self, x, linear):
        x = self.node("GlobalAveragePool", [x], "pool")
        x = self.node("Flatten", [x], "flat", axis=1)
        weight = self.weight("head.weight", array(linear.weight))
        bias = self.weight("head.bias", array(linear.bias))
        return self.node("Gemm", [x, weight, bias], "logits", transB=1)

    def answer(self, logits):
        """Probabilities behind a column 0 for the background, which is never the answer, and the best column."""
        p = self.node("Softmax", [logits], "probabilities", axis=1)
        pads = self.weight("background.pads", np.array([0, 1, 0, 0], np.int64))
        self.node("Pad", [p, pads], SOFTMAX, "softmax_tensor")
        self.node("ArgMax", [SOFTMAX], ARGMAX, "ArgMax", axis=1, keepdims=0)


def write_fp32(network, classes, path):
    graph = Graph()
    x = graph.relu(graph.conv("stem", INPUT, *network.stem, scale=1 / PIXEL_SCALE))
    x = graph.node("MaxPool", [x], "stem/pool", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    for i, block in enumerate(network.blocks):
        x = graph.block(f"block{i}", x, block)
    graph.answer(graph.head(x, network.head))
    outputs = [ints(ARGMAX, "N"), floats(SOFTMAX, "N", classes + 1)]
    onnx.save(graph.model("plumbline-resnet", [floats(INPUT, "N", 3, 224, 224)], outputs, OPSET), path)


def write_int8(fp32, pixels, path, batch=50):
    """Quantises all but the probabilities, with the ranges of the calibration pictures."""
    feeds = ({INPUT: model_input(pixels[i : i + batch])} for i in range(0, len(pixels), batch))
    int8.static(fp32, path, feeds, QUANTISED)
