"""Writes the network as the three ONNX files of optimum's form, in FP32 and in INT8."""

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static

import evaluate
from data import FILTERS, FRAMES
from network import FRONT, HEADS, LEVEL, PACE, POSITIONS, SPREAD, WIDTH, rates, sinusoids

PARTS = ("encoder", "decoder", "decoder_with_past")
FILES = {"encoder": "encoder_model", "decoder": "decoder_model", "decoder_with_past": "decoder_with_past_model"}
OPSET, IR_VERSION = 17, 8
EPSILON = 1e-5  # of nn.LayerNorm
DIM = WIDTH // HEADS


def name(part, precision):
    return f"{FILES[part]}_{precision}.onnx"


def array(parameter):
    return parameter.detach().numpy().astype(np.float32)


class Graph:
    """Collects nodes and weights. Each method adds what its name says, and returns the name of the result."""

    def __init__(self):
        self.nodes, self.weights, self.known, self.dense = [], [], set(), []

    def weight(self, name, value):
        if name not in self.known:
            self.known.add(name)
            self.weights.append(numpy_helper.from_array(np.asarray(value, order="C"), name))
        return name

    def ints(self, *values):
        return self.weight("ints_" + "_".join(map(str, values)), np.array(values, np.int64))

    def integer(self, value):
        return self.weight(f"integer_{value}", np.int64(value))

    def float(self, name, value):
        return self.weight(name, np.float32(value))

    def node(self, op, inputs, output, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [output], output, **attributes))
        return output

    def linear(self, name, x, module, factor=1.0):
        """A layer that is quantised."""
        y = self.node("MatMul", [x, self.weight(name + ".weight", array(module.weight).T * factor)], name + "/product")
        self.dense.append(y)
        if module.bias is None:
            return y
        return self.node("Add", [y, self.weight(name + ".bias", array(module.bias) * factor)], name)

    def norm(self, name, x, module):
        scale, bias = array(module.weight), array(module.bias)
        inputs = [x, self.weight(name + ".scale", scale), self.weight(name + ".bias", bias)]
        return self.node("LayerNormalization", inputs, name, axis=-1, epsilon=EPSILON)

    def gelu(self, name, x):
        y = self.node("Div", [x, self.float("root_two", np.sqrt(2))], name + "/scaled")
        y = self.node("Add", [self.node("Erf", [y], name + "/erf"), self.float("one", 1)], name + "/plus_one")
        y = self.node("Mul", [x, y], name + "/product")
        return self.node("Mul", [y, self.float("half", 0.5)], name)

    def heads(self, x, output):
        """N,S,WIDTH -> N,HEADS,S,DIM."""
        x = self.node("Reshape", [x, self.ints(0, -1, HEADS, DIM)], output + "/split")
        return self.node("Transpose", [x], output, perm=[0, 2, 1, 3])

    def query(self, name, x, module):
        return self.heads(self.linear(name + "/query", x, module.query, DIM**-0.5), name + "/queries")

    def key_value(self, name, x, module, outputs=None):
        keys, values = outputs or (name + "/keys", name + "/values")
        return (
            self.heads(self.linear(name + "/key", x, module.key), keys),
            self.heads(self.linear(name + "/value", x, module.value), values),
        )

    def attend(self, name, query, key, value, module, mask=None):
        turned = self.node("Transpose", [key], name + "/turned", perm=[0, 1, 3, 2])
        scores = self.node("MatMul", [query, turned], name + "/scores")
        scores = scores if mask is None else self.node("Add", [scores, mask], name + "/masked")
        weights = self.node("Softmax", [scores], name + "/weights", axis=-1)
        mixed = self.node("MatMul", [weights, value], name + "/mixed")
        mixed = self.node("Transpose", [mixed], name + "/rows", perm=[0, 2, 1, 3])
        joined = self.node("Reshape", [mixed, self.ints(0, -1, WIDTH)], name + "/joined")
        return self.linear(name, joined, module.output)

    def add(self, x, y, name):
        return self.node("Add", [x, y], name)

    def feed(self, name, x, module):
        x = self.gelu(name + "/gelu", self.linear(name + "/wide", x, module[0]))
        return self.linear(name, x, module[2])

    def model(self, inputs, outputs):
        body = helper.make_graph(self.nodes, "plumbline-whisper", inputs, outputs, self.weights)
        model = helper.make_model(body, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="plumbline")
        model.ir_version = IR_VERSION
        onnx.checker.check_model(model, full_check=True)
        return model


