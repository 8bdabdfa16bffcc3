"""The network as an ONNX file, of weights with the names of the official checkpoint."""

import numpy as np
import onnx
from data import RELATIONS, TYPES, ends
from embedded import onnxgraph
from embedded.onnxgraph import floats, ints
from embedded.scales import whole

OPSET, IR_VERSION = 18, 9


class Graph(onnxgraph.Graph):
    def __init__(self, int8):
        super().__init__()
        self.int8 = int8

    def matrix(self, name, array):
        """A matrix [in, out]: with int8, whole numbers of 8 bits and a scale for each column."""
        if not self.int8:
            return self.weight(name, array)
        numbers, scale = whole(array, 1)
        inputs = [self.weight(name + ".int8", numbers), self.weight(name + ".scale", scale)]
        return self.node("DequantizeLinear", inputs, name, axis=1)

    def scattered(self, name, start, shape, values, reduction, index):
        start = self.weight(f"start{start:g}", np.array([start], np.float32))
        start = self.node("Expand", [start, shape], name + "/start")
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
    left = graph.node("MatMul", [x[source], graph.weight(at + "/fc_l", (by_head * left).sum(-1))], at + "/l")
    right = graph.node("MatMul", [x[destination], graph.weight(at + "/fc_r", (by_head * right).sum(-1))], at + "/r")
    left, r = graph.node("Gather", [left, src], at + "/l_src"), graph.node("Gather", [right, dst], at + "/r_dst")
    pairs = graph.node("Add", [left, r], at + "/sum")
    e = graph.node("LeakyRelu", [pairs], at + "/e", alpha=0.2)
    shape = graph.node("Shape", [right], at + "/shape")
    top = graph.scattered(at + "/max", -1e30, shape, e, "max", index)
    less = graph.node("Sub", [e, graph.node("Gather", [top, dst], at + "/max_dst")], at + "/less")
    a = graph.node("Exp", [less], at + "/a")
    total = graph.scattered(at + "/total", 0.0, shape, a, "add", index)
    total = graph.node("Max", [total, graph.weight("tiny", np.array([1e-30], np.float32))], at + "/total_not_0")
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
    layers = weights.layers()
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
    features, classes = weights["layers.0.mods.cites.fc.weight"].shape[1], len(weights["linear.bias"])
    inputs = [floats("x_" + t, "n_" + t, features) for t in TYPES]
    inputs += [ints(f"{end}_{r}", "e_" + r) for r in needed[0] for end in ("src", "dst")]
    outputs = [floats("logits", "batch", classes)]
    onnx.save(graph.model("plumbline-rgat", [*inputs, ints("seeds", "batch")], outputs, OPSET, IR_VERSION), path)
