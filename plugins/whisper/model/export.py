"""Writes the network as the three ONNX files of optimum's form, in FP32 and in INT8."""

import numpy as np
import onnx
import torch
from data import FRAMES
from embedded import int8, onnxgraph
from embedded.onnxgraph import array, floats, ints
from embedded.speech import FILTERS
from network import FRONT, HEADS, LEVEL, PACE, POSITIONS, SPREAD, WIDTH, rates, sinusoids
from onnx import TensorProto

PARTS = ("encoder", "decoder", "decoder_with_past")
FILES = {"encoder": "encoder_model", "decoder": "decoder_model", "decoder_with_past": "decoder_with_past_model"}
OPSET = 17
DIM = WIDTH // HEADS


def name(part, precision):
    return f"{FILES[part]}_{precision}.onnx"


class Graph(onnxgraph.Graph):
    def integer(self, value):
        return self.weight(f"integer_{value}", np.int64(value))

    def float(self, name, value):
        return self.weight(name, np.float32(value))

    def layer(self, name, x, module, factor=1.0):
        bias = None if module.bias is None else array(module.bias) * factor
        return self.linear(name, x, array(module.weight).T * factor, bias)

    def normed(self, name, x, module):
        return self.norm(name, x, array(module.weight), array(module.bias))

    def heads(self, x, output):
        """N,S,WIDTH -> N,HEADS,S,DIM."""
        x = self.node("Reshape", [x, self.ints(0, -1, HEADS, DIM)], output + "/split")
        return self.node("Transpose", [x], output, perm=[0, 2, 1, 3])

    def query(self, name, x, module):
        return self.heads(self.layer(name + "/query", x, module.query, DIM**-0.5), name + "/queries")

    def key_value(self, name, x, module, outputs=None):
        keys, values = outputs or (name + "/keys", name + "/values")
        return (
            self.heads(self.layer(name + "/key", x, module.key), keys),
            self.heads(self.layer(name + "/value", x, module.value), values),
        )

    def attend(self, name, query, key, value, module, mask=None):
        turned = self.node("Transpose", [key], name + "/turned", perm=[0, 1, 3, 2])
        scores = self.node("MatMul", [query, turned], name + "/scores")
        scores = scores if mask is None else self.node("Add", [scores, mask], name + "/masked")
        weights = self.node("Softmax", [scores], name + "/weights", axis=-1)
        mixed = self.node("MatMul", [weights, value], name + "/mixed")
        mixed = self.node("Transpose", [mixed], name + "/rows", perm=[0, 2, 1, 3])
        joined = self.node("Reshape", [mixed, self.ints(0, -1, WIDTH)], name + "/joined")
        return self.layer(name, joined, module.output)

    def add(self, x, y, name):
        return self.node("Add", [x, y], name)

    def feed(self, name, x, module):
        x = self.gelu(name + "/gelu", self.layer(name + "/wide", x, module[0]))
        return self.layer(name, x, module[2])

    def model(self, inputs, outputs):
        return super().model("plumbline-whisper", inputs, outputs, OPSET)


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
    x = graph.normed("front", graph.node("Transpose", [x], "frames", perm=[0, 2, 1]), network.front_norm)
    x = graph.add(x, graph.weight("positions", array(sinusoids(torch.arange(POSITIONS)))), "placed")
    for i, layer in enumerate(network.encoder):
        at = f"layer{i}/attention"
        y = graph.normed(f"layer{i}/norm1", x, layer.norm1)
        query, memory = graph.query(at, y, layer.attention), graph.key_value(at, y, layer.attention)
        y = graph.attend(at, query, *memory, layer.attention)
        x = graph.add(x, y, f"layer{i}/sum1")
        y = graph.feed(f"layer{i}/feed", graph.normed(f"layer{i}/norm2", x, layer.norm2), layer.feed)
        x = graph.add(x, y, f"layer{i}/sum2")
    graph.normed("last_hidden_state", x, network.encoder_norm)
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
    inputs = [ints("input_ids", "batch_size", tokens)]
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
    x = graph.normed("norm", x, network.decoder_norm)
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
    y = graph.normed(f"layer{i}/norm1", x, layer.norm1)
    if first:
        own = graph.key_value(said, y, layer.said, left[:2])
        sound = graph.key_value(heard, "encoder_hidden_states", layer.heard, left[2:])
    else:
        new = graph.key_value(said, y, layer.said)
        own = [graph.node("Concat", [old, one], both, axis=2) for old, one, both in zip(given, new, left)]
        sound = given[2:]
    x = graph.add(x, graph.attend(said, graph.query(said, y, layer.said), *own, layer.said, mask), f"layer{i}/sum1")
    y = graph.normed(f"layer{i}/norm2", x, layer.norm2)
    x = graph.add(x, graph.attend(heard, graph.query(heard, y, layer.heard), *sound, layer.heard), f"layer{i}/sum2")
    y = graph.feed(f"layer{i}/feed", graph.normed(f"layer{i}/norm3", x, layer.norm3), layer.feed)
    return graph.add(x, y, f"layer{i}/sum3"), taken, made


def write_fp32(network, folder):
    """Writes the files, and returns the names of the nodes of each part to quantise."""
    models = dict(zip(PARTS, (encoder(network), decoder(network, False), decoder(network, True))))
    for part, (model, _) in models.items():
        onnx.save(model, folder / name(part, "fp32"))
    return {part: dense for part, (_, dense) in models.items()}


def write_int8(folder, dense, inputs):
    """Quantises the layers with weights, with the ranges of what each part is given for the calibration windows."""
    for part in PARTS:
        paths = [folder / name(part, precision) for precision in ("fp32", "int8")]
        int8.static(*paths, inputs[part], ["MatMul", "Conv"], only=dense[part])
