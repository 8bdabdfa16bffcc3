"""Anchors (Lin et al. 2017, arXiv:1708.02002): nine boxes per position of each level, and what they are to predict."""

import math

import numpy as np
import torch
from embedded.pyramid import overlaps

SIZE = 160  # pixels of the input's sides
STRIDES = (8, 16, 32, 64)
BASE = 1.6  # side of a level's smallest square anchor, in strides
SCALES = (1.0, 2 ** (1 / 3), 2 ** (2 / 3))
RATIOS = (0.5, 1.0, 2.0)  # height over width
PER_POSITION = len(SCALES) * len(RATIOS)
POSITIVE, NEGATIVE, IGNORED = 0.5, 0.4, 0.5  # intersection over union; of the anchor within a crowd
SPREAD = (0.1, 0.2)  # the scale of predicted offsets and of predicted logarithms of sizes


def grid(stride):
    """Positions along one side of a level: convolutions of stride 2 round up."""
    return math.ceil(SIZE / stride)


def all_anchors():
    """float32 A,4: centre x, centre y, width, height in pixels; by level, row, column, then scale and ratio."""
    levels = []
    for stride in STRIDES:
        shapes = [
            (stride * BASE * s / math.sqrt(r), stride * BASE * s * math.sqrt(r)) for s in SCALES for r in RATIOS
        ]
        centres = (np.arange(grid(stride)) + 0.5) * stride
        y, x = np.meshgrid(centres, centres, indexing="ij")
        level = np.empty((*x.shape, PER_POSITION, 4), np.float32)
        level[..., 0], level[..., 1] = x[..., None], y[..., None]
        level[..., 2:] = shapes
        levels.append(level.reshape(-1, 4))
    return np.concatenate(levels)


def corners(boxes):
    """Centres and sizes to x0, y0, x1, y1."""
    half = boxes[..., 2:] / 2
    return torch.cat([boxes[..., :2] - half, boxes[..., :2] + half], -1)


def decode(offsets, anchors):
    """Predicted offsets N,A,4 to corners."""
    centres = offsets[..., :2] * SPREAD[0] * anchors[:, 2:] + anchors[:, :2]
    sizes = torch.exp(offsets[..., 2:] * SPREAD[1]) * anchors[:, 2:]
    return corners(torch.cat([centres, sizes], -1))


def match(anchors, boxes, classes, crowd, real):
    """What each anchor is to predict. boxes N,B,4 corners, classes, crowd and real N,B: padded to B boxes per picture.

    Returns the class N,A (-1: nothing, -2: not counted) and the index N,A of the box.
    """
    common, anchor_area, box_area = overlaps(corners(anchors)[None].expand(len(boxes), -1, -1), boxes)
    iou = common / (anchor_area[:, :, None] + box_area[:, None] - common)
    objects = real & ~crowd
    iou = iou.masked_fill(~objects[:, None], -1.0)
    best, index = iou.max(2)
    found = classes.gather(1, index)
    found = torch.where(best < POSITIVE, -2, found)
    found = torch.where(best < NEGATIVE, -1, found)
    inside = common / anchor_area[:, :, None]
    in_crowd = (inside.masked_fill(~(real & crowd)[:, None], 0.0) > IGNORED).any(2)
    found = torch.where(in_crowd & (found == -1), -2, found)
    return _with_best_anchors(iou, objects, classes, found, index)


def _with_best_anchors(iou, objects, classes, found, index):
    """Gives every object its best anchor, however bad."""
    best = iou.argmax(1)
    picture, box = objects.nonzero(as_tuple=True)
    anchor = best[picture, box]
    found[picture, anchor] = classes[picture, box]
    index[picture, anchor] = box
    return found, index
