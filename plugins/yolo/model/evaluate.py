"""Detections of an ONNX file in ONNX Runtime on the CPU, by the benchmark's rules, for a score by pycocotools."""

import data
import numpy as np
from embedded.runtime import session
from export import INPUT, OUTPUT
from network import SIDE

LEAST_SCORE, OVERLAP, MOST = np.float32(0.001), np.float32(0.7), 300


class Detector:
    def __init__(self, path, prepare=data.letterbox):
        self.model, self.prepare = session(path), prepare

    def __call__(self, bgr):
        """Rows of x0, y0, x1, y1 in pixels of a picture, BGR, score and class."""
        (output,) = self.model.run([OUTPUT], {INPUT: self.prepare(bgr, SIDE)[None]})
        boxes, scores, classes = chosen(output[0])
        keep = suppressed(boxes + np.float32(7680) * classes[:, None].astype(np.float32))
        height, width = bgr.shape[:2]
        w, h, left, top = data.place(width, height, SIDE)
        boxes = (boxes[keep] - np.float32([left, top, left, top])) / np.float32([w / width, h / height] * 2)
        boxes = boxes.clip(0, np.float32([width, height, width, height]))
        return np.column_stack([boxes, scores[keep], classes[keep]])


def chosen(output):
    """Corners, scores and classes of the columns above the least score, the best first."""
    scores, classes = output[4:].max(0), output[4:].argmax(0)
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > LEAST_SCORE]
    middle, half = output[:2, order].T, output[2:4, order].T / np.float32(2)
    return np.concatenate([middle - half, middle + half], 1), scores[order], classes[order]


def suppressed(boxes):
    """Indices of the boxes that no better one covers."""
    keep, areas = [], (boxes[:, 2:] - boxes[:, :2]).prod(1)
    left = np.arange(len(boxes))
    while len(left) and len(keep) < MOST:
        i, left = left[0], left[1:]
        keep.append(i)
        sides = np.minimum(boxes[i, 2:], boxes[left, 2:]) - np.maximum(boxes[i, :2], boxes[left, :2])
        common = sides.clip(0).prod(1)
        left = left[~(common / (areas[i] + areas[left] - common) > OVERLAP)]
    return keep