def floats(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def encoder(network):
    """The model, and the names of its nodes to quantise."""
    graph = Graph()
    x = graph.node("Sub", ["input_features", graph.float("level", LEVEL)], "centred")
    x = graph.node("Div", [x, graph.float("spread", SPREAD)], "normal")
    for i, (module, (_, _, kernel, stride)) in enumerate(zip(network.front, FRONT)):
        weight = graph.weight(f"front{i}.weight", array(module.weight))
        bias = graph.weight(f"front{i}.bias", array(module.bias))
        x = graph.node("Conv", [x, weight, bias], f"front{i}", strides=[stride], pads=[kernel // 2] * 2)
        graph.dense.append(x)
        x = graph.gelu(f"front{i}/gelu", x)
    x = graph.norm("front", graph.node("Transpose", [x], "frames", perm=[0, 2, 1]), network.front_norm)
    x = graph.add(x, graph.weight("positions", array(sinusoids(torch.arange(POSITIONS)))), "placed")
    for i, layer in enumerate(network.encoder):
        at = f"layer{i}/attention"
        y = graph.norm(f"layer{i}/norm1", x, layer.norm1)
        query, memory = graph.query(at, y, layer.attention), graph.key_value(at, y, layer.attention)
        y = graph.attend(at, query, *memory, layer.attention)
        x = graph.add(x, y, f"layer{i}/sum1")
        y = graph.feed(f"layer{i}/feed", graph.norm(f"layer{i}/norm2", x, layer.norm2), layer.feed)
        x = graph.add(x, y, f"layer{i}/sum2")
    graph.norm("last_hidden_state", x, network.encoder_norm)
    inputs = [floats("input_features", "batch_size", FILTERS, FRAMES)]
    return graph.model(inputs, [floats("last_hidden_state", "batch_size", POSITIONS, WIDTH)]), graph.dense


def embed(graph, network, before):
    """The tokens' vectors with those of their places, before being how many tokens come before them."""
    table = array(network.tokens.weight)
    x = graph.node("Gather", [graph.weight("tokens", table * WIDTH**0.5), "input_ids"], "embedded")
    count = graph.node("Gather", [graph.node("Shape", ["input_ids"], "shape"), graph.integer(1)], "count")
    behind = graph.node("Add", [before, count], "behind")
    places = graph.node("Range", [before, behind, graph.integer(1)], "places")
    places = graph.node("Cast", [places], "places/float", to=TensorProto.FLOAT)
    places = graph.node("Unsqueeze", [places, graph.ints(1)], "rows")
    angles = graph.node("Mul", [places, graph.weight("rates", array(rates() * PACE)[None])], "angles")
    waves = [graph.node(op, [angles], op.lower()) for op in ("Sin", "Cos")]
    return graph.add(x, graph.node("Concat", waves, "waves", axis=1), "placed"), count


def causal(graph, count):
    """0 where a token may look at another, S,S, and very little where that comes later."""
    places = graph.node("Range", [graph.integer(0), count, graph.integer(1)], "mask/places")
    row = graph.node("Unsqueeze", [places, graph.ints(0)], "mask/columns")
    later = graph.node("Greater", [row, graph.node("Unsqueeze", [places, graph.ints(1)], "mask/rows")], "mask/later")
    return graph.node("Where", [later, graph.float("never", -1e9), graph.float("zero", 0)], "mask")


def caches(prefix, i, kinds, length):
    """The names of a layer's keys and values, and their declarations."""
    names = [f"{prefix}.{i}.{kind}.{part}" for kind in kinds for part in ("key", "value")]
    return names, [floats(n, "batch_size", HEADS, POSITIONS if "encoder" in n else length, DIM) for n in names]


def decoder(network, past):
    """The model, and the names of its nodes to quantise. past: one token behind others, whose keys and values are
    given."""
    graph = Graph()
    tokens = 1 if past else "sequence_length"
    inputs = [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch_size", tokens])]
    if past:
        shape = graph.node("Shape", ["past_key_values.0.decoder.key"], "past/shape")
        before = graph.node("Gather", [shape, graph.integer(2)], "before")
    else:
        inputs.append(floats("encoder_hidden_states", "batch_size", POSITIONS, WIDTH))
        before = graph.integer(0)
    x, count = embed(graph, network, before)
    mask = None if past else causal(graph, count)
    outputs = [floats("logits", "batch_size", tokens, len(network.tokens.weight))]
    for i, layer in enumerate(network.decoder):
        x, before_it, after_it = decoder_layer(graph, i, x, layer, mask)
        inputs += before_it if past else []
        outputs += after_it
    x = graph.norm("norm", x, network.decoder_norm)
    graph.node("MatMul", [x, graph.weight("logits.weight", array(network.tokens.weight).T)], "logits")
    graph.dense.append("logits")
    return graph.model(inputs, outputs), graph.dense


def decoder_layer(graph, i, x, layer, mask):
    """What a layer makes of x, and the declarations of what it takes from the past and of what it leaves for the next
    run."""
    said, heard = f"layer{i}/said", f"layer{i}/heard"
    given, taken = caches("past_key_values", i, ("decoder", "encoder"), "past_length")
    first = mask is not None
    kinds, length = (("decoder", "encoder"), "sequence_length") if first else (("decoder",), "length")
    left, made = caches("present", i, kinds, length)
    y = graph.norm(f"layer{i}/norm1", x, layer.norm1)
    if first:
        own = graph.key_value(said, y, layer.said, left[:2])
        sound = graph.key_value(heard, "encoder_hidden_states", layer.heard, left[2:])
    else:
        new = graph.key_value(said, y, layer.said)
        own = [graph.node("Concat", [g, n], l, axis=2) for g, n, l in zip(given, new, left)]
        sound = given[2:]
    x = graph.add(x, graph.attend(said, graph.query(said, y, layer.said), *own, layer.said, mask), f"layer{i}/sum1")
    y = graph.norm(f"layer{i}/norm2", x, layer.norm2)
    x = graph.add(x, graph.attend(heard, graph.query(heard, y, layer.heard), *sound, layer.heard), f"layer{i}/sum2")
    y = graph.feed(f"layer{i}/feed", graph.norm(f"layer{i}/norm3", x, layer.norm3), layer.feed)
    return graph.add(x, y, f"layer{i}/sum3"), taken, made


class Calibration(CalibrationDataReader):
    def __init__(self, inputs):
        self.inputs = iter(inputs)

    def get_next(self):
        return next(self.inputs, None)


def quantise(folder, part, dense, inputs):
    """Quantises the layers with weights statically: UInt8 activations from the ranges of the calibration windows, Int8
    weights per channel. Ranges that do not depend on the batch keep an answer the same whatever it is batched with.

    Weights keep seven bits: processors without VNNI add pairs of products in 16 bits, which eight bits overflow.
    """
    quantize_static(
        folder / name(part, "fp32"),
        folder / name(part, "int8"),
        Calibration(inputs),
        quant_format=QuantFormat.QDQ,
        op_types_to_quantize=["MatMul", "Conv"],
        nodes_to_quantize=dense,
        per_channel=True,
        reduce_range=True,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
        calibrate_method=CalibrationMethod.MinMax,
    )


def write(network, vocabulary, windows, folder):
    """Writes all files; the windows are those of the calibration."""
    models = dict(zip(PARTS, (encoder(network), decoder(network, False), decoder(network, True))))
    for part, (model, _) in models.items():
        onnx.save(model, folder / name(part, "fp32"))
    seen = evaluate.inputs(folder, vocabulary, windows)
    for part, (_, dense) in models.items():
        quantise(folder, part, dense, seen[part])
