"""INT8 of weights alone."""

import numpy as np


def whole(values, axis):
    """Whole numbers of -127 to 127, int8 in the shape of values, and the scales along an axis, float32, that they are
    to be multiplied with."""
    others = tuple(k for k in range(values.ndim) if k != axis % values.ndim)
    scale = np.abs(values).max(axis=others, keepdims=True) / np.float32(127)
    scale[scale == 0] = 1
    return np.rint(values / scale).astype(np.int8), scale.ravel().astype(np.float32)
