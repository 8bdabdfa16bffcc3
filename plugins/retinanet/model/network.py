"""The network: a small RetinaNet (Lin et al. 2017, arXiv:1708.02002)."""

import math

import torch
from anchors import PER_POSITION, STRIDES
from embedded.residual import Block, ConvNorm
from torch import nn

STEM = 16
WIDTHS = (24, 48, 80, 96)  # channels of the stages at strides 4, 8, 16, 32
BLOCKS = (1, 2, 2, 1)
PYRAMID = 48
TOWER = 2  # convolutions before the last one
PRIOR = 0.01  # first guess of the probability that an anchor holds an object of a class


class Pyramid(nn.Module):
    """Features of strides 8, 16, 32 joined from the top down, and one more level of stride 64."""

    def __init__(self):
        super().__init__()
        self.lateral = nn.ModuleList(ConvNorm(w, PYRAMID, 1, 1) for w in WIDTHS[1:])
        self.smooth = nn.ModuleList(ConvNorm(PYRAMID, PYRAMID, 3, 1) for _ in WIDTHS[1:])
        self.top = ConvNorm(PYRAMID, PYRAMID, 3, 2)

    def forward(self, features):
        x = [lateral(f) for lateral, f in zip(self.lateral, features)]
        for i in reversed(range(len(x) - 1)):
            x[i] = x[i] + nn.functional.interpolate(x[i + 1], scale_factor=2, mode="nearest")
        x = [torch.relu(smooth(f)) for smooth, f in zip(self.smooth, x)]
        return [*x, torch.relu(self.top(x[-1]))]


class Tower(nn.Module):
    """Convolutions that all levels share, each level with normalisation of its own, and a last one with a bias."""

    def __init__(self, outputs, bias):
        super().__init__()
        self.convs = nn.ModuleList(nn.Conv2d(PYRAMID, PYRAMID, 3, 1, 1, bias=False) for _ in range(TOWER))
        self.norms = nn.ModuleList(
            nn.ModuleList(nn.BatchNorm2d(PYRAMID) for _ in range(TOWER)) for _ in STRIDES
        )
        self.last = nn.Conv2d(PYRAMID, outputs, 3, 1, 1)
        nn.init.normal_(self.last.weight, std=0.01)
        nn.init.constant_(self.last.bias, bias)

    def forward(self, level, x):
        for conv, norm in zip(self.convs, self.norms[level]):
            x = torch.relu(norm(conv(x)))
        return self.last(x)


class Network(nn.Module):
    """Pixels of 0..1 (N,3,160,160) to logits (N,A,classes) and box offsets (N,A,4)."""

    def __init__(self, classes):
        super().__init__()
        self.classes = classes
        self.stem = ConvNorm(3, STEM, 3, 2)
        self.stages = nn.ModuleList(map(self._stage, (STEM, *WIDTHS), WIDTHS, BLOCKS))
        self.pyramid = Pyramid()
        self.class_tower = Tower(PER_POSITION * classes, -math.log((1 - PRIOR) / PRIOR))
        self.box_tower = Tower(PER_POSITION * 4, 0.0)

    def forward(self, x):
        x, features = torch.relu(self.stem(x)), []
        for stage in self.stages:
            x = stage(x)
            features.append(x)
        levels = self.pyramid(features[1:])
        logits = [self._rows(self.class_tower(i, f), self.classes) for i, f in enumerate(levels)]
        offsets = [self._rows(self.box_tower(i, f), 4) for i, f in enumerate(levels)]
        return torch.cat(logits, 1), torch.cat(offsets, 1)

    @staticmethod
    def _stage(inputs, outputs, count):
        """Residual blocks, of which the first halves the sides."""
        return nn.Sequential(Block(inputs, outputs, 2), *(Block(outputs, outputs, 1) for _ in range(count - 1)))

    @staticmethod
    def _rows(x, values):
        return x.permute(0, 2, 3, 1).reshape(len(x), -1, values)
