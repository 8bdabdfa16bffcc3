"""The network as ONNX files with the interface of the official RetinaNet, in FP32 and in INT8.

Boxes are decoded and non-maxima suppressed inside the graph, in floating point in both files.
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static

import anchors

INPUT, BOXES, SCORES, LABELS = "images", "boxes", "scores", "labels"
OPSET, IR_VERSION = 13, 8
LEAST_SCORE, NMS_OVERLAP, MOST = 0.05, 0.5, 100
QUANTISED = ["Conv", "Relu"]  # sums of branches in eight bits cost a point of mAP and win no time
LAST = "/last"  # ends the names of the convolutions that stay in floating point: their outputs are scores and boxes


class Graph:
    """A graph that grows node by node; each method returns the name of its result."""

    def __init__(self):
        self.nodes, self.weights = [], []

    def weight(self, name, array):
        """Adds a weight, once where several nodes share it."""
        if all(w.name != name for w in self.weights):
            self.weights.append(numpy_helper.from_array(np.asarray(array, order="C"), name))
        return name

    def node(self, kind, inputs, output, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output

    def conv(self, name, x, conv, norm=None, weights=None):
        """A convolution, with its batch normalisation folded in where there is one. weights names its weights."""
        kernel = conv.weight.detach().double().numpy()
        bias = np.zeros(len(kernel)) if conv.bias is None else conv.bias.detach().double().numpy()
        if norm is not None:
            gain = (norm.weight.double() / (norm.running_var.double() + norm.eps).sqrt()).detach().numpy()
            kernel = kernel * gain[:, None, None, None]
            bias = norm.bias.detach().double().numpy() + (bias - norm.running_mean.double().numpy()) * gain
        weights = weights or name
        inputs = [x, self.weight(weights + ".weight", kernel.astype(np.float32))]
        inputs.append(self.weight(weights + ".bias", bias.astype(np.float32)))
        pads, size = [conv.padding[0]] * 4, list(conv.kernel_size)
        return self.node("Conv", inputs, name, kernel_shape=size, strides=list(conv.stride), pads=pads)

    def relu(self, x):
        return self.node("Relu", [x], x + "/relu")

    def block(self, name, x, block):
        y = self.relu(self.conv(name + "/first", x, *block.first))
        y = self.conv(name + "/second", y, *block.second)
        shortcut = x if block.shortcut is None else self.conv(name + "/shortcut", x, *block.shortcut)
        return self.relu(self.node("Add", [y, shortcut], name + "/add"))

    def pyramid(self, pyramid, features):
        double = self.weight("double", np.array([1, 1, 2, 2], np.float32))
        x = [self.conv(f"lateral{i}", f, *c) for i, (c, f) in enumerate(zip(pyramid.lateral, features))]
        for i in reversed(range(len(x) - 1)):
            above = self.node(
                "Resize",
                [x[i + 1], "", double],
                f"double{i}",
                mode="nearest",
                coordinate_transformation_mode="asymmetric",
                nearest_mode="floor",
            )
            x[i] = self.node("Add", [x[i], above], f"join{i}")
        x = [self.relu(self.conv(f"smooth{i}", f, *c)) for i, (c, f) in enumerate(zip(pyramid.smooth, x))]
        return [*x, self.relu(self.conv("top", x[-1], *pyramid.top))]

    def tower(self, name, level, x, tower, values):
        for i, (conv, norm) in enumerate(zip(tower.convs, tower.norms[level])):
            x = self.relu(self.conv(f"{name}{level}/{i}", x, conv, norm))
        x = self.conv(f"{name}{level}{LAST}", x, tower.last, weights=name + LAST)
        x = self.node("Transpose", [x], f"{name}{level}/rows", perm=[0, 2, 3, 1])
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
        self.nodes.append(helper.make_node("TopK", [scores, keep], [SCORES, "order"], name="order", axis=0))
        self.node("Gather", [label, "order"], LABELS, axis=0)
        rows = self.node("Squeeze", [boxes, self.weight("first axis", np.array([0], np.int64))], "rows")
        self.node("Gather", [rows, self.node("Gather", [box, "order"], "kept", axis=0)], BOXES, axis=0)


def write_fp32(network, path):
    graph = Graph()
    x, features = graph.relu(graph.conv("stem", INPUT, *network.stem)), []
    for i, stage in enumerate(network.stages):
        for j, block in enumerate(stage):
            x = graph.block(f"stage{i}/block{j}", x, block)
        features.append(x)
    levels = graph.pyramid(network.pyramid, features[1:])
    logits = [graph.tower("class", i, f, network.class_tower, network.classes) for i, f in enumerate(levels)]
    offsets = [graph.tower("box", i, f, network.box_tower, 4) for i, f in enumerate(levels)]
    boxes = graph.decode(graph.node("Concat", offsets, "offsets", axis=1))
    graph.detections(graph.node("Concat", logits, "logits", axis=1), boxes, network.classes)
    onnx.save(_model(graph), path)


def _model(graph):
    inputs = [helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, [1, 3, anchors.SIZE, anchors.SIZE])]
    outputs = [
        helper.make_tensor_value_info(BOXES, TensorProto.FLOAT, ["detections", 4]),
        helper.make_tensor_value_info(SCORES, TensorProto.FLOAT, ["detections"]),
        helper.make_tensor_value_info(LABELS, TensorProto.INT64, ["detections"]),
    ]
    body = helper.make_graph(graph.nodes, "plumbline-retinanet", inputs, outputs, graph.weights)
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="plumbline")
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model, full_check=True)
    return model


class Calibration(CalibrationDataReader):
    """Feeds the calibration pictures, uint8 N,3,H,W, one by one."""

    def __init__(self, pixels):
        self.pictures = ({INPUT: p[None].astype(np.float32) / np.float32(255)} for p in pixels)

    def get_next(self):
        return next(self.pictures, None)


def write_int8(fp32, pixels, path):
    """Quantises statically: UInt8 activations from the calibration pictures' ranges, Int8 weights per channel.

    Weights keep seven bits: processors without VNNI add pairs of products in 16 bits, which eight bits overflow, and
    the answers would depend on the processor. The last convolutions and what follows them stay in floating point.
    """
    last = [n.name for n in onnx.load(fp32).graph.node if n.name.endswith(LAST)]
    quantize_static(
        fp32,
        path,
        Calibration(pixels),
        quant_format=QuantFormat.QDQ,
        op_types_to_quantize=QUANTISED,
        nodes_to_exclude=last,
        per_channel=True,
        reduce_range=True,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
        calibrate_method=CalibrationMethod.MinMax,
    )
