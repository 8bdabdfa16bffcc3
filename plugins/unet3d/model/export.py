"""The network as ONNX files with the tensors of the official 3D U-Net, in FP32 and in INT8."""

import numpy as np
import onnx
from data import WINDOW
from embedded import int8, onnxgraph
from embedded.onnxgraph import floats

INPUT, OUTPUT = "input", "output"
OPSET = 13
QUANTISED = ["Conv", "Relu", "Add", "Resize"]
FULL = ["stem/conv", "merge0/conv", "output"]  # few channels over whole windows: eight bits are slower there


class Graph(onnxgraph.Graph):
    def plain(self, name, x, conv):
        return self.conv(name + "/conv", x, conv, weights=name)

    def normed(self, name, x, module):
        """A convolution with its batch normalisation folded in, and ReLU."""
        return self.node("Relu", [self.conv(name + "/conv", x, *module, weights=name)], name)

    def double(self, name, x):
        scales = self.weight(name + ".scales", np.array([1, 1, 2, 2, 2], np.float32))
        how = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
        return self.node("Resize", [x, "", scales], name, **how)


def write_fp32(network, path, window=WINDOW, batch="N"):
    graph = Graph()
    x, left = graph.normed("stem", INPUT, network.stem), []
    for i, (halve, deepen) in enumerate(zip(network.halve, network.deepen)):
        left.append(x)
        x = graph.normed(f"deepen{i}", graph.normed(f"halve{i}", x, halve), deepen)
    for i, skip in reversed(list(enumerate(left))):
        x = graph.double(f"double{i}", graph.plain(f"narrow{i}", x, network.narrow[i]))
        x = graph.normed(f"merge{i}", graph.node("Add", [x, skip], f"add{i}"), network.merge[i])
    graph.conv(OUTPUT, x, network.head)
    channels, classes = network.stem[0].in_channels, network.head.out_channels
    inputs, outputs = floats(INPUT, batch, channels, *[window] * 3), floats(OUTPUT, batch, classes, *[window] * 3)
    onnx.save(graph.model("plumbline-unet3d", [inputs], [outputs], OPSET), path)


def write_int8(fp32, windows, path, batch=8):
    """Quantises all but FULL, with the ranges of the windows."""
    feeds = ({INPUT: windows[i : i + batch]} for i in range(0, len(windows), batch))
    int8.static(fp32, path, feeds, QUANTISED, but=FULL)
