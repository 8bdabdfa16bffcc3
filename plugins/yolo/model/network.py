"""The network: an anchor-free detector of one stage, with a box and a score for each class at each place of three
levels."""

import torch
from embedded.pyramid import PRIOR_BIAS, Backbone, Pyramid, Tower
from torch import nn

CLASSES = 10
SIDE = 192  # pixels of the input's sides in training
STEM = 16
WIDTHS = (24, 40, 64, 88)  # channels of the stages at strides 4, 8, 16, 32
BLOCKS = (1, 2, 2, 1)
PYRAMID = 48
TOWER = 1  # convolutions before the last one
STRIDES = (8, 16, 32)


class Network(nn.Module):
    """Pixels of 0..1 (N,3,H,W) to logits (N,P,classes) and distances (N,P,4) from a place to the left, upper, right and
    lower side of its box, in strides. H and W are multiples of 32; P counts the places level by level, row by row."""

    def __init__(self):
        super().__init__()
        self.backbone = Backbone(STEM, WIDTHS, BLOCKS)
        self.pyramid = Pyramid(WIDTHS[1:], PYRAMID, top=False)
        self.class_tower = Tower(PYRAMID, TOWER, len(STRIDES), CLASSES, PRIOR_BIAS)
        self.box_tower = Tower(PYRAMID, TOWER, len(STRIDES), 4, 2.0)

    def forward(self, x):
        levels = self.pyramid(self.backbone(x)[1:])
        logits = [self._rows(self.class_tower(i, f)) for i, f in enumerate(levels)]
        distances = [self._rows(self.box_tower(i, f)) for i, f in enumerate(levels)]
        return torch.cat(logits, 1), nn.functional.softplus(torch.cat(distances, 1))

    @staticmethod
    def _rows(x):
        return x.flatten(2).transpose(1, 2)


class Places:
    """The places of a square input: centres P,2 in pixels, and strides P,1."""

    def __init__(self, side=SIDE):
        centres, strides = [], []
        for stride in STRIDES:
            line = (torch.arange(side // stride) + 0.5) * stride
            y, x = torch.meshgrid(line, line, indexing="ij")
            centres.append(torch.stack([x, y], -1).reshape(-1, 2))
            strides.append(torch.full((len(centres[-1]), 1), float(stride)))
        self.centres, self.strides = torch.cat(centres), torch.cat(strides)

    def corners(self, distances):
        """Distances N,P,4 to corners in pixels."""
        away = distances * self.strides
        return torch.cat([self.centres - away[..., :2], self.centres + away[..., 2:]], -1)
