"""The encoder and the decoder as ONNX graphs, built from weights under the names and in the layouts of GNMT's
checkpoint (hparams wmt16_gnmt_4_layer): convert.py reads them from one, train.py makes them.

weights: {name without the prefix dynamic_seq2seq/: float32 array}. An LSTM's kernel is [inputs + H, 4H] with the gates
in the order input, candidate, forget, output; its forget gate has 1 added when it runs, which the checkpoint lacks.
"""
import numpy as np
from embedded import onnxgraph
from embedded.onnxgraph import floats, ints
from onnx import TensorProto

OPSET = 17


class Graph(onnxgraph.Graph):
    """Nodes and constants under made-up names."""

    def __init__(self):
        super().__init__()
        self.names = 0

    def name(self):
        self.names += 1
        return f"t{self.names}"

    def constant(self, value):
        return self.weight(self.name(), value)

    def integers(self, *values):
        return self.constant(np.array(values, np.int64))

    def op(self, kind, *inputs, outputs=1, to=None, **attributes):
        names = [to] if to else [self.name() for _ in range(outputs)]
        self.node(kind, list(inputs), names, "", **attributes)
        return names[0] if outputs == 1 else names

    def model(self, inputs, outputs):
        return super().model("gnmt", inputs, outputs, OPSET)


def gates(weights, name):
    """kernel and bias with the 1 of the forget gate, and H."""
    kernel, bias = weights[name + "/kernel"], weights[name + "/bias"].copy()
    width = bias.size // 4
    bias[2 * width : 3 * width] += 1
    return kernel, bias, width


def onnx_gates(weights, name):
    """W, R and B of ONNX's LSTM, whose order of gates is input, output, forget, candidate."""
    kernel, bias, width = gates(weights, name)
    order = [0, 3, 2, 1]
    cut = lambda a: np.concatenate([np.split(a, 4, axis=-1)[k] for k in order], axis=-1)
    w, r = cut(kernel[:-width]).T, cut(kernel[-width:]).T
    return w, r, np.concatenate([cut(bias), np.zeros_like(bias)]), width


def layer_names(weights):
    """The LSTMs of the encoder behind the first."""
    many = "encoder/rnn/multi_rnn_cell/cell_%d/basic_lstm_cell"
    names = []
    while many % len(names) + "/kernel" in weights:
        names.append(many % len(names))
    return names or ["encoder/rnn/basic_lstm_cell"]


def encoder(weights):
    g = Graph()
    table = weights["embeddings/encoder/embedding_encoder"]
    x = g.op("Transpose", g.op("Gather", g.constant(table), "src"), perm=[1, 0, 2])
    lengths = g.node("Cast", ["src_len"], g.name(), "", to=TensorProto.INT32)
    both = [onnx_gates(weights, f"encoder/bidirectional_rnn/{d}/basic_lstm_cell") for d in ("fw", "bw")]
    width = both[0][3]
    w, r, b = (g.constant(np.stack([d[k] for d in both])) for k in range(3))
    y, h, c = g.op("LSTM", x, w, r, b, lengths, outputs=3, hidden_size=width, direction="bidirectional")
    x = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3]), g.integers(0, 0, 2 * width))
    last = g.integers(1)
    hs, cs = [g.op("Gather", h, last, axis=0)], [g.op("Gather", c, last, axis=0)]
    for k, name in enumerate(layer_names(weights)):
        w, r, b, _ = onnx_gates(weights, name)
        parts = [g.constant(a[None]) for a in (w, r, b)]
        y, h, c = g.op("LSTM", x, *parts, lengths, outputs=3, hidden_size=width, direction="forward")
        hs.append(h)
        cs.append(c)
        y = g.op("Squeeze", y, last)
        x = g.op("Add", y, x) if k > 0 else y
    g.op("Concat", *hs, axis=0, to="h0")
    g.op("Concat", *cs, axis=0, to="c0")
    g.op("Transpose", x, perm=[1, 0, 2], to="memory")
    g.op("MatMul", "memory", g.constant(weights["decoder/memory_layer/kernel"]), to="keys")
    outputs = [floats(name, "B", "S", width) for name in ("memory", "keys")]
    outputs += [floats(name, len(hs), "B", width) for name in ("h0", "c0")]
    return g.model([ints("src", "B", "S"), ints("src_len", "B")], outputs)


