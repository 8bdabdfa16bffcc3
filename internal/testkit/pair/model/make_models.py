"""Writes the models of this folder, a few hundred bytes each; python3 make_models.py repeats them exactly.

Needs the onnx package (1.22) and numpy. Weights are small whole numbers and halves, so that float32 holds every result
exactly.
"""

import os

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as nh

HERE = os.path.dirname(os.path.abspath(__file__))
W = np.array([[1, 0, -1], [2, 1, 0], [0, 3, 1], [1, 1, 1]], np.float32)
V = np.array([[1], [2], [-1]], np.float32)


def info(name, shape):
    return h.make_tensor_value_info(name, T.FLOAT, shape)


def save(name, nodes, inputs, outputs, inits):
    graph = h.make_graph(nodes, name, inputs, outputs, [nh.from_array(a, n) for n, a in inits.items()])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], producer_name="plumbline-testdata")
    model.ir_version = 8
    onnx.checker.check_model(model)
    onnx.save(model, os.path.join(HERE, name + ".onnx"))


def encoder():
    """h[n,3] = x[n,4] W."""
    save("encoder", [h.make_node("MatMul", ["x", "w"], ["h"])], [info("x", ["n", 4])], [info("h", ["n", 3])], {"w": W})


def decoder():
    """A step: state_out[n,3] = state/2 + h, y[n,1] = state_out V."""
    nodes = [
        h.make_node("Mul", ["state", "half"], ["old"]),
        h.make_node("Add", ["old", "h"], ["state_out"]),
        h.make_node("MatMul", ["state_out", "v"], ["y"]),
    ]
    inputs, outputs = [info("h", ["n", 3]), info("state", ["n", 3])], [info("y", ["n", 1]), info("state_out", ["n", 3])]
    save("decoder", nodes, inputs, outputs, {"v": V, "half": np.array(0.5, np.float32)})


def judge():
    """What two steps of the decoder give, at once: y[n,1] = x[n,4] (1.5 W V)."""
    nodes = [h.make_node("MatMul", ["x", "u"], ["y"])]
    save("judge", nodes, [info("x", ["n", 4])], [info("y", ["n", 1])], {"u": 1.5 * (W @ V)})


if __name__ == "__main__":
    encoder()
    decoder()
    judge()
