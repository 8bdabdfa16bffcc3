"""Writes the models of this folder. They are a few hundred bytes each; python3 make_models.py repeats them exactly.

Needs the onnx package (1.22) and numpy. Weights are small whole numbers or fixed fractions, so that the tests can say
what each model computes.
"""

import os

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as nh

HERE = os.path.dirname(os.path.abspath(__file__))
OPSET = 17
IR = 8


def model(name, nodes, inputs, outputs, inits=(), value_info=()):
    graph = h.make_graph(nodes, name, inputs, outputs, list(inits), value_info=list(value_info))
    m = h.make_model(graph, opset_imports=[h.make_opsetid("", OPSET)], producer_name="plumbline-testdata")
    m.ir_version = IR
    return m


def save(m, check=True):
    if check:
        onnx.checker.check_model(m)
    onnx.save(m, os.path.join(HERE, m.graph.name + ".onnx"))


def info(name, elem, shape):
    return h.make_tensor_value_info(name, elem, shape)


def const(name, array):
    return nh.from_array(np.asarray(array), name)


def linear():
    """y[n,2] = x[n,3] W + b, and its arg max."""
    w = np.array([[1, -1], [2, 0], [3, 1]], np.float32)
    b = np.array([0.5, -0.5], np.float32)
    nodes = [
        h.make_node("MatMul", ["x:0", "w"], ["xw"]),
        h.make_node("Add", ["xw", "b"], ["y:0"]),
        h.make_node("ArgMax", ["y:0"], ["best:0"], axis=1, keepdims=0),
    ]
    ins = [info("x:0", T.FLOAT, ["n", 3])]
    outs = [info("best:0", T.INT64, ["n"]), info("y:0", T.FLOAT, ["n", 2])]
    save(model("linear", nodes, ins, outs, [const("w", w), const("b", b)]))


def recurrent():
    """A step with a state: h_out[n,3] = h/2 + x W. The state has the width that linear takes."""
    w = np.array([[1, 0, -1], [2, 1, 0]], np.float32)
    nodes = [
        h.make_node("MatMul", ["x", "w"], ["xw"]),
        h.make_node("Mul", ["h", "half"], ["old"]),
        h.make_node("Add", ["old", "xw"], ["h_out"]),
    ]
    ins = [info("x", T.FLOAT, ["n", 2]), info("h", T.FLOAT, ["n", 3])]
    save(model("recurrent", nodes, ins, [info("h_out", T.FLOAT, ["n", 3])], [const("w", w), const("half", np.float32(0.5))]))


def old_style():
    """linear, as old exporters write it: the initializers are inputs too, and the batch dimensions have other names."""
    w = np.array([[1, -1], [2, 0], [3, 1]], np.float32)
    nodes = [h.make_node("MatMul", ["x", "w"], ["y"])]
    ins = [info("x", T.FLOAT, ["unk__1", 3]), info("w", T.FLOAT, [3, 2])]
    m = model("old_style", nodes, ins, [info("y", T.FLOAT, ["unk__2", 2])], [const("w", w)])
    m.ir_version = 3
    m.opset_import[0].version = 8
    save(m)


def identities():
    """One model for each element type: y = x + x for numbers, not x for bool; shape [n,s]."""
    kinds = {
        "float32": T.FLOAT, "float16": T.FLOAT16, "float64": T.DOUBLE, "int32": T.INT32, "int64": T.INT64,
        "int8": T.INT8, "int16": T.INT16, "uint8": T.UINT8, "uint16": T.UINT16, "uint32": T.UINT32, "uint64": T.UINT64,
    }
    for name, elem in kinds.items():
        save(model("twice_" + name, [h.make_node("Add", ["x", "x"], ["y"])], [info("x", elem, ["n", "s"])], [info("y", elem, ["n", "s"])]))
    save(model("not_bool", [h.make_node("Not", ["x"], ["y"])], [info("x", T.BOOL, ["n", "s"])], [info("y", T.BOOL, ["n", "s"])]))
    save(model("to_bfloat16", [h.make_node("Cast", ["x"], ["y"], to=T.BFLOAT16)], [info("x", T.FLOAT, ["n", "s"])], [info("y", T.BFLOAT16, ["n", "s"])]))
    save(model("from_bfloat16", [h.make_node("Cast", ["x"], ["y"], to=T.FLOAT)], [info("x", T.BFLOAT16, ["n", "s"])], [info("y", T.FLOAT, ["n", "s"])]))


def half_unforeseen():
    """A float16 output whose dimensions no input names."""
    nodes = [h.make_node("Reshape", ["x", "flat"], ["y"])]
    save(model("half_unforeseen", nodes, [info("x", T.FLOAT16, ["n", "s"])], [info("y", T.FLOAT16, ["m"])], [const("flat", np.array([-1], np.int64))]))


def qdq():
    """A quantised linear: UInt8 activations, Int8 weights, QuantizeLinear and DequantizeLinear round each tensor."""
    w = np.array([[4, -4], [8, 0], [12, 4]], np.int8)  # times 0.25: the weights of linear
    inits = [
        const("w_q", w), const("w_s", np.float32(0.25)), const("w_z", np.int8(0)),
        const("x_s", np.float32(0.5)), const("x_z", np.uint8(128)),
        const("y_s", np.float32(0.5)), const("y_z", np.uint8(128)),
    ]
    nodes = [
        h.make_node("QuantizeLinear", ["x", "x_s", "x_z"], ["x_q"]),
        h.make_node("DequantizeLinear", ["x_q", "x_s", "x_z"], ["x_d"]),
        h.make_node("DequantizeLinear", ["w_q", "w_s", "w_z"], ["w_d"]),
        h.make_node("MatMul", ["x_d", "w_d"], ["m"]),
        h.make_node("QuantizeLinear", ["m", "y_s", "y_z"], ["m_q"]),
        h.make_node("DequantizeLinear", ["m_q", "y_s", "y_z"], ["y"]),
    ]
    save(model("qdq", nodes, [info("x", T.FLOAT, ["n", 3])], [info("y", T.FLOAT, ["n", 2])], inits))