def cell(g, weights, name, x, h, c):
    """One step of an LSTM: its h and c."""
    kernel, bias, width = gates(weights, name)
    total = g.op("Add", g.op("MatMul", g.op("Concat", x, h, axis=1), g.constant(kernel)), g.constant(bias))
    i, j, f, o = g.op("Split", total, g.integers(*[width] * 4), outputs=4, axis=1)
    kept = g.op("Mul", c, g.op("Sigmoid", f))
    c = g.op("Add", kept, g.op("Mul", g.op("Sigmoid", i), g.op("Tanh", j)))
    return g.op("Mul", g.op("Tanh", c), g.op("Sigmoid", o)), c


def attention(g, weights, query):
    """The context of this step: normed Bahdanau attention, nothing behind the sources' lengths."""
    at = "decoder/multi_rnn_cell/cell_0_attention/attention/bahdanau_attention/"
    v = weights[at + "attention_v"]
    v = weights[at + "attention_g"] * v / np.sqrt(np.sum(v * v))
    middle = g.integers(1)
    q = g.op("Add", g.op("MatMul", query, g.constant(weights[at + "query_layer/kernel"])),
             g.constant(weights[at + "attention_b"]))
    sums = g.op("Tanh", g.op("Add", "keys", g.op("Unsqueeze", q, middle)))
    scores = g.op("Squeeze", g.op("MatMul", sums, g.constant(v.astype(np.float32)[:, None])), g.integers(2))
    size = g.op("Gather", g.op("Shape", "keys"), g.integers(1))
    places = g.op("Range", g.integers(0), size, g.integers(1))
    inside = g.op("Less", places, g.op("Unsqueeze", "src_len", middle))
    scores = g.op("Where", inside, scores, g.constant(np.array([-np.inf], np.float32)))
    shares = g.op("Unsqueeze", g.op("Softmax", scores, axis=1), middle)
    return g.op("Squeeze", g.op("MatMul", shares, "memory"), middle, to="context_out")


def decoder(weights):
    g = Graph()
    names = ["decoder/multi_rnn_cell/cell_0_attention/attention/basic_lstm_cell"]
    while (name := f"decoder/multi_rnn_cell/cell_{len(names)}/basic_lstm_cell") + "/kernel" in weights:
        names.append(name)
    states = {s: g.op("Split", s, g.integers(*[1] * len(names)), outputs=len(names), axis=0) for s in ("h", "c")}
    first = g.integers(0)
    embedded = g.op("Gather", g.constant(weights["embeddings/decoder/embedding_decoder"]), "token")
    x, context, hs, cs = g.op("Concat", embedded, "context", axis=1), None, [], []
    for k, name in enumerate(names):
        below = x
        if k > 0:
            x = g.op("Concat", x, context, axis=1)
        y, c = cell(g, weights, name, x, *(g.op("Squeeze", states[s][k], first) for s in ("h", "c")))
        hs.append(g.op("Unsqueeze", y, first))
        cs.append(g.op("Unsqueeze", c, first))
        if k == 0:
            context = attention(g, weights, y)
        x = g.op("Add", y, below) if k > 1 else y
    g.op("Concat", *hs, axis=0, to="h_out")
    g.op("Concat", *cs, axis=0, to="c_out")
    projection = weights["decoder/output_projection/kernel"]
    g.op("MatMul", x, g.constant(projection), to="logits")
    g.op("LogSoftmax", "logits", axis=1, to="log_probs")
    width, size = projection.shape
    state = lambda *names: [floats(name, len(hs), "N", width) for name in names]
    inputs = [ints("token", "N"), *(floats(name, "N", "S", width) for name in ("memory", "keys")), ints("src_len", "N")]
    outputs = [floats("logits", "N", size), floats("log_probs", "N", size), floats("context_out", "N", width)]
    return g.model([*inputs, floats("context", "N", width), *state("h", "c")], outputs + state("h_out", "c_out"))
