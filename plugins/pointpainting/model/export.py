"""The two networks as ONNX files with the inputs and outputs of the official ones: the detector's anchors, best rows
and boxes are in its graph."""

import numpy as np
import onnx
from data import CELLS, LOW, POINTS, VOXEL
from embedded import int8, residual
from embedded.onnxgraph import array, floats, ints, tensor
from network import ANCHORS, ANGLES, GAINS, PILLAR, PLACES, ROWS, SCORES, SEGMENTS, SIZES, STRIDE

OPSET = 13
QUANTISED = ["Conv", "Relu"]
PICTURE, LOGITS = "picture", "logits"
PILLARS, COORDINATES, COUNTS, DETECTIONS = "pillars", "coordinates", "counts", "detections"


class Graph(residual.Graph):
    def doubled(self, x, name):
        scale = self.weight("double", np.array([1, 1, 2, 2], np.float32))
        nearest = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
        return self.node("Resize", [x, "", scale], name, **nearest)

    def scale(self, name, x, by):
        return self.node("Mul", [x, self.weight(name + "/by", np.asarray(by, np.float32))], name)

    def columns(self, name, x, *widths):
        """The parts of the last axis."""
        names = [f"{name}/{k}" for k in range(len(widths))]
        return self.node("Split", [x, self.ints(*widths)], names, name, axis=-1)

    def cells(self):
        """The cell P,2 of each pillar, as it comes and as float."""
        at = self.node("Gather", [COORDINATES, self.ints(1, 2)], "cells", axis=1)
        return at, self.node("Cast", [at], "cells/float", to=onnx.TensorProto.FLOAT)

    def middle(self, name, cells, size):
        """The middle of cells of a size, N,2 in metres."""
        low = self.weight(name + "/low", LOW[:2] + size / 2)
        return self.node("Add", [self.scale(name + "/metres", cells, size), low], name)

    def decorated(self, cells):
        """The points P,T,16 as the detector sees them, and which are there, P,T,1."""
        counts = self.node("Cast", [COUNTS], "counts/float", to=onnx.TensorProto.FLOAT)
        counts = self.node("Unsqueeze", [counts, self.ints(1, 2)], "counts/column")
        numbers = self.weight("numbers", np.arange(POINTS, dtype=np.float32).reshape(1, -1, 1))
        there = self.node("Less", [numbers, counts], "there")
        there = self.node("Cast", [there], "there/float", to=onnx.TensorProto.FLOAT)
        place, level, _ = self.columns("points", PILLARS, 2, 1, SCORES - 3)
        place = self.node("Concat", [place, level], "place", axis=2)
        mean = self.node("ReduceSum", [place, self.ints(1)], "sum", keepdims=1)
        mean = self.node("Div", [mean, counts], "mean")
        from_mean = self.node("Sub", [place, mean], "from_mean")
        middle = self.middle("middle", cells, VOXEL[:2])
        middle = self.node("Unsqueeze", [middle, self.ints(1)], "middle/column")
        from_middle = self.node("Sub", ["points/0", middle], "from_middle")
        return self.node("Concat", [PILLARS, from_mean, from_middle], "decorated", axis=2), there

    def canvas(self, network):
        """The pillars' channels on their cells: 1,PILLAR,CELLS,CELLS."""
        at, cells = self.cells()
        seen, there = self.decorated(cells)
        gain = array(network.norm.weight) / np.sqrt(array(network.norm.running_var) + np.float32(network.norm.eps))
        bias = array(network.norm.bias) - array(network.norm.running_mean) * gain
        weight = array(network.linear.weight) * np.float32(GAINS) * gain[:, None]
        x = self.linear("encoded", seen, weight.T, bias)
        x = self.node("Mul", [self.relu(x), there], "encoded/there")
        x = self.node("ReduceMax", [x], "channels", axes=[1], keepdims=0)
        row = self.node("Mul", [at, self.ints(CELLS, 1)], "cells/row")
        row = self.node("ReduceSum", [row, self.ints(1)], "cells/index", keepdims=1)
        empty = self.node("ConstantOfShape", [self.ints(CELLS * CELLS, PILLAR)], "empty")
        x = self.node("ScatterND", [empty, row, x], "canvas/rows")
        x = self.node("Reshape", [x, self.ints(1, CELLS, CELLS, PILLAR)], "canvas/cells")
        return self.node("Transpose", [x], "canvas", perm=[0, 3, 1, 2])

    def features(self, x, network):
        x = self.relu(self.conv("middle/0", x, *network.middle[0]))
        x = self.block("middle/1", x, network.middle[1])
        top = self.block("deep/1", self.block("deep/0", x, network.deep[0]), network.deep[1])
        top = self.doubled(self.conv("top", top, *network.top), "top/double")
        x = self.node("Add", [self.conv("lateral", x, *network.lateral), top], "joined")
        return self.relu(self.conv("smooth", self.relu(x), *network.smooth))

    def rows(self, name, x, conv, width):
        """What a convolution says of each anchor: A,width."""
        x = self.node("Transpose", [self.conv(name + "/last", x, conv)], name + "/places", perm=[0, 2, 3, 1])
        return self.node("Reshape", [x, self.ints(-1, width)], name + "/rows")

    def decoded(self, codes, anchor):
        """Boxes K,7 of codes and anchors."""
        x, z, size, angle = self.columns("codes", codes, 2, 1, 3, 1)
        ax, az, asize, aangle = self.columns("anchors/parts", anchor, 2, 1, 3, 1)
        ground, height = self.columns("anchors/size", asize, 2, 1)
        square = self.node("Mul", [ground, ground], "anchors/square")
        square = self.node("ReduceSum", [square, self.ints(1)], "anchors/sum", keepdims=1)
        diagonal = self.node("Sqrt", [square], "diagonal")
        x = self.node("Add", [self.node("Mul", [x, diagonal], "x/metres"), ax], "x")
        size = self.node("Mul", [self.node("Exp", [size], "size/by"), asize], "size")
        _, high = self.columns("size/parts", size, 2, 1)
        lower = self.scale("lower", self.node("Sub", [height, high], "lower/twice"), 0.5)
        z = self.node("Add", [self.node("Mul", [z, height], "z/metres"), az], "z/anchor")
        z = self.node("Add", [z, lower], "z")
        angle = self.node("Add", [angle, aangle], "angle")
        return self.node("Concat", [x, z, size, angle], "boxes", axis=1)

    def anchors(self, index):
        """The anchors K,7 of rows of an index."""
        many, along = self.ints(ANCHORS), self.ints(PLACES)
        cell, kind = self.node("Div", [index, many], "cell"), self.node("Mod", [index, many], "kind")
        parts = [self.node("Div", [cell, along], "cell/x"), self.node("Mod", [cell, along], "cell/y")]
        parts = [self.node("Unsqueeze", [x, self.ints(1)], x + "/column") for x in parts]
        at = self.node("Concat", parts, "cell/both", axis=1)
        at = self.node("Cast", [at], "cell/float", to=onnx.TensorProto.FLOAT)
        kinds = np.array([(0, *size, angle) for size in SIZES for angle in ANGLES], np.float32)
        rest = self.node("Gather", [self.weight("kinds", kinds), kind], "anchors/rest", axis=0)
        return self.node("Concat", [self.middle("anchors/middle", at, VOXEL[:2] * STRIDE), rest], "anchors", axis=1)

    def best(self, scores):
        """The indices of the best rows by their highest score."""
        most = self.node("ReduceMax", [scores], "scores/most", axes=[1], keepdims=0)
        return self.node("TopK", [most, self.ints(ROWS)], ["best/scores", "best"], "best", axis=0)[1]


