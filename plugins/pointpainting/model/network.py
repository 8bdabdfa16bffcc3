"""The two networks: a segmentation of pictures, and a detector of pillars."""

import math

import torch
from data import CELLS, HIGH, LOW, VOXEL
from embedded.pyramid import PRIOR_BIAS
from embedded.residual import Block, ConvNorm
from torch import nn

SEGMENTS = 19
WIDTHS = (16, 24, 40, 56)  # of the segmentation, at strides 1, 2, 4, 8

SCORES, FEATURES = 11, 16  # of a point as it comes, and as the detector sees it
# What the features are multiplied by, so that where a pillar lies does not outweigh what is in it: x, y, z, intensity,
# elongation, six scores, from the mean, from the middle of the cell.
GAINS = (0.05, 0.05, 1.0, 2.0, 2.0, *[4.0] * 6, 4.0, 4.0, 2.0, 4.0, 4.0)
PILLAR = 32  # channels of a pillar
MIDDLE, DEEP, HEAD = 48, 64, 64  # channels of the detector at strides 2 and 4, and of its head
STRIDE = 2
PLACES = CELLS // STRIDE  # along x and along y
# Width, length and height of a class's anchors, which stand on the ground; of each class, two: at angle 0, at a right
# angle.
SIZES = ((0.65, 1.48, 1.71), (0.65, 1.48, 1.71), (1.85, 4.4, 1.56))
ANGLES = (0.0, math.pi / 2)
ANCHORS = len(SIZES) * len(ANGLES)
ROWS = 256  # of the detector's output: the best by score


class Segmenter(nn.Module):
    """Normalised pixels N,3,H,W to logits N,19,H,W. H and W are multiples of 8."""

    def __init__(self):
        super().__init__()
        a, b, c, d = WIDTHS
        self.first = ConvNorm(3, a, 3, 1)
        self.second = ConvNorm(a, b, 3, 2)
        self.third, self.fourth = Block(b, c, 2), Block(c, d, 2)
        self.lateral = ConvNorm(d, c, 1, 1)
        self.up = nn.ModuleList([ConvNorm(c, b, 3, 1), ConvNorm(b, a, 3, 1), ConvNorm(a, a, 3, 1)])
        self.last = nn.Conv2d(a, SEGMENTS, 1)

    def forward(self, x):
        first = torch.relu(self.first(x))
        second = torch.relu(self.second(first))
        third = self.third(second)
        x = torch.relu(self.lateral(self.fourth(third)))
        for skip, conv in zip((third, second, first), self.up):
            x = torch.relu(conv(nn.functional.interpolate(x, scale_factor=2, mode="nearest") + skip))
        return self.last(x)


def decorated(points, cells, counts):
    """What the detector sees of pillars P,T,11 in cells P,2: the points with where they lie from the mean of their
    pillar, and from the middle of its cell; and which are there, P,T,1."""
    there = (torch.arange(points.shape[1]) < counts[:, None])[..., None]
    place = points[..., :3]
    mean = place.sum(1, keepdim=True) / counts[:, None, None]
    middle = (cells.float() + 0.5) * torch.from_numpy(VOXEL[:2]) + torch.from_numpy(LOW[:2])
    return torch.cat([points, place - mean, place[..., :2] - middle[:, None]], 2), there


class Detector(nn.Module):
    """Pillars to logits of the classes N,A,3, codes of boxes N,A,7 and logits of the direction N,A,2. Anchors are
    counted by the cell along x, along y, the class and the angle."""

    def __init__(self):
        super().__init__()
        self.linear, self.norm = nn.Linear(FEATURES, PILLAR, bias=False), nn.BatchNorm1d(PILLAR)
        self.middle = nn.ModuleList([ConvNorm(PILLAR, MIDDLE, 3, STRIDE), Block(MIDDLE, MIDDLE, 1)])
        self.deep = nn.Sequential(Block(MIDDLE, DEEP, 2), Block(DEEP, DEEP, 1))
        self.lateral, self.top = ConvNorm(MIDDLE, MIDDLE, 1, 1), ConvNorm(DEEP, MIDDLE, 1, 1)
        self.smooth = ConvNorm(MIDDLE, HEAD, 3, 1)
        self.classes = nn.Conv2d(HEAD, ANCHORS * len(SIZES), 1)
        self.boxes = nn.Conv2d(HEAD, ANCHORS * 7, 1)
        self.directions = nn.Conv2d(HEAD, ANCHORS * 2, 1)
        nn.init.normal_(self.classes.weight, std=0.01)
        nn.init.constant_(self.classes.bias, PRIOR_BIAS)

    def encode(self, points, cells, counts):
        """Channels P,PILLAR of each pillar."""
        seen, there = decorated(points, cells, counts)
        seen, there = seen * torch.tensor(GAINS), there[..., 0]
        found = torch.relu(self.norm(self.linear(seen[there])))
        return torch.zeros(*there.shape, PILLAR).masked_scatter(there[..., None], found).amax(1)

    def forward(self, points, frames, cells, counts, batch):
        """frames P: of a batch, that pillars are of; cells P,2."""
        canvas = torch.zeros(batch * CELLS * CELLS, PILLAR)
        at = (frames * CELLS + cells[:, 0]) * CELLS + cells[:, 1]
        canvas = canvas.index_copy(0, at, self.encode(points, cells, counts))
        x = canvas.reshape(batch, CELLS, CELLS, PILLAR).permute(0, 3, 1, 2)
        x = self.middle[1](torch.relu(self.middle[0](x)))
        top = nn.functional.interpolate(self.top(self.deep(x)), scale_factor=2, mode="nearest")
        x = torch.relu(self.smooth(torch.relu(self.lateral(x) + top)))
        heads = ((self.classes, len(SIZES)), (self.boxes, 7), (self.directions, 2))
        return [conv(x).permute(0, 2, 3, 1).reshape(batch, -1, width) for conv, width in heads]


def anchors():
    """The anchors A,7: x, y, z of the ground, width, length, height, angle."""
    line = (torch.arange(PLACES) + 0.5) * float((HIGH[0] - LOW[0]) / PLACES) + float(LOW[0])
    x, y = torch.meshgrid(line, line, indexing="ij")
    all_of = torch.zeros(PLACES, PLACES, len(SIZES), len(ANGLES), 7)
    all_of[..., 0], all_of[..., 1] = x[:, :, None, None], y[:, :, None, None]
    all_of[..., 3:6] = torch.tensor(SIZES)[:, None]
    all_of[..., 6] = torch.tensor(ANGLES)
    return all_of.reshape(-1, 7)
