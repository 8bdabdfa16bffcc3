"""Writes stand-ins for the official detection models, with random weights, and data sets that they do well on.

    python random_official.py DIR

DIR gets the four official files (names, tensors and input sizes of the real ones; a few convolutions inside), a data
set for each in its layout, and expected.json: the mAP of each model, from OpenCV's preprocessing, ONNX Runtime for
Python and pycocotools. The true boxes are the models' own detections, some of them moved, so that the mAP is neither 0
nor 100. The tests of cmd/plugins/plumbline-plugin-retinanet compare the plugin with it where PLUMBLINE_OFFICIAL_MODELS
names DIR.
"""

import json
import sys
from pathlib import Path

import cv2
import numpy as np
import onnx
from embedded.onnxgraph import floats, ints, tensor
from embedded.runtime import session
from embedded.scenes import average_precision
from export import OPSET, Graph
from onnx import TensorProto

PICTURES = 24
ROWS = 100  # detections of a model that gives a fixed number
MEAN, STD = np.array([0.485, 0.456, 0.406], np.float32), np.array([0.229, 0.224, 0.225], np.float32)
MEANS = np.array([123.68, 116.78, 103.94], np.float32)


class Form:
    """What tells the four models apart."""

    def __init__(self, file, model, param, size, batch, nhwc, dtype, names, labels, classes, threshold, layout):
        self.file, self.model, self.param, self.size, self.batch, self.nhwc = file, model, param, size, batch, nhwc
        self.dtype, self.names, self.labels, self.classes = dtype, names, labels, classes
        self.threshold, self.layout = threshold, layout


def forms():
    f32, u8, i64 = TensorProto.FLOAT, TensorProto.UINT8, TensorProto.INT64
    tf = ("detection_boxes:0", "detection_scores:0", "detection_classes:0", "num_detections:0")
    return [
        Form("resnext50_32x4d_fpn.onnx", "retinanet", "retinanet", 800, 1, False, f32,
             ("images", "boxes", "scores", "labels"), i64, 264, 0.05, "openimages"),
        Form("ssd_mobilenet_v1_coco_2018_01_28.onnx", "ssd-mobilenet", "ssd-mobilenet", 300, "N", True, u8,
             ("image_tensor:0", *tf), f32, 80, 0.0, "coco"),
        Form("resnet34-ssd1200.onnx", "ssd-resnet34", "ssd-resnet34", 1200, 1, False, f32,
             ("image", "bboxes", "scores", "labels"), i64, 80, 0.5, "coco"),
        Form("ssd_resnet34_mAP_20.2.onnx", "ssd-resnet34", "ssd-resnet34-tf", 1200, "N", True, f32,
             ("image:0", "detection_bboxes:0", *tf[1:3]), i64, 80, 0.05, "coco"),
    ]  # fmt: skip


def category_ids(form):
    """OpenImages counts from 0; COCO's 80 ids have gaps, and the file need not be sorted by them."""
    if form.layout == "openimages":
        return list(range(form.classes))
    return [i for i in range(1, 91) if i not in (12, 26, 29, 30, 45, 66, 68, 69, 71, 83)]


