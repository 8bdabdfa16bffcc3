"""The network as an ONNX file, of weights with the names of the official checkpoint."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from data import RELATIONS, TYPES, ends

OPSET, IR_VERSION = 18, 9


class Graph:
    """A graph that grows node by node; each method returns the name of its result."""

    def __init__(self, int8):
        self.nodes, self.weights, self.int8 = [], {}, int8

    def weight(self, name, array):
        if name not in self.weights:
            array = np.asarray(array)
            array = np.ascontiguousarray(array, array.dtype if array.dtype.kind == "i" else np.float32)
            self.weights[name] = numpy_helper.from_array(array, name)
        return name

    def node(self, kind, inputs, output, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output

    def matrix(self, name, array):
        """A matrix [in, out]: with int8, whole numbers of 8 bits and a scale for each column."""
        if not self.int8:
            return self.weight(name, array)
        scale = np.maximum(np.abs(array).max(0), 1e-12) / 127
        whole = np.clip(np.rint(array / scale), -127, 127).astype(np.int8)
        inputs = [self.weight(name + ".int8", whole), self.weight(name + ".scale", scale)]
        return self.node("DequantizeLinear", inputs, name, axis=1)

    def scattered(self, name, start, shape, values, reduction, index):
        start = self.node("Expand", [self.weight(f"start{start:g}", np.array(start, np.float32)), shape], name + "/start")
        return self.node("ScatterND", [start, index, values], name, reduction=reduction)


class Weights:
    """A checkpoint's state, under names with or without the leading "model."."""

    def __init__(self, state):
        self.state = {name.removeprefix("model."): np.asarray(value, np.float32) for name, value in state.items()}

    def layers(self):
        return 1 + max(int(name.split(".")[1]) for name in self.state if name.startswith("layers."))

    def __getitem__(self, name):
        return self.state[name]


def attention(graph, weights, layer, relation, x):
    name, source, destination = ends(relation)
    key, at = f"layers.{layer}.mods.{name}.", f"layer{layer}/{name}"
    fc, left, right = weights[key + "fc.weight"].T, weights[key + "attn_l"][0], weights[key + "attn_r"][0]
    heads, width = left.shape
    by_head = fc.reshape(-1, heads, width)
    src, index = "src_" + relation, "index_" + relation
    dst = "dst_" + relation
    f = graph.node("MatMul", [x[source], graph.matrix(at + "/fc", fc)], at + "/f")
    l = graph.node("MatMul", [x[source], graph.weight(at + "/fc_l", (by_head * left).sum(-1))], at + "/l")
    r = graph.node("MatMul", [x[destination], graph.weight(at + "/fc_r", (by_head * right).sum(-1))], at + "/r")
    pairs = graph.node("Add", [graph.node("Gather", [l, src], at + "/l_src"), graph.node("Gather", [r, dst], at + "/r_dst")],
                       at + "/sum")
    e = graph.node("LeakyRelu", [pairs], at + "/e", alpha=0.2)
    shape = graph.node("Shape", [r], at + "/shape")
    top = graph.scattered(at + "/max", -1e30, shape, e, "max", index)
    a = graph.node("Exp", [graph.node("Sub", [e, graph.node("Gather", [top, dst], at + "/max_dst")], at + "/less")], at + "/a")
    total = graph.scattered(at + "/total", 0.0, shape, a, "add", index)
    total = graph.node("Max", [total, graph.weight("tiny", np.array(1e-30, np.float32))], at + "/total_not_0")
    form = graph.weight(f"form{heads}x{width}", np.array([0, heads, width], np.int64))
    flat = graph.weight(f"flat{heads * width}", np.array([0, heads * width], np.int64))
    last = graph.weight("last", np.array([2], np.int64))
    f = graph.node("Reshape", [graph.node("Gather", [f, src], at + "/f_src"), form], at + "/f_heads")
    m = graph.node("Mul", [graph.node("Unsqueeze", [a, last], at + "/a_heads"), f], at + "/messages")
    wide = graph.node("Concat", [graph.node("Slice", [shape, graph.weight("zero", np.array([0], np.int64)),
                                                     graph.weight("one", np.array([1], np.int64))], at + "/rows"),
                                 graph.weight(f"form{heads}x{width}/tail", np.array([heads, width], np.int64))],
                      at + "/wide", axis=0)
    out = graph.scattered(at + "/messages_in", 0.0, wide, m, "add", index)
    out = graph.node("Div", [out, graph.node("Unsqueeze", [total, last], at + "/total_heads")], at + "/mean")
    out = graph.node("Reshape", [out, flat], at + "/out")
    return graph.node("Add", [out, graph.weight(at + "/bias", weights[key + "bias"])], at + "/biased")


def write(state, path, int8=False):
    """Writes the network with the interface of the benchmark: x_TYPE, src_REL, dst_REL and seeds in, logits out."""
    weights, graph = Weights(state), Graph(int8)
    layers, features = weights.layers(), weights["layers.0.mods.cites.fc.weight"].shape[1]
    needed, wanted = [], {"paper"}
    for _ in range(layers):
        needed.insert(0, [r for r in RELATIONS if ends(r)[2] in wanted])
        wanted = {ends(r)[1] for r in needed[0]} | wanted
    last = graph.weight("column", np.array([1], np.int64))
    for relation in needed[0]:
        graph.node("Unsqueeze", ["dst_" + relation, last], "index_" + relation)
    x = {t: "x_" + t for t in TYPES}
    for layer, relations in enumerate(needed):
        into = {}
        for relation in relations:
            into.setdefault(ends(relation)[2], []).append(attention(graph, weights, layer, relation, x))
        x = {t: graph.node("Sum", parts, f"layer{layer}/{t}") for t, parts in into.items()}
        if layer < layers - 1:
            x = {t: graph.node("LeakyRelu", [y], f"layer{layer}/{t}/relu", alpha=0.01) for t, y in x.items()}
    papers = graph.node("Gather", [x["paper"], "seeds"], "papers")
    scores = graph.node("MatMul", [papers, graph.matrix("linear", weights["linear.weight"].T)], "scores")
    graph.node("Add", [scores, graph.weight("linear/bias", weights["linear.bias"])], "logits")
    _save(graph, path, needed[0], features, weights["linear.bias"].shape[0])


def _save(graph, path, relations, features, classes):
    info, int64 = helper.make_tensor_value_info, TensorProto.INT64
    inputs = [info("x_" + t, TensorProto.FLOAT, ["n_" + t, features]) for t in TYPES]
    inputs += [info(f"{end}_{r}", int64, ["e_" + r]) for r in relations for end in ("src", "dst")]
    inputs += [info("seeds", int64, ["batch"])]
    body = helper.make_graph(graph.nodes, "plumbline-rgat", inputs,
                             [info("logits", TensorProto.FLOAT, ["batch", classes])], list(graph.weights.values()))
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="plumbline")
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, path)
