"""The network as ONNX files, in FP32 and in INT8."""

import numpy as np
import onnx
from embedded import int8, residual
from embedded.onnxgraph import array, floats, ints, tensor
from network import CATEGORIES, LETTERS, LEVELS, SIDE
from onnx import TensorProto

PICTURE, TITLE, CATEGORY, BRAND, SECOND_HAND = "picture", "title", "category", "brand", "second_hand"
OPSET = 13


def write_fp32(network, path):
    graph = residual.Graph()
    eye, reader = network.eye, network.reader
    x = graph.node("Cast", [PICTURE], "levels", to=TensorProto.FLOAT)
    x = graph.node("Transpose", [x], "channels", perm=[0, 3, 1, 2])
    x = graph.node("Mul", [x, graph.weight("scale", np.float32(1 / LEVELS))], "scaled")
    x = graph.node("Sub", [x, graph.weight("one", np.float32(1))], "pixels")
    x = graph.relu(graph.conv("stem", x, *eye.stem))
    x = graph.node("MaxPool", [x], "stem/pool", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    for i, block in enumerate(eye.blocks):
        x = graph.block(f"block{i}", x, block)
    x = graph.node("Flatten", [graph.node("GlobalAveragePool", [x], "mean")], "flat", axis=1)
    head = [graph.weight("head.weight", array(eye.head.weight)), graph.weight("head.bias", array(eye.head.bias))]
    graph.node("Gemm", [x, *head], CATEGORY, transB=1)
    y = graph.node("Gather", [graph.weight("letters.weight", array(reader.letters.weight)), TITLE], "letters", axis=0)
    y = graph.node("Transpose", [y], "letters/channels", perm=[0, 2, 1])
    for i, convolution in enumerate(reader.convolutions):
        y = graph.relu(graph.conv(f"words{i}", y, convolution))
    graph.node("Flatten", [graph.conv("brand/marks", y, reader.brand)], BRAND, axis=1)
    z = graph.conv("second_hand/marks", y, reader.second_hand)
    graph.node("Flatten", [graph.node("GlobalMaxPool", [z], "second_hand/most")], SECOND_HAND, axis=1)
    inputs = [tensor(TensorProto.UINT8)(PICTURE, "N", SIDE, SIDE, 3), ints(TITLE, "N", LETTERS)]
    outputs = [floats(CATEGORY, "N", CATEGORIES), floats(BRAND, "N", LETTERS), floats(SECOND_HAND, "N", 1)]
    onnx.save(graph.model("plumbline-products", inputs, outputs, OPSET), path)


def write_int8(fp32, products, path, batch=36):
    """Quantises convolutions and the last product, with the ranges of the calibration products."""
    feeds = (
        {PICTURE: products.pictures[i : i + batch], TITLE: products.titles[i : i + batch]}
        for i in range(0, len(products.labels), batch)
    )
    int8.static(fp32, path, feeds, ["Conv", "Relu", "Add", "MaxPool", "GlobalAveragePool", "Gemm"])
