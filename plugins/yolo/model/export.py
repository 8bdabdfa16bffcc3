"""The network as ONNX files with the interface of official exports: boxes decoded in the graph, not suppressed."""

import numpy as np
import onnx
from embedded import int8, pyramid
from embedded.onnxgraph import floats
from embedded.pyramid import LAST
from network import CLASSES, STRIDES

INPUT, OUTPUT = "images", "output0"
OPSET = 13
QUANTISED = ["Conv", "Relu"]


class Graph(pyramid.Graph):
    def line(self, name, shape, axis, stride):
        """The centres of the places along an axis of a level, float32, in pixels."""
        count = self.node("Gather", [shape, self.weight(f"axis{axis}", np.array(axis, np.int64))], name + "/count")
        limits = self.weight("zero", np.array(0, np.int64)), count, self.weight("one", np.array(1, np.int64))
        at = self.node("Cast", [self.node("Range", limits, name + "/range")], name + "/at", to=onnx.TensorProto.FLOAT)
        at = self.node("Add", [at, self.weight("half", np.float32(0.5))], name + "/middle")
        return self.node("Mul", [at, stride], name)

    def box(self, name, distances, stride):
        """Distances N,4,h,w in strides to centre x, centre y, width and height in pixels: N,4,h,w."""
        away = self.node("Mul", [self.node("Softplus", [distances], name + "/strides"), stride], name + "/pixels")
        low, high = f"{name}/low", f"{name}/high"
        self.node("Split", [away, self.weight("pair", np.array([2, 2], np.int64))], [low, high], low, axis=1)
        size = self.node("Add", [low, high], name + "/size")
        moved = self.node("Sub", [high, low], name + "/difference")
        moved = self.node("Mul", [moved, self.weight("half", np.float32(0.5))], name + "/moved")
        shape = self.node("Shape", [distances], name + "/shape")
        x, y = self.line(name + "/x", shape, 3, stride), self.line(name + "/y", shape, 2, stride)
        column = self.node("Unsqueeze", [y, self.weight("axes_y", np.array([1], np.int64))], name + "/column")
        nothing = self.node("Mul", [column, self.weight("nothing", np.float32(0))], name + "/nothing")
        grid_x = self.node("Add", [x, nothing], name + "/grid_x")
        nothing = self.node("Mul", [x, self.weight("nothing", np.float32(0))], name + "/nothing_x")
        grid_y = self.node("Add", [column, nothing], name + "/grid_y")
        first = self.weight("first", np.array([0], np.int64))
        planes = [self.node("Unsqueeze", [g, first], g + "/plane") for g in (grid_x, grid_y)]
        centres = self.node("Add", [self.node("Concat", planes, name + "/grid", axis=0), moved], name + "/centres")
        return self.node("Concat", [centres, size], name + "/box", axis=1)

    def level(self, i, features, network):
        """A level's columns: N,4+classes,places."""
        stride = self.weight(f"stride{i}", np.float32(STRIDES[i]))
        box = self.box(f"level{i}", self.tower("box", i, features, network.box_tower), stride)
        scores = self.node("Sigmoid", [self.tower("class", i, features, network.class_tower)], f"level{i}/scores")
        both = self.node("Concat", [box, scores], f"level{i}/both", axis=1)
        shape = self.weight("columns", np.array([0, 4 + CLASSES, -1], np.int64))
        return self.node("Reshape", [both, shape], f"level{i}/columns")


def write_fp32(network, path):
    graph = Graph()
    levels = graph.pyramid(graph.backbone(INPUT, network.backbone)[1:], network.pyramid)
    columns = [graph.level(i, f, network) for i, f in enumerate(levels)]
    graph.node("Concat", columns, OUTPUT, axis=2)
    inputs = [floats(INPUT, "batch", 3, "height", "width")]
    outputs = [floats(OUTPUT, "batch", 4 + CLASSES, "places")]
    onnx.save(graph.model("plumbline-yolo", inputs, outputs, OPSET), path)


def write_int8(fp32, pixels, path):
    """Quantises with the ranges of the calibration pictures, uint8 N,3,H,W, one by one. The last convolutions and what
    follows them stay in floating point."""
    feeds = ({INPUT: p[None].astype(np.float32) / np.float32(255)} for p in pixels)
    last = [n.name for n in onnx.load(fp32).graph.node if n.name.endswith(LAST)]
    int8.static(fp32, path, feeds, QUANTISED, but=last)
