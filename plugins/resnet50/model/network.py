"""The network: a ResNet of basic blocks (He et al. 2015, arXiv:1512.03385) of an eighteenth the usual size."""

import torch
from embedded.residual import Block, ConvNorm
from torch import nn

WIDTHS = (16, 32, 64, 128)  # channels of the four stages, at strides 4, 8, 16, 32
BLOCKS = (2, 2, 2, 2)

# The network is trained on pixels divided by this; export.py folds the division into the first convolution.
PIXEL_SCALE = 64.0


class Network(nn.Module):
    """Pixels (mean-subtracted, divided by PIXEL_SCALE; N,3,H,W) to logits (N,classes)."""

    def __init__(self, classes):
        super().__init__()
        self.stem = ConvNorm(3, WIDTHS[0], 5, 2)
        self.pool = nn.MaxPool2d(3, 2, 1)
        self.blocks = nn.ModuleList(self._blocks())
        self.head = nn.Linear(WIDTHS[-1], classes)

    @staticmethod
    def _blocks():
        inputs = WIDTHS[0]
        for stage, (outputs, count) in enumerate(zip(WIDTHS, BLOCKS)):
            for i in range(count):
                yield Block(inputs, outputs, 2 if i == 0 and stage > 0 else 1)
                inputs = outputs

    def forward(self, x):
        x = self.pool(torch.relu(self.stem(x)))
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean((2, 3)))
