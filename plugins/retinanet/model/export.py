"""The network as ONNX files with the interface of the official RetinaNet, in FP32 and in INT8.

Boxes are decoded and non-maxima suppressed inside the graph, in floating point in both files.
"""

import anchors
import numpy as np
import onnx
from embedded import int8, pyramid
from embedded.onnxgraph import floats, ints
from embedded.pyramid import LAST

INPUT, BOXES, SCORES, LABELS = "images", "boxes", "scores", "labels"
OPSET = 13
LEAST_SCORE, NMS_OVERLAP, MOST = 0.05, 0.5, 100
QUANTISED = ["Conv", "Relu"]  # sums of branches in eight bits cost a point of mAP and win no time


class Graph(pyramid.Graph):
    def rows(self, name, level, x, tower, values):
        x = self.node("Transpose", [self.tower(name, level, x, tower)], f"{name}{level}/rows", perm=[0, 2, 3, 1])
        shape = self.weight(f"{name}{level}.shape", np.array([1, -1, values], np.int64))
        return self.node("Reshape", [x, shape], f"{name}{level}/values")

    def decode(self, offsets):
        """Offsets 1,A,4 to corners 1,A,4 within the picture."""
        boxes = anchors.all_anchors()
        parts = []
        for name, spread, columns in (("centres", anchors.SPREAD[0], [0, 1]), ("sizes", anchors.SPREAD[1], [2, 3])):
            index = self.weight(name + ".columns", np.array(columns, np.int64))
            part = self.node("Gather", [offsets, index], name + "/offsets", axis=2)
            parts.append(self.node("Mul", [part, self.weight(name + ".spread", np.float32(spread))], name + "/spread"))
        sizes = self.weight("anchors.sizes", boxes[:, 2:])
        centres = self.node("Mul", [parts[0], sizes], "centres/moved")
        centres = self.node("Add", [centres, self.weight("anchors.centres", boxes[:, :2])], "centres")
        sizes = self.node("Mul", [self.node("Exp", [parts[1]], "sizes/exp"), sizes], "sizes")
        half = self.node("Mul", [sizes, self.weight("half", np.float32(0.5))], "halves")
        low, high = self.node("Sub", [centres, half], "low"), self.node("Add", [centres, half], "high")
        corners = self.node("Concat", [low, high], "corners", axis=2)
        edges = [self.weight("edge.low", np.float32(0)), self.weight("edge.high", np.float32(anchors.SIZE))]
        return self.node("Clip", [corners, *edges], "clipped")

    def column(self, table, i, name):
        index = self.weight(name + ".index", np.array(i, np.int64))
        return self.node("Gather", [table, index], name, axis=1)

    def detections(self, logits, boxes, classes):
        """The best boxes of each class, the best 100 of all, by falling score."""
        scores = self.node("Transpose", [self.node("Sigmoid", [logits], "probabilities")], "by class", perm=[0, 2, 1])
        limits = [self.weight("most", np.array([MOST], np.int64))]
        limits.append(self.weight("nms.overlap", np.array([NMS_OVERLAP], np.float32)))
        limits.append(self.weight("nms.score", np.array([LEAST_SCORE], np.float32)))
        chosen = self.node("NonMaxSuppression", [boxes, scores, *limits], "chosen")
        label, box = self.column(chosen, 1, "chosen/class"), self.column(chosen, 2, "chosen/box")
        count = self.weight("anchors.count", np.array(len(anchors.all_anchors()), np.int64))
        flat = self.node("Add", [self.node("Mul", [label, count], "chosen/row"), box], "chosen/flat")
        scores = self.node("Reshape", [scores, self.weight("all", np.array([-1], np.int64))], "flat scores")
        scores = self.node("Gather", [scores, flat], "chosen/score", axis=0)
        found = self.node("Shape", [scores], "found")
        keep = self.node("Min", [found, limits[0]], "keep")
        self.node("TopK", [scores, keep], [SCORES, "order"], "order", axis=0)
        self.node("Gather", [label, "order"], LABELS, axis=0)
        rows = self.node("Squeeze", [boxes, self.weight("first axis", np.array([0], np.int64))], "rows")
        self.node("Gather", [rows, self.node("Gather", [box, "order"], "kept", axis=0)], BOXES, axis=0)


def write_fp32(network, path):
    graph = Graph()
    levels = graph.pyramid(graph.backbone(INPUT, network.backbone)[1:], network.pyramid)
    logits = [graph.rows("class", i, f, network.class_tower, network.classes) for i, f in enumerate(levels)]
    offsets = [graph.rows("box", i, f, network.box_tower, 4) for i, f in enumerate(levels)]
    boxes = graph.decode(graph.node("Concat", offsets, "offsets", axis=1))
    graph.detections(graph.node("Concat", logits, "logits", axis=1), boxes, network.classes)
    inputs = [floats(INPUT, 1, 3, anchors.SIZE, anchors.SIZE)]
    outputs = [floats(BOXES, "detections", 4), floats(SCORES, "detections"), ints(LABELS, "detections")]
    onnx.save(graph.model("plumbline-retinanet", inputs, outputs, OPSET), path)


def write_int8(fp32, pixels, path):
    """Quantises with the ranges of the calibration pictures, uint8 N,3,H,W, one by one. The last convolutions and what
    follows them stay in floating point."""
    feeds = ({INPUT: p[None].astype(np.float32) / np.float32(255)} for p in pixels)
    last = [n.name for n in onnx.load(fp32).graph.node if n.name.endswith(LAST)]
    int8.static(fp32, path, feeds, QUANTISED, but=last)
