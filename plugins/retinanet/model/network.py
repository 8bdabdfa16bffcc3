"""The network: a small RetinaNet (Lin et al. 2017, arXiv:1708.02002)."""

import torch
from anchors import PER_POSITION, STRIDES
from embedded.pyramid import PRIOR_BIAS, Backbone, Pyramid, Tower
from torch import nn

STEM = 16
WIDTHS = (24, 48, 80, 96)  # channels of the stages at strides 4, 8, 16, 32
BLOCKS = (1, 2, 2, 1)
PYRAMID = 48  # features of strides 8, 16 and 32, and one more level of stride 64
TOWER = 2  # convolutions before the last one


class Network(nn.Module):
    """Pixels of 0..1 (N,3,160,160) to logits (N,A,classes) and box offsets (N,A,4)."""

    def __init__(self, classes):
        super().__init__()
        self.classes = classes
        self.backbone = Backbone(STEM, WIDTHS, BLOCKS)
        self.pyramid = Pyramid(WIDTHS[1:], PYRAMID, top=True)
        self.class_tower = Tower(PYRAMID, TOWER, len(STRIDES), PER_POSITION * classes, PRIOR_BIAS)
        self.box_tower = Tower(PYRAMID, TOWER, len(STRIDES), PER_POSITION * 4, 0.0)

    def forward(self, x):
        levels = self.pyramid(self.backbone(x)[1:])
        logits = [self._rows(self.class_tower(i, f), self.classes) for i, f in enumerate(levels)]
        offsets = [self._rows(self.box_tower(i, f), 4) for i, f in enumerate(levels)]
        return torch.cat(logits, 1), torch.cat(offsets, 1)

    @staticmethod
    def _rows(x, values):
        return x.permute(0, 2, 3, 1).reshape(len(x), -1, values)
