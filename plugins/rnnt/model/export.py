"""Writes the network as the three ONNX files of the reference's usual export, in FP32 and in INT8."""

import numpy as np
import onnx
from data import BLANK
from embedded import int8, onnxgraph
from embedded.onnxgraph import array, floats, ints
from embedded.scales import whole
from network import INPUT, MEMORY, PREDICTION_LAYERS, STACK, WIDTH
from onnx import TensorProto

PARTS = ("encoder", "prediction", "joint")
OPSET = 17


def name(part, precision):
    return f"rnnt_{part}_{precision}.onnx"


def gates(parameter):
    """PyTorch's order (input, forget, cell, output) as ONNX's (input, output, forget, cell)."""
    i, f, c, o = np.split(array(parameter), 4)
    return np.concatenate([i, o, f, c])


class Graph(onnxgraph.Graph):
    def __init__(self, small):
        super().__init__()
        self.small = small

    def scalar(self, name, value):
        return self.weight(name, np.int64(value))

    def gate_weight(self, name, parameter):
        """1,4*HIDDEN,IN; in INT8 with a scale for each gate."""
        value = gates(parameter)[None]
        if not self.small:
            return self.weight(name, value)
        small, scale = whole(value, 1)
        inputs = [self.weight(name + ".int8", small), self.weight(name + ".scale", scale)]
        return self.node("DequantizeLinear", inputs, name, axis=1)

    def lstm(self, name, x, module, layer, states=("", "")):
        """x T,N,IN -> the outputs T,N,HIDDEN, and the last states 1,N,HIDDEN."""
        kinds = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        w, r, wb, rb = (getattr(module, f"{kind}_l{layer}") for kind in kinds)
        bias = self.weight(name + ".bias", np.concatenate([gates(wb), gates(rb)])[None])
        inputs = [x, self.gate_weight(name + ".input", w), self.gate_weight(name + ".recurrent", r), bias, "", *states]
        outputs = [name + "/directions", name + "/hidden", name + "/cell"]
        self.node("LSTM", inputs, outputs, hidden_size=module.hidden_size)
        return self.node("Squeeze", [outputs[0], self.ints(1)], name), outputs[1:]

    def model(self, inputs, outputs):
        return super().model("plumbline-rnnt", inputs, outputs, OPSET)


def encoder(network, small):
    """Frames behind a row's length count as zeros, so that a clip is encoded alike in any batch."""
    graph = Graph(small)
    x, _ = graph.lstm("pre", "input", network.pre, 0)
    count = graph.node("Gather", [graph.node("Shape", ["input"], "shape"), graph.scalar("zero", 0)], "count")
    places = graph.node("Range", ["zero", count, graph.scalar("one", 1)], "places")
    inside = graph.node("Less", [graph.node("Unsqueeze", [places, graph.ints(1)], "rows"), "feature_length"], "inside")
    inside = graph.node("Unsqueeze", [inside, graph.ints(2)], "mask")
    x = graph.node("Where", [inside, x, graph.weight("silence", np.float32(0))], "masked")
    odd = graph.node("Mod", [count, graph.scalar("stack", STACK)], "odd")
    odd = graph.node("Unsqueeze", [odd, graph.ints(0)], "odd_frames")
    pads = graph.node("Concat", [graph.ints(0, 0, 0), odd, graph.ints(0, 0)], "pads", axis=0)
    x = graph.node("Transpose", [graph.node("Pad", [x, pads], "even")], "even_rows", perm=[1, 0, 2])
    x = graph.node("Reshape", [x, graph.ints(0, -1, STACK * WIDTH)], "stacked_rows")
    x, _ = graph.lstm("post", graph.node("Transpose", [x], "stacked", perm=[1, 0, 2]), network.post, 0)
    graph.node("Transpose", [x], "x_padded", perm=[1, 0, 2])
    length = graph.node("Div", [graph.node("Add", ["feature_length", "one"], "rounded_up"), "stack"], "length")
    graph.node("Cast", [length], "x_lens", to=TensorProto.INT32)
    inputs = [floats("input", "seq_len", "batch", INPUT), ints("feature_length", "batch")]
    lengths = onnxgraph.tensor(TensorProto.INT32)("x_lens", "batch")
    return graph.model(inputs, [floats("x_padded", "batch", "t", WIDTH), lengths])


def prediction(network, small):
    graph = Graph(small)
    x = graph.node("Gather", [graph.weight("symbols", array(network.symbols.weight)), "symbol"], "embedded")
    x = graph.node("Transpose", [x], "one_step", perm=[1, 0, 2])
    thirds = graph.ints(*[1] * PREDICTION_LAYERS)
    before = [
        graph.node("Split", [state, thirds], [f"{state}/{i}" for i in range(PREDICTION_LAYERS)], axis=0)
        for state in ("hidden_in_1", "hidden_in_2")
    ]
    after = []
    for i in range(PREDICTION_LAYERS):
        x, states = graph.lstm(f"layer{i}", x, network.prediction, i, [b[i] for b in before])
        after.append(states)
    graph.node("Transpose", [x], "g", perm=[1, 0, 2])
    states = [floats(f"hidden_in_{i}", PREDICTION_LAYERS, "batch", MEMORY) for i in (1, 2)]
    for i, parts in enumerate(zip(*after), 1):
        graph.node("Concat", list(parts), f"hidden_out_{i}", axis=0)
    outputs = [floats(f"hidden_out_{i}", PREDICTION_LAYERS, "batch", MEMORY) for i in (1, 2)]
    return graph.model([ints("symbol", "batch", 1), *states], [floats("g", "batch", 1, MEMORY), *outputs])


def joint(network):
    graph = Graph(False)
    x = graph.node("Concat", ["0", "1"], "both", axis=-1)
    for name, layer in (("inner", network.inner), ("outer", network.outer)):
        x = graph.node("MatMul", [x, graph.weight(name + ".weight", array(layer.weight).T)], name + "/product")
        x = graph.node("Add", [x, graph.weight(name + ".bias", array(layer.bias))], name)
        x = graph.node("Relu", [x], "active") if name == "inner" else x
    graph.node("Unsqueeze", [x, graph.ints(1)], "result")
    inputs = [floats("0", "batch", 1, WIDTH), floats("1", "batch", 1, MEMORY)]
    return graph.model(inputs, [floats("result", "batch", 1, 1, BLANK + 1)])


def write(network, out):
    """Writes all files but the joint network's in INT8."""
    for precision in ("fp32", "int8"):
        onnx.save(encoder(network, precision == "int8"), out / name("encoder", precision))
        onnx.save(prediction(network, precision == "int8"), out / name("prediction", precision))
    onnx.save(joint(network), out / name("joint", "fp32"))


def quantise_joint(out, inputs):
    """Writes the joint network in INT8, with the ranges of what it gets in the decoding of the calibration clips."""
    int8.static(out / name("joint", "fp32"), out / name("joint", "int8"), inputs, ["MatMul"])
