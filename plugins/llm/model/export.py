"""The network as ONNX files with the interface of the common export of decoders with their past, in FP32 and in INT8."""

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static

import network
from network import HEADS, KEY_HEADS, LAYERS, WIDTH

OPSET, IR_VERSION = 17, 8
DIM = WIDTH // HEADS
GROUP = HEADS // KEY_HEADS  # queries that share a key


class Graph:
    """A graph that grows node by node; each method returns the name of its result."""

    def __init__(self, model):
        self.nodes, self.weights, self.known = [], [], set()
        self.state = {name: value.detach().float().numpy() for name, value in model.state_dict().items()}
        self.epsilon = model.config.rms_norm_eps
        self.theta = model.config.rope_theta

    def weight(self, name, array):
        if name not in self.known:
            self.known.add(name)
            self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def ints(self, *values):
        return self.weight("ints_" + "_".join(map(str, values)), np.array(values, np.int64))

    def scalar(self, name, value):
        return self.weight(name, np.array(value, np.float32))

    def node(self, kind, inputs, output, **attributes):
        outputs = [output] if isinstance(output, str) else output
        self.nodes.append(helper.make_node(kind, inputs, outputs, name=outputs[0], **attributes))
        return output

    def dense(self, x, name, *layers, gain=1.0):
        """A product with the weights of one or several layers side by side."""
        array = np.concatenate([self.state[layer + ".weight"].T for layer in layers], axis=1)
        return self.node("MatMul", [x, self.weight(name + ".weight", array * np.float32(gain))], name)

    def norm(self, x, name, layer):
        """x / sqrt(mean(x^2) + epsilon) * weight."""
        squares = self.node("Pow", [x, self.scalar("two", 2)], name + "/square")
        mean = self.node("ReduceMean", [squares], name + "/mean", axes=[-1], keepdims=1)
        root = self.node("Sqrt", [self.node("Add", [mean, self.scalar("epsilon", self.epsilon)], name + "/add")], name + "/root")
        scaled = self.node("Div", [x, root], name + "/div")
        return self.node("Mul", [scaled, self.weight(name + ".weight", self.state[layer + ".weight"])], name)

    def turns(self):
        """cos and sin of the rotary positions, each [N,S,1,DIM]."""
        rates = 1.0 / self.theta ** (np.arange(0, DIM, 2, dtype=np.float32) / DIM)
        rates = np.concatenate([rates, rates]).reshape(1, 1, 1, DIM)
        position = self.node("Cast", ["position_ids"], "position", to=TensorProto.FLOAT)
        position = self.node("Unsqueeze", [position, self.ints(2, 3)], "position/wide")
        angle = self.node("Mul", [position, self.weight("rates", rates.astype(np.float32))], "angle")
        return self.node("Cos", [angle], "cos"), self.node("Sin", [angle], "sin")

    def mask(self):
        """0 where a token may look, else far below, [N,1,1,S,T]: backwards, and at no padding."""
        total = self.node("Shape", ["attention_mask"], "total", start=1, end=2)
        new = self.node("Shape", ["input_ids"], "new", start=1, end=2)
        total0 = self.node("Squeeze", [total], "total/scalar")
        columns = self.node("Range", [self.weight("zero", np.array(0, np.int64)), total0, self.weight("one", np.array(1, np.int64))], "columns")
        past = self.node("Squeeze", [self.node("Sub", [total, new], "past")], "past/scalar")
        rows = self.node("Range", [past, total0, "one"], "rows")
        rows = self.node("Unsqueeze", [rows, self.ints(1)], "rows/column")
        backwards = self.node("LessOrEqual", [columns, rows], "backwards")  # [S,T]
        shown = self.node("Cast", ["attention_mask"], "shown", to=TensorProto.BOOL)
        shown = self.node("Unsqueeze", [shown, self.ints(1, 2, 3)], "shown/wide")
        seen = self.node("And", [shown, backwards], "seen")
        return self.node("Where", [seen, self.scalar("none", 0), self.scalar("far", np.finfo(np.float32).min)], "mask")

    def rotate(self, x, name, cos, sin):
        """Rotary positions of [N,S,heads,DIM]."""
        first, second = self.node("Split", [x, self.ints(DIM // 2, DIM // 2)], [name + "/first", name + "/second"], axis=3)
        minus = self.node("Neg", [second], name + "/minus")
        turned = self.node("Concat", [minus, first], name + "/turned", axis=3)
        straight = self.node("Mul", [x, cos], name + "/cos")
        return self.node("Add", [straight, self.node("Mul", [turned, sin], name + "/sin")], name + "/rotated")

    def attention(self, x, i, cos, sin, mask):
        name, layer = f"layer{i}/attention", f"model.layers.{i}.self_attn"
        wide = self.qkv(x, name, layer)
        heads = HEADS + 2 * KEY_HEADS
        wide = self.node("Reshape", [wide, self.ints(0, 0, heads, DIM)], name + "/heads")
        turn, value = self.node("Split", [wide, self.ints(HEADS + KEY_HEADS, KEY_HEADS)], [name + "/turn", name + "/value"], axis=2)
        turn = self.rotate(turn, name, cos, sin)
        query, key = self.node("Split", [turn, self.ints(HEADS, KEY_HEADS)], [name + "/query", name + "/key"], axis=2)
        query = self.node("Transpose", [query], name + "/query/heads", perm=[0, 2, 1, 3])
        query = self.node("Reshape", [query, self.ints(0, KEY_HEADS, -1, DIM)], name + "/query/groups")
        key = self.remember(key, i, "key")
        value = self.remember(value, i, "value")
        key = self.node("Transpose", [key], name + "/key/columns", perm=[0, 1, 3, 2])
        scores = self.node("MatMul", [query, key], name + "/scores")
        scores = self.node("Reshape", [scores, "split"], name + "/scores/split")
        scores = self.node("Add", [scores, mask], name + "/scores/masked")
        shares = self.node("Softmax", [scores], name + "/shares", axis=-1)
        shares = self.node("Reshape", [shares, "join"], name + "/shares/join")
        mixed = self.node("MatMul", [shares, value], name + "/mixed")
        mixed = self.node("Reshape", [mixed, self.ints(0, HEADS, -1, DIM)], name + "/mixed/heads")
        mixed = self.node("Transpose", [mixed], name + "/mixed/rows", perm=[0, 2, 1, 3])
        mixed = self.node("Reshape", [mixed, self.ints(0, 0, WIDTH)], name + "/mixed/flat")
        return self.dense(mixed, name + "/out", layer + ".o_proj")

    def qkv(self, x, name, layer):
        """Queries, keys and values side by side; the queries scaled."""
        arrays = [self.state[f"{layer}.{part}_proj.weight"].T for part in "qkv"]
        arrays[0] = arrays[0] * np.float32(DIM**-0.5)
        weight = self.weight(name + "/qkv.weight", np.concatenate(arrays, axis=1))
        return self.node("MatMul", [x, weight], name + "/qkv")

    def remember(self, x, i, kind):
        """New keys or values behind the past ones."""
        x = self.node("Transpose", [x], f"layer{i}/{kind}/heads", perm=[0, 2, 1, 3])
        return self.node("Concat", [f"past_key_values.{i}.{kind}", x], f"present.{i}.{kind}", axis=2)

    def feed(self, x, i):
        name, layer = f"layer{i}/feed", f"model.layers.{i}.mlp"
        wide = self.dense(x, name + "/wide", layer + ".gate_proj", layer + ".up_proj")
        inner = self.state[layer + ".up_proj.weight"].shape[0]
        gate, up = self.node("Split", [wide, self.ints(inner, inner)], [name + "/gate", name + "/up"], axis=2)
        soft = self.node("Mul", [gate, self.node("Sigmoid", [gate], name + "/sigmoid")], name + "/silu")
        return self.dense(self.node("Mul", [soft, up], name + "/inner"), name + "/down", layer + ".down_proj")

    def shapes(self):
        """The shapes of scores with and without groups: they depend on the number of new tokens."""
        new = self.node("Shape", ["input_ids"], "new_tokens", start=1, end=2)
        grouped = self.node("Mul", [new, self.ints(GROUP)], "grouped")
        self.node("Concat", [self.ints(0, KEY_HEADS, GROUP), new, self.ints(-1)], "split", axis=0)
        self.node("Concat", [self.ints(0, KEY_HEADS), grouped, self.ints(-1)], "join", axis=0)

    def build(self, tied):
        table = self.weight("embedding", self.state["model.embed_tokens.weight"])
        x = self.node("Gather", [table, "input_ids"], "embedded")
        cos, sin = self.turns()
        mask = self.mask()
        self.shapes()
        for i in range(LAYERS):
            layer = f"model.layers.{i}"
            y = self.norm(x, f"layer{i}/norm1", layer + ".input_layernorm")
            x = self.node("Add", [x, self.attention(y, i, cos, sin, mask)], f"layer{i}/middle")
            y = self.norm(x, f"layer{i}/norm2", layer + ".post_attention_layernorm")
            x = self.node("Add", [x, self.feed(y, i)], f"layer{i}")
        x = self.norm(x, "norm", "model.norm")
        head = self.node("Transpose", [table], "head", perm=[1, 0]) if tied else self.weight("head.weight", self.state["model.embed_tokens.weight"].T)
        self.node("MatMul", [x, head], "logits")


def write_fp32(model, path, tied=True):
    graph = Graph(model)
    graph.build(tied)
    vocabulary = model.config.vocab_size
    ints = lambda name, *dims: helper.make_tensor_value_info(name, TensorProto.INT64, dims)
    floats = lambda name, *dims: helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)
    total = "past_sequence_length + sequence_length"
    inputs = [ints("input_ids", "batch_size", "sequence_length"), ints("attention_mask", "batch_size", total), ints("position_ids", "batch_size", "sequence_length")]
    outputs = [floats("logits", "batch_size", "sequence_length", vocabulary)]
    for i in range(LAYERS):
        for kind in ["key", "value"]:
            inputs.append(floats(f"past_key_values.{i}.{kind}", "batch_size", KEY_HEADS, "past_sequence_length", DIM))
            outputs.append(floats(f"present.{i}.{kind}", "batch_size", KEY_HEADS, total, DIM))
    body = helper.make_graph(graph.nodes, "plumbline-llm", inputs, outputs, graph.weights)
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="plumbline")
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model)
    onnx.save(model, path)


