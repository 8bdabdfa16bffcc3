#!/usr/bin/env python3
"""Writes an ONNX model that takes what resnet50 does, 600 KB a picture, and computes almost nothing.

    python3 tiny.py FILE
"""

import sys

import onnx
from onnx import TensorProto, helper

corner = {"start": [0, 0], "end": [1, 1], "cut": [1, 2], "all": [1, 2, 3]}
graph = helper.make_graph(
    [
        helper.make_node("Slice", ["input_tensor:0", "start", "end", "cut"], ["corner"]),
        helper.make_node("ReduceMean", ["corner", "all"], ["mean"], keepdims=0),
        helper.make_node("Cast", ["mean"], ["ArgMax:0"], to=TensorProto.INT64),
    ],
    "tiny",
    [helper.make_tensor_value_info("input_tensor:0", TensorProto.FLOAT, ["N", 3, 224, 224])],
    [helper.make_tensor_value_info("ArgMax:0", TensorProto.INT64, ["N"])],
    [helper.make_tensor(name, TensorProto.INT64, [len(v)], v) for name, v in corner.items()],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
onnx.checker.check_model(model)
onnx.save(model, sys.argv[1])
