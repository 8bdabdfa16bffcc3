"""mAP of an ONNX file in ONNX Runtime on the CPU, by pycocotools."""

import contextlib
import io
import tempfile

import anchors
import cv2
import data
import numpy as np
from embedded.runtime import session
from export import BOXES, INPUT, LABELS, SCORES
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval


def average_precision(annotations, rows):
    """mAP and AP50 in percent of rows of image, x, y, width, height, score, class."""
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO()
        truth.dataset = annotations
        truth.createIndex()
        evaluation = COCOeval(truth, truth.loadRes(np.array(rows)), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return 100 * float(evaluation.stats[0]), 100 * float(evaluation.stats[1])


class Scenes:
    """The evaluation pictures and their true boxes."""

    def __init__(self):
        with tempfile.TemporaryDirectory() as folder:
            self.truth, paths = data.draw("eval", 0, data.COUNTS["eval"], folder)
            self.pictures = [cv2.imread(path) for path in paths]

    def score(self, path, prepare=data.model_input):
        """mAP and AP50 in percent. prepare makes the input of a picture, BGR, and a size."""
        model, rows = session(path), []
        for image, bgr in zip(self.truth["images"], self.pictures):
            x = prepare(bgr, anchors.SIZE)[None]
            rows += self._rows(image, *model.run([BOXES, SCORES, LABELS], {INPUT: x}))
        return average_precision(self.truth, rows)

    @staticmethod
    def _rows(image, boxes, scores, labels):
        """Image, x, y, width, height, score, class of each detection."""
        size = np.array([image["width"], image["height"]] * 2, np.float32)
        boxes = boxes / np.float32(anchors.SIZE) * size
        for (x0, y0, x1, y1), score, label in zip(boxes, scores, labels):
            yield image["id"], x0, y0, x1 - x0, y1 - y0, score, label
