"""The network as ONNX files with the inputs of the recommendation benchmark, in FP32 and with INT8 embeddings."""

import numpy as np
import onnx
from embedded import onnxgraph
from embedded.onnxgraph import array, floats
from embedded.scales import whole
from onnx import TensorProto

OPSET = 13
DENSE, OFFSETS, INDICES, PREDICTION = "dense_x", "offsets", "indices", "pred"
int32s = onnxgraph.tensor(TensorProto.INT32)


class Graph(onnxgraph.Graph):
    def perceptron(self, name, x, layers, last):
        """Linear layers (weight, bias), with Relu between; the kind of the node after the last one is given."""
        for i, (weight, bias) in enumerate(layers):
            inputs = [x, self.weight(f"{name}.{i}.weight", weight), self.weight(f"{name}.{i}.bias", bias)]
            x = self.node("Gemm", inputs, f"{name}/{i}", transB=1)
            x = self.node("Relu" if i + 1 < len(layers) else last, [x], f"{name}/{i}/activation")
        return x

    def bag(self, k, table, rows):
        """Sums of the rows of a table: [N,hotness] indices to [N,1,width]. An int8 table comes with its scales.

        Scales are the same for all rows, so that they can wait for the sum: DequantizeLinear before it takes twice as
        long.
        """
        weight, scales = table
        vectors = self.node("Gather", [self.weight(f"table.{k}", weight), rows], f"bag/{k}/rows", axis=0)
        if scales is None:
            return self.node("ReduceSum", [vectors, "bag/axis"], f"bag/{k}/sum", keepdims=1)
        floats = self.node("Cast", [vectors], f"bag/{k}/floats", to=TensorProto.FLOAT)
        total = self.node("ReduceSum", [floats, "bag/axis"], f"bag/{k}/total", keepdims=1)
        return self.node("Mul", [total, self.weight(f"table.{k}.scales", scales)], f"bag/{k}/sum")

    def bags(self, tables):
        """The bags of all tables, each of the size that its offsets say."""
        count = len(tables)
        self.weight("first.axis", np.array([0], np.int64))
        self.weight("slice.axis", np.array([0], np.int32))
        self.weight("bag/axis", np.array([1], np.int64))
        shape = self.node("Shape", [DENSE], "shape")
        pairs = self.node("Gather", [shape, "first.axis"], "pairs", axis=0)
        ends = self.node("Mul", [pairs, self.weight("tables", np.arange(count + 1))], "bag/ends")
        starts = self.node("Gather", [OFFSETS, ends], "bag/starts", axis=0)
        parts = [f"bag/start/{k}" for k in range(count + 1)]
        self.node("Split", [starts], parts, name="bag/split", axis=0)
        matrix = self.node("Concat", [pairs, self.weight("rest", np.array([-1], np.int64))], "bag/shape", axis=0)
        sums = []
        for k, table in enumerate(tables):
            part = self.node("Slice", [INDICES, parts[k], parts[k + 1], "slice.axis"], f"bag/{k}/slice")
            sums.append(self.bag(k, table, self.node("Reshape", [part, matrix], f"bag/{k}/indices")))
        return sums

    def interaction(self, x, sums, width):
        """x, and the dot products of each two of all vectors."""
        count = len(sums) + 1
        first = self.node("Reshape", [x, self.weight("vector", np.array([-1, 1, width], np.int64))], "numbers")
        vectors = self.node("Concat", [first, *sums], "vectors", axis=1)
        across = self.node("Transpose", [vectors], "vectors/transposed", perm=[0, 2, 1])
        dots = self.node("MatMul", [vectors, across], "dots")
        flat = self.node("Reshape", [dots, self.weight("square", np.array([-1, count * count], np.int64))], "dots/flat")
        rows, columns = np.tril_indices(count, -1)
        below = self.weight("below", (rows * count + columns).astype(np.int64))
        return self.node("Concat", [x, self.node("Gather", [flat, below], "dots/below", axis=1)], "features", axis=1)

    def dlrm(self, tables, bottom, top):
        x = self.perceptron("bottom", DENSE, bottom, "Relu")
        features = self.interaction(x, self.bags(tables), bottom[-1][0].shape[0])
        chance = self.perceptron("top", features, top, "Sigmoid")
        self.node("Reshape", [chance, self.weight("line", np.array([-1], np.int64))], PREDICTION)


def write(network, path, quantise):
    """Writes the network; quantise keeps its embeddings as INT8."""
    tables = [network.table(k) for k in range(len(network.rows))]
    built = Graph()
    built.dlrm([whole(t, 1) if quantise else (t, None) for t in tables], layers(network.bottom), layers(network.top))
    inputs = [floats(DENSE, "N", 13), int32s(OFFSETS, "bounds"), int32s(INDICES, "all")]
    onnx.save(built.model("plumbline-dlrm", inputs, [floats(PREDICTION, "N")], OPSET), path)


def layers(perceptron):
    linear = [layer for layer in perceptron if hasattr(layer, "weight")]
    return [(array(layer.weight), array(layer.bias)) for layer in linear]
