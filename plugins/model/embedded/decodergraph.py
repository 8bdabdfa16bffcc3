"""Small decoders of the Llama family as ONNX files with a cache in place, in FP32 and in INT8.

The sizes are those of sizes.Sizes. Nothing here needs torch.
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from embedded import int8, onnxgraph
from embedded.onnxgraph import floats, ints

OPSET = 17
POSITIONS = 8192  # that the graph has angles for, many times what a network has seen


class Graph(onnxgraph.Graph):
    """state has the weights by the names of their nodes."""

    def __init__(self, state, sizes):
        super().__init__()
        self.state, self.sizes, self.values = state, sizes, []

    def weight(self, name, value=None):
        return super().weight(name, self.state[name] if value is None else value)

    def scalar(self, name, value):
        return self.weight(name, np.array(value, np.float32))

    def project(self, x, name):
        return self.node("MatMul", [x, self.weight(name + ".weight")], name)

    def root_mean_square(self, x, name):
        """x / sqrt(mean(x^2) + epsilon) * weight."""
        squares = self.node("Pow", [x, self.scalar("two", 2)], name + "/square")
        mean = self.node("ReduceMean", [squares], name + "/mean", axes=[-1], keepdims=1)
        mean = self.node("Add", [mean, self.scalar("epsilon", self.sizes.epsilon)], name + "/add")
        root = self.node("Sqrt", [mean], name + "/root")
        scaled = self.node("Div", [x, root], name + "/div")
        return self.node("Mul", [scaled, self.weight(name + ".weight")], name)

    def turns(self):
        """cos and sin of the rotary positions, each [POSITIONS,dim/2]: constants, which take no room in the file."""
        theta, dim = self.sizes.theta, self.sizes.dim
        rates = 1.0 / theta ** (np.arange(0, dim, 2, dtype=np.float32) / dim)
        zero, most, one = (self.weight(f"int_{v}", np.array(v, np.int64)) for v in (0, POSITIONS, 1))
        position = self.node("Range", [zero, most, one], "positions")
        position = self.node("Cast", [position], "positions/float", to=TensorProto.FLOAT)
        position = self.node("Unsqueeze", [position, self.ints(1)], "positions/column")
        angle = self.node("Mul", [position, self.weight("rates", rates.reshape(1, -1).astype(np.float32))], "angles")
        self.node("Cos", [angle], "cos")
        self.node("Sin", [angle], "sin")

    def lengths(self):
        """The last column of each row, and the number of columns in use, as the attention's operator wants them."""
        ends = self.node("Cast", ["nonpad_kv_seqlen"], "ends", to=TensorProto.INT32)
        self.node("Sub", [ends, self.weight("int32_1", np.array(1, np.int32))], "last_columns")
        self.node("ReduceMax", [ends], "columns", keepdims=0)

    def attention(self, x, i):
        """ONNX Runtime's operator writes new keys and values into the cache, turns them and queries, and attends."""
        name = f"layer{i}/attention"
        wide = self.project(x, name + "/qkv")  # queries, which the weights scale, keys and values side by side
        past = [f"past_key_values.{i}.key", f"past_key_values.{i}.value"]
        present = [f"present.{i}.key", f"present.{i}.value"]
        inputs = [wide, "", "", *past, "last_columns", "columns", "cos", "sin"]
        options = {"num_heads": self.sizes.heads, "kv_num_heads": self.sizes.key_heads, "do_rotary": 1, "scale": 1.0}
        mixed = name + "/mixed"
        self.node("GroupQueryAttention", inputs, [mixed, *present], domain="com.microsoft", **options)
        self.values.append(floats(mixed, "batch_size", "sequence_length", self.sizes.width))  # which nobody infers
        return self.project(mixed, name + "/out")

    def feed(self, x, i):
        name = f"layer{i}/feed"
        wide = self.project(x, name + "/wide")
        halves = self.ints(self.sizes.inner, self.sizes.inner)
        gate, up = self.node("Split", [wide, halves], [name + "/gate", name + "/up"], axis=2)
        soft = self.node("Mul", [gate, self.node("Sigmoid", [gate], name + "/sigmoid")], name + "/silu")
        return self.project(self.node("Mul", [soft, up], name + "/inner"), name + "/down")

    def build(self, tied):
        table = self.weight("embedding")
        x = self.node("Gather", [table, "input_ids"], "embedded")
        self.turns()
        self.lengths()
        for i in range(self.sizes.layers):
            y = self.root_mean_square(x, f"layer{i}/norm1")
            x = self.node("Add", [x, self.attention(y, i)], f"layer{i}/middle")
            y = self.root_mean_square(x, f"layer{i}/norm2")
            x = self.node("Add", [x, self.feed(y, i)], f"layer{i}")
        x = self.root_mean_square(x, "norm")
        if tied:
            head = self.node("Transpose", [table], "head", perm=[1, 0])
        else:
            head = self.weight("head.weight", self.state["embedding"].T)
        self.node("MatMul", [x, head], "logits")


