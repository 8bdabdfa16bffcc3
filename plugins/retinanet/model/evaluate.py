"""Detections of an ONNX file in ONNX Runtime on the CPU, for a score by pycocotools."""

import anchors
import data
import numpy as np
from embedded.runtime import session
from export import BOXES, INPUT, LABELS, SCORES


class Detector:
    """prepare makes the input of a picture, BGR, and a size."""

    def __init__(self, path, prepare=data.model_input):
        self.model, self.prepare = session(path), prepare

    def __call__(self, bgr):
        """Rows of x0, y0, x1, y1 in pixels of a picture, BGR, score and class."""
        feed = {INPUT: self.prepare(bgr, anchors.SIZE)[None]}
        boxes, scores, labels = self.model.run([BOXES, SCORES, LABELS], feed)
        height, width = bgr.shape[:2]
        boxes = boxes / np.float32(anchors.SIZE) * np.array([width, height] * 2, np.float32)
        return np.column_stack([boxes, scores, labels])
