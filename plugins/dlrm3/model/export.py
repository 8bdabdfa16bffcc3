"""The network as ONNX files with the inputs of the streaming recommendation benchmark, in FP32 and in INT8."""

import math

import numpy as np
import onnx
from embedded import int8, onnxgraph
from embedded.onnxgraph import array, floats, ints
from embedded.scales import whole
from network import ACTIONS, LEAST_LENGTH, TIME
from onnx import TensorProto

OPSET = 17
OUTPUT = "predictions"
END = np.iinfo(np.int64).max  # of a slice: all that follows


def transposed(linear):
    """Weight in,out and bias of a layer."""
    return array(linear.weight).T, array(linear.bias) if linear.bias is not None else None


class Graph(onnxgraph.Graph):
    def __init__(self, network, quantise):
        super().__init__()
        self.network, self.sizes, self.quantise = network, network.sizes, quantise

    def number(self, value):
        return self.weight(f"float_{value:.6g}", np.float32(value))

    def table(self, name, rows, indices):
        """Rows of a table; where they are quantised, one scale for each column."""
        if not self.quantise:
            return self.node("Gather", [self.weight(f"{name}.table", rows), indices], name, axis=0)
        numbers, scale = whole(rows, 1)
        x = self.node("Gather", [self.weight(f"{name}.table", numbers), indices], f"{name}/numbers", axis=0)
        x = self.node("Cast", [x], f"{name}/floats", to=TensorProto.FLOAT)
        return self.node("Mul", [x, self.weight(f"{name}.scale", scale)], name)

    def layer_norm(self, name, x, norm):
        return self.norm(name, x, array(norm.weight), array(norm.bias), norm.eps)

    def silu(self, name, x):
        return self.node("Mul", [x, self.node("Sigmoid", [x], f"{name}/logistic")], name)

    def perceptron(self, name, x, p):
        x = self.linear(f"{name}/first", x, *transposed(p.first))
        gate = self.node("Sigmoid", [self.layer_norm(f"{name}/gate", x, p.gate)], f"{name}/gate/logistic")
        x = self.node("Mul", [x, gate], f"{name}/gated")
        x = self.linear(f"{name}/second", x, *transposed(p.second))
        return x if p.norm is None else self.layer_norm(f"{name}/norm", x, p.norm)

    def counts(self):
        """Places of histories and candidates, and those and the user's together, each int64 of one number."""
        history = self.node("Shape", ["item_ids"], "history", start=1)
        candidates = self.node("Shape", ["candidate_ids"], "candidates", start=1)
        self.node("Add", [history, self.ints(1)], "first_candidate")
        self.node("Add", ["first_candidate", candidates], "rows")

    def actions(self):
        """The bits' rows of the weights, side by side, and the vector of candidates behind them."""
        powers = self.weight("powers", 2 ** np.arange(ACTIONS))
        x = self.node("Unsqueeze", ["weights", self.ints(2)], "weights/column")
        x = self.node("Mod", [self.node("Div", [x, powers], "weights/shifted"), self.ints(2)], "weights/bits")
        x = self.node("Unsqueeze", [self.node("Cast", [x], "weights/set", to=1), self.ints(3)], "weights/set/column")
        x = self.node("Mul", [x, self.weight("action.table", array(self.network.action))], "action/rows")
        x = self.node("Reshape", [x, self.ints(0, 0, ACTIONS * self.sizes.action)], "action/flat")
        shape = self.node("Shape", ["candidate_ids"], "candidates/shape")
        shape = self.node("Concat", [shape, self.ints(ACTIONS * self.sizes.action)], "no_action/shape", axis=0)
        none = self.node("Expand", [self.weight("no_action", array(self.network.no_action)), shape], "no_action/rows")
        return self.perceptron("acted", self.node("Concat", [x, none], "actions", axis=1), self.network.acted)

    def context(self):
        """The user's row in front of a sequence, 0 where history and candidates are too few."""
        length = self.node("Add", ["lengths", "candidates"], "length")
        known = self.node("GreaterOrEqual", [length, self.ints(LEAST_LENGTH)], "user/known")
        known = self.node("Unsqueeze", [self.node("Cast", [known], "user/share", to=1), self.ints(1)], "user/shares")
        row = self.node("Mod", ["user", self.ints(self.sizes.users)], "user/row")
        x = self.node("Mul", [self.table("user_rows", array(self.network.user.weight), row), known], "user/read")
        x = self.linear("context", x, *transposed(self.network.context))
        return self.node("Unsqueeze", [x, self.ints(1)], "context/row")

    def places(self):
        """The rows of the table of positions (B,T), and the share of what is seen (B,1,T,T), as network.places."""
        zero, one = self.weight("first", np.int64(0)), self.weight("step", np.int64(1))
        count = self.node("Squeeze", ["rows", self.ints(0)], "rows/number")
        place = self.node("Range", [zero, count, one], "place")
        end = self.node("Unsqueeze", [self.node("Add", ["lengths", self.ints(1)], "ends"), self.ints(1)], "end")
        old = self.node("Less", [place, "first_candidate"], "place/old")
        later = self.node("Greater", [place, self.ints(0)], "place/later")
        is_history = self.node("And", [old, later], "place/history")
        age = self.node("Add", [self.node("Sub", [end, place], "left"), self.ints(1)], "age")
        age = self.node("Clip", [age, zero, self.weight("oldest", np.int64(self.sizes.positions - 1))], "age/row")
        new = self.node("Cast", [self.node("Not", [old], "place/new")], "new/row", to=TensorProto.INT64)
        rows = self.node("Where", [is_history, age, new], "position/rows")
        rank = self.node("Min", [place, "first_candidate"], "rank")
        column = lambda name: self.node("Unsqueeze", [name, self.ints(1)], f"{name}/column")
        before = self.node("Greater", [column(rank), rank], "before")
        sees = self.node("Or", [before, self.node("Equal", [column(place), place], "itself")], "sees")
        there = self.node("Less", [place, end], "there")
        real = self.node("Or", [there, self.node("Not", [is_history], "not_history")], "real")
        shape = lambda name, *axes: self.node("Unsqueeze", [name, self.ints(*axes)], f"{name}/matrix")
        seen = self.node("Cast", [self.node("And", [sees, shape(real, 1, 2)], "seen")], "seen/share", to=1)
        rows_of_sample = self.node("Cast", [self.node("Add", [end, "candidates"], "own_rows")], "own_rows/float", to=1)
        return rows, self.node("Div", [seen, shape(rows_of_sample, 1, 2)], "share")

    def heads(self, name, x, *order):
        x = self.node("Reshape", [x, self.ints(0, 0, self.sizes.heads, -1)], f"{name}/heads")
        return self.node("Transpose", [x], f"{name}/turned", perm=order)

    def layer(self, name, x, layer, share):
        y = self.layer_norm(f"{name}/norm", x, layer.norm)
        y = self.linear(f"{name}/project", y, *transposed(layer.project))
        parts = [f"{name}/{part}" for part in ("gate", "values", "queries", "keys")]
        self.node("Split", [y, self.ints(*layer.parts)], parts, f"{name}/split", axis=-1)
        gate = self.silu(f"{name}/gate/silu", parts[0])
        values, queries = (self.heads(part, part, 0, 2, 1, 3) for part in parts[1:3])
        keys = self.heads(parts[3], parts[3], 0, 2, 3, 1)
        y = self.node("MatMul", [queries, keys], f"{name}/scores")
        y = self.node("Mul", [y, self.number(self.sizes.query**-0.5)], f"{name}/scaled")
        y = self.node("Mul", [self.silu(f"{name}/scores/silu", y), share], f"{name}/shares")
        y = self.node("MatMul", [y, values], f"{name}/seen")
        y = self.node("Transpose", [y], f"{name}/seen/turned", perm=[0, 2, 1, 3])
        y = self.node("Reshape", [y, self.ints(0, 0, self.sizes.heads * self.sizes.value)], f"{name}/seen/rows")
        gated = self.node("Mul", [gate, self.layer_norm(f"{name}/out_norm", y, layer.out_norm)], f"{name}/gated")
        y = self.node("Concat", [gate, y, gated], f"{name}/all", axis=-1)
        return self.node("Add", [x, self.linear(f"{name}/out", y, *transposed(layer.out))], name)

    def after(self, name, x, first):
        """The rows of x from one on."""
        return self.node("Slice", [x, first, self.ints(END), self.ints(1)], name)

    def hstu(self):
        n = self.network
        self.counts()
        ids = self.node("Concat", ["item_ids", "candidate_ids"], "ids", axis=1)
        limits = self.weight("first", np.int64(0)), self.weight("last_item", np.int64(self.sizes.items - 1))
        items = self.table("items", array(n.item.weight), self.node("Clip", [ids, *limits], "ids/known"))
        categories = self.node("Concat", ["categories", "candidate_categories"], "all_categories", axis=1)
        categories = self.table("category_rows", array(n.category.weight), categories)
        x = self.perceptron("content", items, n.content)
        x = self.node("Add", [x, self.perceptron("additional", categories, n.additional)], "items_and_categories")
        x = self.node("Add", [x, self.actions()], "history_and_candidates")
        x = self.node("Concat", [self.context(), x], "sequence", axis=1)
        rows, share = self.places()
        positions = self.weight("positions.table", array(n.position.weight) + array(n.time))
        x = self.node("Mul", [x, self.number(math.sqrt(self.sizes.width))], "sequence/scaled")
        x = self.node("Add", [x, self.node("Gather", [positions, rows], "positions", axis=0)], "placed")
        for i, layer in enumerate(n.layers):
            x = self.layer(f"layer{i}", x, layer, share)
        self.predict(self.after("candidate_rows", x, "first_candidate"), items, categories)

    def predict(self, x, items, categories):
        n, width = self.network, self.sizes.width
        weight, bias = transposed(n.timed)  # the time is the same for all
        x = self.linear("timed", x, weight[:width], bias + np.float32(TIME) @ weight[width:])
        x = self.layer_norm("timed/norm", x, n.norm)
        both = [self.after(f"offered/{part}", rows, "history") for part, rows in (("i", items), ("c", categories))]
        y = self.perceptron("offered", self.node("Concat", both, "offered/rows", axis=-1), n.offered)
        x = self.perceptron("predict", self.node("Mul", [x, y], "met"), n.predict)
        self.node("Sigmoid", [self.node("Squeeze", [x, self.ints(2)], "logits")], OUTPUT)


def write(network, path, quantise=False):
    """Writes the network, with its tables as INT8 if they are to be quantised, and returns the names of its products
    with weights."""
    graph = Graph(network, quantise)
    graph.hstu()
    inputs = [ints(name, "B", "L") for name in ("item_ids", "weights", "categories")] + [ints("user", "B")]
    inputs += [ints(name, "B", "C") for name in ("candidate_ids", "candidate_categories")] + [ints("lengths", "B")]
    onnx.save(graph.model("plumbline-hstu", inputs, [floats(OUTPUT, "B", "C")], OPSET), path)
    return graph.dense


def write_int8(network, requests, path, batch=32):
    """Quantises the tables, and the products with weights with the ranges of the calibration's requests. The last
    product stays in floating point."""
    tables = path.with_suffix(".tables.onnx")
    products = [name for name in write(network, tables, quantise=True) if not name.startswith("predict/second")]
    feeds = (requests.at(slice(i, i + batch)).inputs() for i in range(0, len(requests), batch))
    int8.static(tables, path, feeds, ["MatMul"], only=products)
    tables.unlink()