def feeds(ids, lengths=None):
    """Inputs of whole sequences, int64 N,S, that are padded on the left to the same length."""
    n, width = ids.shape
    lengths = np.full(n, width) if lengths is None else np.asarray(lengths)
    mask = (np.arange(width)[None] >= width - lengths[:, None]).astype(np.int64)
    positions = np.maximum(np.cumsum(mask, axis=1) - 1, 0)
    values = {"input_ids": ids, "attention_mask": mask, "position_ids": positions}
    for i in range(LAYERS):
        for kind in ["key", "value"]:
            values[f"past_key_values.{i}.{kind}"] = np.zeros((n, KEY_HEADS, 0, DIM), np.float32)
    return values


class Calibration(CalibrationDataReader):
    """Feeds whole articles with their summaries."""

    def __init__(self, rows):
        self.batches = (feeds(ids[None]) for ids, _ in rows)

    def get_next(self):
        return next(self.batches, None)


def write_int8(model, rows, path):
    """Quantises the products with weights statically: UInt8 activations from the calibration articles' ranges, so that an
    answer does not depend on what else is in a batch, and Int8 weights per channel.

    Weights keep seven bits: processors without VNNI add pairs of products in 16 bits, which eight bits overflow.
    """
    untied = path.with_suffix(".untied.onnx")
    write_fp32(model, untied, tied=False)
    products = [n.name for n in onnx.load(untied).graph.node if n.op_type == "MatMul" and any(w.endswith(".weight") for w in n.input)]
    quantize_static(
        untied,
        path,
        Calibration(rows),
        quant_format=QuantFormat.QDQ,
        op_types_to_quantize=["MatMul"],
        nodes_to_quantize=products,
        per_channel=True,
        reduce_range=True,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
        calibrate_method=CalibrationMethod.MinMax,
    )
    untied.unlink()