def write_segmentation(network, path):
    graph = Graph()
    first = graph.relu(graph.conv("first", PICTURE, *network.first))
    second = graph.relu(graph.conv("second", first, *network.second))
    third = graph.block("third", second, network.third)
    x = graph.block("fourth", third, network.fourth)
    x = graph.relu(graph.conv("lateral", x, *network.lateral))
    for k, (skip, conv) in enumerate(zip((third, second, first), network.up)):
        x = graph.node("Add", [graph.doubled(x, f"up{k}/double"), skip], f"up{k}/sum")
        x = graph.relu(graph.conv(f"up{k}", x, *conv))
    graph.conv(LOGITS, x, network.last)
    inputs, outputs = [floats(PICTURE, 1, 3, "height", "width")], [floats(LOGITS, 1, SEGMENTS, "height", "width")]
    onnx.save(graph.model("plumbline-pointpainting-segmentation", inputs, outputs, OPSET), path)


def write_detector(network, path):
    graph = Graph()
    x = graph.features(graph.canvas(network), network)
    scores = graph.node("Sigmoid", [graph.rows("classes", x, network.classes, len(SIZES))], "scores")
    codes = graph.rows("codes", x, network.boxes, 7)
    ahead = graph.node("ArgMax", [graph.rows("directions", x, network.directions, 2)], "ahead", axis=1, keepdims=1)
    ahead = graph.node("Cast", [ahead], "ahead/float", to=onnx.TensorProto.FLOAT)
    best = graph.best(scores)
    anchor = graph.anchors(best)
    chosen = [graph.node("Gather", [x, best], x + "/best", axis=0) for x in (codes, scores, ahead)]
    graph.node("Concat", [graph.decoded(chosen[0], anchor), *chosen[1:]], DETECTIONS, axis=1)
    inputs = [
        floats(PILLARS, "pillars", POINTS, SCORES),
        ints(COORDINATES, "pillars", 4),
        tensor(onnx.TensorProto.INT32)(COUNTS, "pillars"),
    ]
    outputs = [floats(DETECTIONS, ROWS, 11)]
    onnx.save(graph.model("plumbline-pointpainting-detector", inputs, outputs, OPSET), path)


def write_int8(fp32, feeds, path, last):
    """Quantises with the ranges of the feeds. The last convolutions, whose names end so, and what follows them stay in
    floating point."""
    but = [n.name for n in onnx.load(fp32).graph.node if n.name.endswith(last)]
    int8.static(fp32, path, feeds, QUANTISED, but=but)