def bert_like():
    """Three int64 inputs [n,s]; scores[n,s] = ids - types where mask, else -1."""
    nodes = [
        h.make_node("Sub", ["input_ids", "token_type_ids"], ["d"]),
        h.make_node("Cast", ["attention_mask"], ["m"], to=T.BOOL),
        h.make_node("Where", ["m", "d", "no"], ["s"]),
        h.make_node("Cast", ["s"], ["scores"], to=T.FLOAT),
    ]
    ins = [info(n, T.INT64, ["n", "s"]) for n in ("input_ids", "attention_mask", "token_type_ids")]
    save(model("bert_like", nodes, ins, [info("scores", T.FLOAT, ["n", "s"])], [const("no", np.array(-1, np.int64))]))


def external():
    """linear's product with its weights in external.data."""
    w = np.array([[1, -1], [2, 0], [3, 1]], np.float32)
    m = model("external", [h.make_node("MatMul", ["x", "w"], ["y"])], [info("x", T.FLOAT, ["n", 3])], [info("y", T.FLOAT, ["n", 2])], [const("w", w)])
    data = os.path.join(HERE, "external.data")
    if os.path.exists(data):
        os.remove(data)
    onnx.save(m, os.path.join(HERE, "external.onnx"), save_as_external_data=True, all_tensors_to_one_file=True, location="external.data", size_threshold=0)
    os.chmod(data, 0o644)


def fixed_batch():
    """y = x + x for batches of 4 alone; total[2] is the sum of the rows."""
    nodes = [h.make_node("Add", ["x", "x"], ["y"]), h.make_node("ReduceSum", ["x", "rows"], ["total"], keepdims=0)]
    outs = [info("y", T.FLOAT, [4, 2]), info("total", T.FLOAT, [2])]
    save(model("fixed_batch", nodes, [info("x", T.FLOAT, [4, 2])], outs, [const("rows", np.array([0], np.int64))]))


def fixed_pair():
    """y = a + b, both of 4 rows."""
    ins = [info("a", T.FLOAT, [4, 1]), info("b", T.FLOAT, [4, 1])]
    save(model("fixed_pair", [h.make_node("Add", ["a", "b"], ["y"])], ins, [info("y", T.FLOAT, [4, 1])]))


def data_dependent():
    """The positions of x's elements above zero: how many there are shows only when it runs."""
    nodes = [h.make_node("Greater", ["x", "zero"], ["p"]), h.make_node("NonZero", ["p"], ["where"])]
    save(model("data_dependent", nodes, [info("x", T.FLOAT, ["n"])], [info("where", T.INT64, [1, "found"])], [const("zero", np.float32(0))]))


def wrong_promise():
    """An output that claims its input's dimension, and has twice as many elements."""
    nodes = [h.make_node("Concat", ["x", "x"], ["y"], axis=0)]
    save(model("wrong_promise", nodes, [info("x", T.FLOAT, ["n"])], [info("y", T.FLOAT, ["n"])]), check=False)


def scalars():
    """sum = factor * (the sum of x), both of rank 0; count is an int64 of rank 0."""
    nodes = [
        h.make_node("ReduceSum", ["x"], ["s"], keepdims=0),
        h.make_node("Mul", ["s", "factor"], ["sum"]),
        h.make_node("Size", ["x"], ["count"]),
    ]
    ins = [info("x", T.FLOAT, ["n"]), info("factor", T.FLOAT, [])]
    save(model("scalars", nodes, ins, [info("sum", T.FLOAT, []), info("count", T.INT64, [])]))


def unranked():
    """An output without a shape in the file: ONNX Runtime infers [n,2]."""
    w = np.array([[1, -1], [2, 0], [3, 1]], np.float32)
    save(model("unranked", [h.make_node("MatMul", ["x", "w"], ["y"])], [info("x", T.FLOAT, ["n", 3])], [h.make_tensor_value_info("y", T.FLOAT, None)], [const("w", w)]), check=False)


def strings():
    """A string input, which no backend.Tensor holds."""
    save(model("strings", [h.make_node("Identity", ["x"], ["y"])], [info("x", T.STRING, ["n"])], [info("y", T.STRING, ["n"])]))


def slow():
    """A loop of n turns of a small product: long enough to be interrupted."""
    body = h.make_graph(
        [h.make_node("MatMul", ["a", "eye"], ["b"]), h.make_node("Identity", ["go"], ["on"])],
        "turn",
        [info("i", T.INT64, []), info("go", T.BOOL, []), info("a", T.FLOAT, [16, 16])],
        [info("on", T.BOOL, []), info("b", T.FLOAT, [16, 16])],
    )
    nodes = [
        h.make_node("Squeeze", ["n"], ["turns"]),
        h.make_node("Loop", ["turns", "yes", "x"], ["y"], body=body),
    ]
    inits = [const("eye", np.eye(16, dtype=np.float32)), const("yes", np.array(True))]
    save(model("slow", nodes, [info("n", T.INT64, [1]), info("x", T.FLOAT, [16, 16])], [info("y", T.FLOAT, [16, 16])], inits))


if __name__ == "__main__":
    linear()
    recurrent()
    old_style()
    identities()
    half_unforeseen()
    qdq()
    bert_like()
    external()
    fixed_batch()
    fixed_pair()
    data_dependent()
    wrong_promise()
    scalars()
    unranked()
    strings()
    slow()
