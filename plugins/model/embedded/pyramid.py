"""Detectors over a feature pyramid (Lin et al. 2017, arXiv:1612.03144), in torch and in ONNX."""

import math

import numpy as np
import torch
from torch import nn

from embedded import residual
from embedded.residual import Block, ConvNorm

PRIOR = 0.01  # first guess of the probability that a place holds an object of a class
PRIOR_BIAS = -math.log((1 - PRIOR) / PRIOR)
LAST = "/last"  # ends the names of the convolutions that stay in floating point: their outputs are scores and boxes


class Backbone(nn.Module):
    """A stem of stride 2 and stages of residual blocks, of which the first of each halves the sides."""

    def __init__(self, stem, widths, blocks):
        super().__init__()
        self.stem = ConvNorm(3, stem, 3, 2)
        self.stages = nn.ModuleList(map(self._stage, (stem, *widths), widths, blocks))

    def forward(self, x):
        x, features = torch.relu(self.stem(x)), []
        for stage in self.stages:
            x = stage(x)
            features.append(x)
        return features

    @staticmethod
    def _stage(inputs, outputs, count):
        return nn.Sequential(Block(inputs, outputs, 2), *(Block(outputs, outputs, 1) for _ in range(count - 1)))


class Pyramid(nn.Module):
    """Features of falling size joined from the top down, and, if asked for, a smaller level on top."""

    def __init__(self, inputs, width, top):
        super().__init__()
        self.lateral = nn.ModuleList(ConvNorm(w, width, 1, 1) for w in inputs)
        self.smooth = nn.ModuleList(ConvNorm(width, width, 3, 1) for _ in inputs)
        self.top = ConvNorm(width, width, 3, 2) if top else None

    def forward(self, features):
        x = [lateral(f) for lateral, f in zip(self.lateral, features)]
        for i in reversed(range(len(x) - 1)):
            x[i] = x[i] + nn.functional.interpolate(x[i + 1], scale_factor=2, mode="nearest")
        x = [torch.relu(smooth(f)) for smooth, f in zip(self.smooth, x)]
        return x if self.top is None else [*x, torch.relu(self.top(x[-1]))]


class Tower(nn.Module):
    """Convolutions that all levels share, each level with normalisation of its own, and a last one with a bias."""

    def __init__(self, width, convs, levels, outputs, bias):
        super().__init__()
        self.convs = nn.ModuleList(nn.Conv2d(width, width, 3, 1, 1, bias=False) for _ in range(convs))
        self.norms = nn.ModuleList(nn.ModuleList(nn.BatchNorm2d(width) for _ in range(convs)) for _ in range(levels))
        self.last = nn.Conv2d(width, outputs, 3, 1, 1)
        nn.init.normal_(self.last.weight, std=0.01)
        nn.init.constant_(self.last.bias, bias)

    def forward(self, level, x):
        for conv, norm in zip(self.convs, self.norms[level]):
            x = torch.relu(norm(conv(x)))
        return self.last(x)


class Graph(residual.Graph):
    """A graph of these parts."""

    def backbone(self, x, backbone):
        x, features = self.relu(self.conv("stem", x, *backbone.stem)), []
        for i, stage in enumerate(backbone.stages):
            for j, block in enumerate(stage):
                x = self.block(f"stage{i}/block{j}", x, block, "/add/relu")
            features.append(x)
        return features

    def pyramid(self, features, pyramid):
        double = self.weight("double", np.array([1, 1, 2, 2], np.float32))
        x = [self.conv(f"lateral{i}", f, *c) for i, (c, f) in enumerate(zip(pyramid.lateral, features))]
        for i in reversed(range(len(x) - 1)):
            above = self.node(
                "Resize",
                [x[i + 1], "", double],
                f"double{i}",
                mode="nearest",
                coordinate_transformation_mode="asymmetric",
                nearest_mode="floor",
            )
            x[i] = self.node("Add", [x[i], above], f"join{i}")
        x = [self.relu(self.conv(f"smooth{i}", f, *c)) for i, (c, f) in enumerate(zip(pyramid.smooth, x))]
        return x if pyramid.top is None else [*x, self.relu(self.conv("top", x[-1], *pyramid.top))]

    def tower(self, name, level, x, tower):
        for i, (conv, norm) in enumerate(zip(tower.convs, tower.norms[level])):
            x = self.relu(self.conv(f"{name}{level}/{i}", x, conv, norm))
        return self.conv(f"{name}{level}{LAST}", x, tower.last, weights=name + LAST)


def generalised_overlap(given, wanted):
    """Generalised intersection over union (Rezatofighi et al. 2019, arXiv:1902.09630) of pairs of corners M,4."""
    low, high = torch.maximum(given[:, :2], wanted[:, :2]), torch.minimum(given[:, 2:], wanted[:, 2:])
    common = (high - low).clamp(min=0).prod(1)
    low, high = torch.minimum(given[:, :2], wanted[:, :2]), torch.maximum(given[:, 2:], wanted[:, 2:])
    hull = (high - low).prod(1)
    union = (given[:, 2:] - given[:, :2]).prod(1) + (wanted[:, 2:] - wanted[:, :2]).prod(1) - common
    return common / union - (hull - union) / hull


def overlaps(a, b):
    """Intersections of corners N,A,4 with corners N,B,4 as N,A,B, and the areas N,A and N,B."""
    low = torch.maximum(a[:, :, None, :2], b[:, None, :, :2])
    high = torch.minimum(a[:, :, None, 2:], b[:, None, :, 2:])
    common = (high - low).clamp(min=0).prod(-1)
    return common, (a[..., 2:] - a[..., :2]).prod(-1), (b[..., 2:] - b[..., :2]).prod(-1)
