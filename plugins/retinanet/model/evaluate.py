"""mAP of an ONNX file in ONNX Runtime on the CPU, by pycocotools."""

import contextlib
import io
import tempfile
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

import anchors
import data
from export import BOXES, INPUT, LABELS, SCORES


class Scenes:
    """The evaluation pictures and their true boxes."""

    def __init__(self):
        with tempfile.TemporaryDirectory() as folder:
            self.truth = data.draw("eval", 0, data.COUNTS["eval"], folder)
            names = [Path(folder) / data.PICTURES / image["file_name"] for image in self.truth["images"]]
            self.pictures = [cv2.imread(str(name)) for name in names]

    def score(self, path, prepare=data.model_input):
        """mAP and AP50 in percent. prepare makes the input of a picture, BGR, and a size."""
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        rows = []
        for image, bgr in zip(self.truth["images"], self.pictures):
            x = prepare(bgr, anchors.SIZE)[None]
            rows += self._rows(image, *session.run([BOXES, SCORES, LABELS], {INPUT: x}))
        with contextlib.redirect_stdout(io.StringIO()):
            truth = COCO()
            truth.dataset = self.truth
            truth.createIndex()
            evaluation = COCOeval(truth, truth.loadRes(np.array(rows)), "bbox")
            evaluation.evaluate()
            evaluation.accumulate()
            evaluation.summarize()
        return 100 * evaluation.stats[0], 100 * evaluation.stats[1]

    @staticmethod
    def _rows(image, boxes, scores, labels):
        """Image, x, y, width, height, score, class of each detection."""
        size = np.array([image["width"], image["height"]] * 2, np.float32)
        boxes = boxes / np.float32(anchors.SIZE) * size
        for (x0, y0, x1, y1), score, label in zip(boxes, scores, labels):
            yield image["id"], x0, y0, x1 - x0, y1 - y0, score, label
