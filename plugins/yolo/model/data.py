"""The data: synthetic scenes, letterboxed as the benchmark does it."""

import cv2
import numpy as np
from embedded.scenes import Inputs

GREY = 114


def place(width, height, side):
    """The scaled sides of a picture, and its left and upper border, in a square input."""
    scale = min(side / height, side / width)
    w, h = max(1, round(width * scale)), max(1, round(height * scale))
    return w, h, round((side - w) / 2 - 0.1), round((side - h) / 2 - 0.1)


def letterbox(bgr, side):
    """float32 3,side,side: RGB of 0..1, proportions kept, in the middle of a grey border."""
    w, h, left, top = place(bgr.shape[1], bgr.shape[0], side)
    out = np.full((side, side, 3), GREY, np.uint8)
    out[top : top + h, left : left + w] = cv2.resize(bgr, (w, h), interpolation=cv2.INTER_LINEAR)
    return np.ascontiguousarray(out[:, :, ::-1].transpose(2, 0, 1)) / np.float32(255)


def _points(width, height, side):
    w, h, left, top = place(width, height, side)
    return w / width, h / height, left, top


def inputs(side):
    return Inputs(side, letterbox, _points)
