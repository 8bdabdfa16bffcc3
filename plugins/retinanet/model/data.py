"""The data: synthetic scenes, preprocessed as the benchmark does it."""

import cv2
import numpy as np
from embedded.scenes import Inputs


def model_input(bgr, size):
    """The retinanet recipe: float32, resized to size x size whatever the proportions, RGB, 0..1, as 3,size,size."""
    resized = cv2.resize(bgr.astype(np.float32), (size, size), interpolation=cv2.INTER_LINEAR)
    return np.ascontiguousarray(resized[:, :, ::-1].transpose(2, 0, 1)) / np.float32(255)


def inputs(size):
    return Inputs(size, model_input, lambda width, height, size: (size / width, size / height, 0, 0))
