"""Residual blocks (He et al. 2015, arXiv:1512.03385), in torch and in ONNX."""

import torch
from torch import nn

from embedded import onnxgraph


class ConvNorm(nn.Sequential):
    """A convolution without bias, and its batch normalisation."""

    def __init__(self, inputs, outputs, kernel, stride):
        super().__init__(
            nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False),
            nn.BatchNorm2d(outputs),
        )


class Block(nn.Module):
    """Two 3x3 convolutions beside a shortcut, which is a 1x1 convolution where the shape changes."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first = ConvNorm(inputs, outputs, 3, stride)
        self.second = ConvNorm(outputs, outputs, 3, 1)
        same = inputs == outputs and stride == 1
        self.shortcut = None if same else ConvNorm(inputs, outputs, 1, stride)

    def forward(self, x):
        y = self.second(torch.relu(self.first(x)))
        return torch.relu(y + (x if self.shortcut is None else self.shortcut(x)))


class Graph(onnxgraph.Graph):
    """A graph of such blocks."""

    def relu(self, x):
        return self.node("Relu", [x], x + "/relu")

    def block(self, name, x, block, end="/relu"):
        """end ends the name of the result."""
        y = self.relu(self.conv(name + "/first", x, *block.first))
        y = self.conv(name + "/second", y, *block.second)
        shortcut = x if block.shortcut is None else self.conv(name + "/shortcut", x, *block.shortcut)
        return self.node("Relu", [self.node("Add", [y, shortcut], name + "/add")], name + end)