def read_network(path):
    """The network of a file that write_fp32 wrote."""
    weights = {w.name: numpy_helper.to_array(w) for w in onnx.load(path).graph.initializer}
    model = network.make()
    state = {"model.embed_tokens.weight": weights["embedding"], "lm_head.weight": weights["embedding"], "model.norm.weight": weights["norm.weight"]}
    keys = KEY_HEADS * DIM
    for i in range(LAYERS):
        ours, theirs = f"layer{i}", f"model.layers.{i}"
        state[f"{theirs}.input_layernorm.weight"] = weights[f"{ours}/norm1.weight"]
        state[f"{theirs}.post_attention_layernorm.weight"] = weights[f"{ours}/norm2.weight"]
        qkv = weights[f"{ours}/attention/qkv.weight"]
        state[f"{theirs}.self_attn.q_proj.weight"] = qkv[:, :WIDTH].T * np.float32(DIM**0.5)
        state[f"{theirs}.self_attn.k_proj.weight"] = qkv[:, WIDTH : WIDTH + keys].T
        state[f"{theirs}.self_attn.v_proj.weight"] = qkv[:, WIDTH + keys :].T
        state[f"{theirs}.self_attn.o_proj.weight"] = weights[f"{ours}/attention/out.weight"].T
        gate, up = np.split(weights[f"{ours}/feed/wide.weight"], 2, axis=1)
        state[f"{theirs}.mlp.gate_proj.weight"], state[f"{theirs}.mlp.up_proj.weight"] = gate.T, up.T
        state[f"{theirs}.mlp.down_proj.weight"] = weights[f"{ours}/feed/down.weight"].T
    model.load_state_dict({name: torch.tensor(np.ascontiguousarray(value)) for name, value in state.items()})
    return model.eval()
