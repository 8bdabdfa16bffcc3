"""Writes a model with the inputs of the official DLRM and random weights, to run the benchmark from end to end with.

    python random_official.py dlrm-v2 v2.onnx                        # tables of at most 1000 rows, 5 MB
    python random_official.py dlrm v1.onnx --layout lists
    python random_official.py dlrm-v2 big.onnx --rows 2000000 --width 128 --external    # 12 GB beside the file

dlrm-v2 has the multi-hot tables, low-rank cross layers and widths of the official model; dlrm one index for each table
and dot products. With --external the tables go to FILE.data, which ONNX Runtime maps into memory; --sparse leaves that
file full of holes (zeros) that take no disk.
"""

import argparse
from pathlib import Path

import numpy as np
import onnx
from data import TABLES
from embedded.onnxgraph import floats, tensor
from export import DENSE, OPSET, PREDICTION, Graph
from onnx import TensorProto

SEED = 1
# Rows of the official tables, limited to 40 million.
ROWS = [40000000, 39060, 17295, 7424, 20265, 3, 7122, 1543, 63, 40000000, 3067956, 405282, 10]
ROWS += [2209, 11938, 155, 4, 976, 14, 40000000, 40000000, 40000000, 590152, 12973, 108, 36]
CROSS_LAYERS, CROSS_RANK = 3, 512
BOTTOM, TOP = (512, 256), (1024, 1024, 512, 256, 1)
ROWS_AT_A_TIME = 1 << 16


class Official(Graph):
    """The official inputs; tables may lie in a file of their own."""

    def __init__(self, rng, width, store):
        super().__init__()
        self.rng, self.width, self.store = rng, width, store

    def table(self, k, rows):
        if self.store:
            self.weights[f"table.{k}"] = self.store.tensor(f"table.{k}", rows, self.width)
            return f"table.{k}"
        return self.weight(f"table.{k}", self.rng.standard_normal((rows, self.width), np.float32))

    def draw(self, *shape):
        return self.rng.standard_normal(shape, np.float32) / np.float32(np.sqrt(shape[-1]))

    def random(self, name, *shape):
        return self.weight(name, self.draw(*shape))

    def layers(self, widths):
        return [(self.draw(outputs, inputs), self.draw(outputs)) for inputs, outputs in zip(widths, widths[1:])]

    def single(self, k, rows, layout):
        """Of a table with one index for each pair: its row, found through the offsets."""
        names = (f"offsets_{k}", f"indices_{k}")
        if layout == "stacked":
            number = self.weight(f"number.{k}", np.array(k, np.int64))
            names = [self.node("Gather", [name, number], f"{name}/{k}", axis=0) for name in ("offsets", "indices")]
        found = self.node("Gather", [names[1], names[0]], f"single/{k}/index", axis=0)
        vectors = self.node("Gather", [self.table(k, rows), found], f"single/{k}/row", axis=0)
        return self.node("Unsqueeze", [vectors, "axis.1"], f"single/{k}/vector")

    def cross(self, x, size):
        """Cross layers of low rank (Wang et al. 2020, arXiv:2008.13535): x0 * (W V x + b) + x."""
        first = x
        for i in range(CROSS_LAYERS):
            low = self.node("MatMul", [x, self.random(f"cross.{i}.v", size, CROSS_RANK)], f"cross/{i}/low")
            high = self.node("MatMul", [low, self.random(f"cross.{i}.w", CROSS_RANK, size)], f"cross/{i}/high")
            gate = self.node("Add", [high, self.random(f"cross.{i}.b", size)], f"cross/{i}/gate")
            x = self.node("Add", [self.node("Mul", [first, gate], f"cross/{i}/crossed"), x], f"cross/{i}")
        return x

    def network(self, kind, rows, layout):
        self.weight("axis.1", np.array([1], np.int64))
        x = self.perceptron("bottom", DENSE, self.layers((13, *BOTTOM, self.width)), "Relu")
        if kind == "dlrm":
            features = self.interaction(x, [self.single(k, n, layout) for k, n in enumerate(rows)], self.width)
            size = self.width + len(rows) * (len(rows) + 1) // 2
        else:
            sums = self.bags([(self.table(k, n), None) for k, n in enumerate(rows)])
            first = self.node("Unsqueeze", [x, "axis.1"], "numbers")
            size = self.width * (len(rows) + 1)
            joined = self.node("Concat", [first, *sums], "vectors", axis=1)
            flat = self.node("Reshape", [joined, self.weight("flat", np.array([-1, size], np.int64))], "features")
            features = self.cross(flat, size)
        chance = self.perceptron("top", features, self.layers((size, *TOP)), "Sigmoid")
        self.node("Reshape", [chance, self.weight("line", np.array([-1], np.int64))], PREDICTION)

    def weight(self, name, array):
        return array if isinstance(array, str) else super().weight(name, array)  # a table that is there already


class Store:
    """Tables in a file beside the model."""

    def __init__(self, path, rng, sparse):
        self.path, self.rng, self.sparse = path, rng, sparse
        self.file = open(path, "wb")

    def tensor(self, name, rows, width):
        self.file.seek(-(-self.file.tell() // 65536) * 65536)  # tensors that begin at a page can be mapped
        tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=[rows, width])
        tensor.data_location = TensorProto.EXTERNAL
        length = 4 * rows * width
        for key, value in ("location", self.path.name), ("offset", self.file.tell()), ("length", length):
            tensor.external_data.add(key=key, value=str(value))
        if self.sparse:
            self.file.truncate(self.file.seek(length, 1))
        else:
            for start in range(0, rows, ROWS_AT_A_TIME):
                count = min(ROWS_AT_A_TIME, rows - start)
                self.file.write(self.rng.standard_normal((count, width), np.float32).tobytes())
        return tensor


def tensors(kind, layout):
    """The inputs beside dense_x."""
    int32s, int64s = tensor(TensorProto.INT32), tensor(TensorProto.INT64)
    if kind == "dlrm-v2":
        return [int32s("offsets", "bounds"), int32s("indices", "all")]
    if layout == "stacked":
        return [int64s(name, TABLES, "N") for name in ("offsets", "indices")]
    return [int64s(f"{name}_{k}", "N") for name in ("offsets", "indices") for k in range(TABLES)]


def write(options):
    rng = np.random.default_rng(SEED)
    store = Store(options.out.with_suffix(".onnx.data"), rng, options.sparse) if options.external else None
    graph = Official(rng, options.width, store)
    rows = [min(count, options.rows) for count in ROWS]
    graph.network(options.model, rows, options.layout)
    inputs = [floats(DENSE, "N", 13), *tensors(options.model, options.layout)]
    onnx.save(graph.model(options.model, inputs, [floats(PREDICTION, "N")], OPSET, check=False), options.out)
    size = 4 * options.width
    print(f"{options.out}: {sum(rows):,} rows of {size} bytes, {sum(rows) * size / 1e9:.2f} GB of tables")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=("dlrm-v2", "dlrm"))
    parser.add_argument("out", type=Path)
    parser.add_argument("--rows", type=int, default=1000, help="most rows of a table")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layout", choices=("stacked", "lists"), default="stacked", help="inputs of dlrm")
    parser.add_argument("--external", action="store_true", help="tables in a file of their own")
    parser.add_argument("--sparse", action="store_true", help="leave that file full of holes")
    return parser.parse_args()


if __name__ == "__main__":
    write(arguments())
