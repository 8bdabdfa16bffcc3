"""A small 3D U-Net."""

import torch
from torch import nn

WIDTHS = (8, 16, 32, 64)  # channels at each resolution
CLASSES = 3


class ConvNorm(nn.Sequential):
    """A 3x3x3 convolution without bias, and its batch normalisation."""

    def __init__(self, inputs, outputs, stride=1):
        super().__init__(nn.Conv3d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm3d(outputs))


class Network(nn.Module):
    """A volume (N,channels,D,H,W; sides are multiples of 8 with four widths) to scores (N,classes,D,H,W).

    Going down, each resolution has two convolutions, of which the first halves it; the first resolution has one. Going
    up, a 1x1x1 convolution and nearest-neighbour upsampling bring the lower resolution, which is added to what the way
    down left, and one convolution follows.
    """

    def __init__(self, widths=WIDTHS, channels=1, classes=CLASSES):
        super().__init__()
        pairs = list(zip(widths, widths[1:]))
        self.stem = ConvNorm(channels, widths[0])
        self.halve = nn.ModuleList(ConvNorm(few, many, 2) for few, many in pairs)
        self.deepen = nn.ModuleList(ConvNorm(many, many) for _, many in pairs)
        self.narrow = nn.ModuleList(nn.Conv3d(many, few, 1) for few, many in pairs)
        self.merge = nn.ModuleList(ConvNorm(few, few) for few, _ in pairs)
        self.head = nn.Conv3d(widths[0], classes, 1)

    def forward(self, x):
        x = torch.relu(self.stem(x))
        left = []
        for halve, deepen in zip(self.halve, self.deepen):
            left.append(x)
            x = torch.relu(deepen(torch.relu(halve(x))))
        for narrow, merge, skip in reversed(list(zip(self.narrow, self.merge, left))):
            x = nn.functional.interpolate(narrow(x), scale_factor=2.0, mode="nearest")
            x = torch.relu(merge(x + skip))
        return self.head(x)


def loss_of(scores, labels):
    """Cross-entropy plus one less the soft DICE of the classes but the background."""
    entropy = nn.functional.cross_entropy(scores, labels)
    p = scores.softmax(1)
    truth = nn.functional.one_hot(labels, scores.shape[1]).movedim(-1, 1).float()
    both, sums = (p * truth).sum((0, 2, 3, 4)), (p + truth).sum((0, 2, 3, 4))
    return entropy + 1 - ((2 * both + 1) / (sums + 1))[1:].mean()
