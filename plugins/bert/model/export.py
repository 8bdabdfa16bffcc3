"""Writes the network as ONNX files with the tensors of the official FP32 file, but free N and S."""

import numpy as np
import onnx
from embedded import encodergraph, int8
from embedded.onnxgraph import array, floats, ints

INPUTS = ("input_ids", "input_mask", "segment_ids")
OUTPUTS = ("output_start_logits", "output_end_logits")


class Graph(encodergraph.Graph):
    def ends(self, x, outputs):
        """The two columns of x N,S,2."""
        self.node("Split", [x], ["head/start", "head/end"], "head/split", axis=-1)
        last = self.weight("last_axis", np.array([-1], np.int64))
        for part, output in zip(("head/start", "head/end"), outputs):
            self.node("Squeeze", [part, last], output)


def write_fp32(network, path):
    """Writes the file, and returns the names of the nodes to quantise."""
    graph = Graph(network.sizes, INPUTS)
    x = graph.encoder(network)
    x = graph.node("MatMul", [x, graph.weight("head.weight", array(network.head.weight).T)], "head/product")
    graph.ends(graph.node("Add", [x, graph.weight("head.bias", array(network.head.bias))], "head"), OUTPUTS)
    inputs, outputs = [ints(name, "N", "S") for name in INPUTS], [floats(name, "N", "S") for name in OUTPUTS]
    onnx.save(graph.model("plumbline-bert", inputs, outputs, encodergraph.OPSET), path)
    return graph.dense


def write_int8(fp32, dense, batches, path):
    """Quantises the layers with weights, with the ranges of the calibration batches."""
    int8.static(fp32, path, (dict(zip(INPUTS, batch)) for batch in batches), ["MatMul"], only=dense)