class Network:
    """Two convolutions, then one prediction for each cell of a grid."""

    def __init__(self, form, rng):
        self.form, self.rng, self.graph = form, rng, Graph()

    def conv(self, name, x, inputs, outputs, kernel, gain, bias=0.0):
        weight = self.rng.normal(0, gain / np.sqrt(inputs * kernel * kernel), (outputs, inputs, kernel, kernel))
        weights = [self.graph.weight(name + ".weight", weight.astype(np.float32))]
        weights.append(self.graph.weight(name + ".bias", self.rng.normal(bias, 0.3, outputs).astype(np.float32)))
        return self.graph.node("Conv", [x, *weights], name, kernel_shape=[kernel] * 2, strides=[kernel] * 2)

    def input(self):
        """The input as channels first, near 0 to 1."""
        g, x = self.graph, self.form.names[0]
        if self.form.dtype == TensorProto.UINT8:
            x = g.node("Cast", [x], "floats", to=TensorProto.FLOAT)
        if self.form.nhwc:
            x = g.node("Transpose", [x], "planes", perm=[0, 3, 1, 2])
            x = g.node("Mul", [x, g.weight("scale", np.float32(1 / 128))], "scaled")
        return x

    def cells(self):
        """Logits N,A,classes and boxes N,A,4 as shares, x first."""
        g, size = self.graph, self.form.size
        x = g.relu(self.conv("first", self.input(), 3, 16, size // 20, 2.0))
        x = g.relu(self.conv("second", x, 16, 32, 2, 2.0))
        side = 10
        rows = []
        for name, values, bias in (("class", self.form.classes, -1.5), ("box", 4, 0.0)):
            y = self.conv(name, x, 32, values, 1, 0.6, bias)
            y = g.node("Transpose", [y], name + "/last", perm=[0, 2, 3, 1])
            shape = g.weight(name + ".shape", np.array([0, side * side, values], np.int64))
            rows.append(g.node("Reshape", [y, shape], name + "/rows"))
        y, x = np.meshgrid(np.arange(side), np.arange(side), indexing="ij")
        centres = np.stack([x, y], -1).reshape(-1, 2).astype(np.float32) / side + 0.5 / side
        offsets = g.node("Sigmoid", [rows[1]], "offsets")
        low, high = (self.columns(offsets, c, f"part{c[0]}") for c in ([0, 1], [2, 3]))
        reach = g.weight("reach", np.float32(0.2))
        centre = g.weight("centres", centres)
        low = g.node("Sub", [centre, g.node("Mul", [low, reach], "low/reach")], "low")
        high = g.node("Add", [centre, g.node("Mul", [high, reach], "high/reach")], "high")
        edges = [g.weight("edge.low", np.float32(0)), g.weight("edge.high", np.float32(1))]
        boxes = g.node("Clip", [g.node("Concat", [low, high], "corners", axis=2), *edges], "shares")
        return g.node("Sigmoid", [rows[0]], "probabilities"), boxes

    def columns(self, x, columns, name):
        index = self.graph.weight(name + ".columns", np.array(columns, np.int64))
        return self.graph.node("Gather", [x, index], name, axis=2)

    def ints(self, name, *values):
        return self.graph.weight(name, np.array(values, np.int64))

    def counted(self):
        """The best class of each cell, the best cells first, in a fixed number."""
        g, f = self.graph, self.form
        probabilities, boxes = self.cells()
        best = g.node("ReduceMax", [probabilities], "best", axes=[2], keepdims=0)
        kind = g.node("ArgMax", [probabilities], "kind", axis=2, keepdims=0)
        g.node("TopK", [best, self.ints("rows", ROWS)], [f.names[2], "order"], axis=1)
        kept = g.node("GatherElements", [kind, "order"], "kept kind", axis=1)
        labels = g.node("Add", [kept, g.weight("one", np.int64(1))], "labels from 1")
        if f.param == "ssd-mobilenet":  # its labels are the ids
            labels = g.node("Gather", [self.ints("ids", 0, *category_ids(f)), labels], "ids of labels")
        g.node("Cast", [labels], f.names[3], to=f.labels)
        index = g.node("Unsqueeze", ["order", self.ints("last axis", 2)], "index")
        index = g.node("Expand", [index, self.ints("four", 1, 1, 4)], "indices")
        kept = g.node("GatherElements", [boxes, index], "kept boxes", axis=1)
        order = [1, 0, 3, 2] if f.nhwc else [0, 1, 2, 3]
        g.node("Gather", [kept, self.ints("corner order", *order)], f.names[1], axis=2)
        if len(f.names) > 4:
            sure = g.node("Greater", [f.names[2], g.weight("sure", np.float32(0.6))], "is sure")
            sure = g.node("Cast", [sure], "sure ones", to=TensorProto.FLOAT)
            g.node("ReduceSum", [sure, self.ints("second axis", 1)], f.names[4], keepdims=0)
        labels = tensor(f.labels)(f.names[3], f.batch, ROWS)
        outputs = [floats(f.names[1], f.batch, ROWS, 4), floats(f.names[2], f.batch, ROWS), labels]
        return outputs + [floats(name, f.batch) for name in f.names[4:]]

    def suppressed(self):
        """As the official RetinaNet: a variable number of boxes in pixels, of one picture."""
        g = self.graph
        probabilities, boxes = self.cells()
        scores = g.node("Transpose", [probabilities], "by class", perm=[0, 2, 1])
        limits = [self.ints("most", 20)]
        limits += [g.weight(n, np.array([v], np.float32)) for n, v in (("overlap", 0.5), ("least", 0.5))]
        chosen = g.node("NonMaxSuppression", [boxes, scores, *limits], "chosen")
        label, box = g.column(chosen, 1, "chosen/class"), g.column(chosen, 2, "chosen/box")
        rows = g.node("Squeeze", [boxes, self.ints("first axis", 0)], "rows")
        rows = g.node("Mul", [rows, g.weight("size", np.float32(800))], "pixels")
        flat = g.node("Mul", [label, g.weight("cells", np.int64(100))], "row")
        flat = g.node("Add", [flat, box], "flat")
        score = g.node("Reshape", [scores, self.ints("all", -1)], "flat scores")
        score = g.node("Gather", [score, flat], "chosen/score")
        keep = g.node("Min", [g.node("Shape", [score], "found"), self.ints("limit", 300)], "keep")
        g.node("TopK", [score, keep], ["scores", "order"], axis=0)
        g.node("Gather", [label, "order"], "labels")
        g.node("Gather", [rows, g.node("Gather", [box, "order"], "kept")], "boxes")
        return [floats("boxes", "K", 4), ints("labels", "K"), floats("scores", "K")]

    def save(self, path):
        f = self.form
        outputs = self.suppressed() if f.param == "retinanet" else self.counted()
        shape = [f.batch, f.size, f.size, 3] if f.nhwc else [f.batch, 3, f.size, f.size]
        inputs = [tensor(f.dtype)(f.names[0], *shape)]
        onnx.save(self.graph.model("stand-in", inputs, outputs, OPSET), path)


def preprocess(form, bgr):
    """The reference's steps for each form."""
    x = cv2.resize(bgr.astype(np.float32)[:, :, ::-1], (form.size, form.size), interpolation=cv2.INTER_LINEAR)
    if form.param == "retinanet":
        x = x / np.float32(255)
    elif form.param == "ssd-mobilenet":
        x = x.astype(np.uint8)
    elif form.param == "ssd-resnet34":
        x = (x / np.float32(255) - MEAN) / STD
    else:
        x = x - MEANS
    return np.ascontiguousarray(x if form.nhwc else x.transpose(2, 0, 1))[None]


def detect(form, model, bgr):
    """Rows of xmin, ymin, xmax, ymax as shares, score and category id: what the payload says."""
    outputs = model.run(list(form.names[1:]), {form.names[0]: preprocess(form, bgr)})
    if form.param == "retinanet":
        boxes, scores, labels = outputs
        boxes, limit = boxes / np.float32(form.size), len(scores)
    else:
        boxes, scores, labels = (o[0] for o in outputs[:3])
        limit = int(outputs[3][0]) if len(outputs) > 3 else len(scores)
    rows = []
    for box, score, label in zip(boxes[:limit], scores, labels):
        if score < form.threshold:
            break
        low = form.nhwc  # y first
        xy = [box[1], box[0], box[3], box[2]] if low else list(box)
        category = int(label) if form.model != "ssd-resnet34" else category_ids(form)[int(label) - 1]
        rows.append([*xy, score, category])
    return rows


def picture(rng):
    """Coarse coloured noise, so that the models find something else in each."""
    height, width = rng.integers(200, 500), rng.integers(200, 500)
    coarse = rng.integers(0, 256, (rng.integers(4, 9), rng.integers(4, 9), 3)).astype(np.float32)
    smooth = cv2.resize(coarse, (int(width), int(height)), interpolation=cv2.INTER_CUBIC)
    return np.clip(smooth + rng.normal(0, 12, smooth.shape), 0, 255).astype(np.uint8)


def truth_of(form, pictures, found, rng):
    """An annotation file of the models' detections, every third moved, every fifth left out."""
    categories = [{"id": i, "name": f"kind {i}"} for i in category_ids(form)]
    truth = {"images": [], "annotations": [], "categories": categories}
    for i, (bgr, rows) in enumerate(zip(pictures, found)):
        height, width = bgr.shape[:2]
        truth["images"].append({"id": i + 1, "file_name": f"{i:04d}.png", "width": width, "height": height})
        for k, (x0, y0, x1, y1, _, category) in enumerate(rows[:30]):
            if k % 5 == 4 or x1 <= x0 or y1 <= y0:
                continue
            move = rng.uniform(0, 0.3) if k % 3 == 0 else 0.0
            x0, x1 = (float(v) * width for v in (x0 + move * (x1 - x0), x1))
            y0, y1 = float(y0) * height, float(y1) * height
            box = [x0, y0, x1 - x0, y1 - y0]
            entry = {"id": len(truth["annotations"]) + 1, "image_id": i + 1, "category_id": category}
            truth["annotations"].append({**entry, "bbox": box, "area": box[2] * box[3], "iscrowd": int(k % 17 == 16)})
    return truth


def score(truth, found):
    rows = []
    for image, detections in zip(truth["images"], found):
        for x0, y0, x1, y1, confidence, category in detections:
            w, h = np.float32(image["width"]), np.float32(image["height"])
            rows.append([image["id"], x0 * w, y0 * h, x1 * w - x0 * w, y1 * h - y0 * h, confidence, category])
    return average_precision(truth, np.array(rows, np.float64))[0]


def write(form, out, rng):
    Network(form, rng).save(out / form.file)
    folder = out / form.param
    where = {"openimages": ("validation/data", "openimages-mlperf.json"), "coco": ("val2017", "instances_val2017.json")}
    pictures_folder, file = where[form.layout]
    for needed in (folder / pictures_folder, folder / "annotations"):
        needed.mkdir(parents=True, exist_ok=True)
    pictures = [picture(rng) for _ in range(PICTURES)]
    for i, bgr in enumerate(pictures):
        cv2.imwrite(str(folder / pictures_folder / f"{i:04d}.png"), bgr)
    model = session(out / form.file)
    found = [detect(form, model, bgr) for bgr in pictures]
    truth = truth_of(form, pictures, found, rng)
    (folder / "annotations" / file).write_text(json.dumps(truth))
    value, boxes = score(truth, found), len(truth["annotations"])
    print(f"{form.file}: {sum(map(len, found))} detections, {boxes} boxes, mAP {value:.4f} %")
    return {"file": form.file, "model": form.model, "form": form.param, "dataset": form.param, "mAP": value}


def main():
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(1)
    (out / "expected.json").write_text(json.dumps([write(f, out, rng) for f in forms()], indent=2) + "\n")


if __name__ == "__main__":
    main()