def ports(sizes, every):
    """The graph's inputs and outputs; every: logits of every token instead of each row's last one."""
    inputs = [ints("input_ids", "batch_size", "sequence_length"), ints("nonpad_kv_seqlen", "batch_size")]
    if not every:
        inputs.insert(1, ints("write_indices", "batch_size"))
    outputs = [floats("logits", "batch_size", "sequence_length" if every else 1, sizes.vocabulary)]
    for i in range(sizes.layers):
        for kind in ["key", "value"]:
            shape = ("batch_size", sizes.key_heads, "cache_length", sizes.dim)
            inputs.append(floats(f"past_key_values.{i}.{kind}", *shape))
            outputs.append(floats(f"present.{i}.{kind}", *shape))
    return inputs, outputs


def write(state, sizes, name, path, tied):
    """Writes the graph with logits of every token."""
    graph = Graph(state, sizes)
    graph.build(tied)
    inputs, outputs = ports(sizes, every=True)
    onnx.save(graph.model(name, inputs, outputs, OPSET, contrib=True, values=graph.values), path)


def keep_last(path, sizes):
    """Leaves of the tokens behind the last layer only each row's last one, whose number is nonpad_kv_seqlen -
    write_indices - 1."""
    model = onnx.load(path)
    graph, last = model.graph, f"layer{sizes.layers - 1}"
    for n in graph.node:
        if n.name.startswith("norm/"):
            n.input[:] = [last + "/last" if x == last else x for x in n.input]
    extra = onnxgraph.Graph()
    count = extra.node("Sub", ["nonpad_kv_seqlen", "write_indices"], "counts")
    index = extra.node("Sub", [count, extra.weight("int64_1", np.array(1, np.int64))], "last_tokens")
    index = extra.node("Unsqueeze", [index, extra.weight("axis_1", np.array([1], np.int64))], "last_tokens/column")
    one = extra.node("GatherND", [last, index], last + "/flat", batch_dims=1)
    extra.node("Unsqueeze", [one, "axis_1"], last + "/last")
    at = 1 + max(i for i, n in enumerate(graph.node) if last in n.output)
    nodes = [*graph.node[:at], *extra.nodes, *graph.node[at:]]
    inputs, outputs = ports(sizes, every=False)
    body = helper.make_graph(nodes, graph.name, inputs, outputs, [*graph.initializer, *extra.weights.values()])
    model.graph.CopyFrom(body)
    onnx.checker.check_model(model)
    onnx.save(model, path)


def write_fp32(state, sizes, name, path):
    """state: the weights by the graph's names, as decoder.weights and read_weights give them. name: of the graph."""
    write(state, sizes, name, path, tied=True)
    keep_last(path, sizes)


def feeds(ids, sizes, lengths=None):
    """Inputs of whole sequences, int64 N,S, that are padded on the right to the same length."""
    n, width = ids.shape
    lengths = np.full(n, width) if lengths is None else np.asarray(lengths)
    values = {"input_ids": ids, "nonpad_kv_seqlen": lengths.astype(np.int64)}
    for i in range(sizes.layers):
        for kind in ["key", "value"]:
            values[f"past_key_values.{i}.{kind}"] = np.zeros((n, sizes.key_heads, width, sizes.dim), np.float32)
    return values


def write_int8(state, sizes, name, rows, path):
    """Quantises the products with weights, with the ranges of rows: (ids of a prompt with its answer, ...)."""
    untied = path.with_suffix(".untied.onnx")
    write(state, sizes, name, untied, tied=False)
    products = [n.name for n in onnx.load(untied).graph.node if n.op_type == "MatMul"]
    int8.static(untied, path, (feeds(ids[None], sizes) for ids, *_ in rows), ["MatMul"], only=products)
    untied.unlink()
    keep_last(path, sizes)


def read_weights(path):
    """The weights of a file that write_fp32 wrote, by the graph's names."""
    weights = {w.name: numpy_helper.to_array(w) for w in onnx.load(path).graph.initializer}
    return {name: value for name, value in weights.items() if name == "embedding" or name.endswith(".weight")}
