"""Writes a network as ONNX files with the tensors of a BERT without a head."""

import onnx
from embedded import encodergraph, int8
from embedded.onnxgraph import floats, ints
from network import WIDTH

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUT = "last_hidden_state"


def write_fp32(network, name, path):
    """Writes the file, and returns the names of the nodes to quantise."""
    graph = encodergraph.Graph(network.sizes, INPUTS)
    graph.node("Identity", [graph.encoder(network)], OUTPUT)
    inputs, outputs = [ints(name, "N", "S") for name in INPUTS], [floats(OUTPUT, "N", "S", WIDTH)]
    onnx.save(graph.model(f"plumbline-{name}", inputs, outputs, encodergraph.OPSET), path)
    return graph.dense


def write_int8(fp32, dense, batches, path):
    """Quantises the layers with weights, with the ranges of the calibration batches."""
    int8.static(fp32, path, (dict(zip(INPUTS, batch)) for batch in batches), ["MatMul"], only=dense)
