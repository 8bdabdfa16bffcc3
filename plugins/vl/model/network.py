"""The network: a small ResNet that looks at the picture, and convolutions over the letters of the title. Neither sees
what the other sees."""

import torch
from embedded.residual import Block, ConvNorm
from torch import nn

SIDE, LETTERS, CATEGORIES = 96, 64, 36
LEVELS = 128.0  # pixels are divided by this, less one; export.py has it in the graph


class Eye(nn.Module):
    """Pixels (N,3,96,96) of -1 to 1 to logits of the categories (N,36)."""

    def __init__(self):
        super().__init__()
        self.stem = ConvNorm(3, 16, 5, 2)
        self.pool = nn.MaxPool2d(3, 2, 1)
        self.blocks = nn.ModuleList([Block(16, 32, 2), Block(32, 64, 2)])
        self.head = nn.Linear(64, CATEGORIES)

    def forward(self, x):
        x = self.pool(torch.relu(self.stem(x)))
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean((2, 3)))


class Reader(nn.Module):
    """Bytes of a title (N,64), 0 behind its end, to a logit for each of being part of the brand (N,64), and one for the
    title of being that of a second-hand product (N,1)."""

    def __init__(self, width=64):
        super().__init__()
        self.letters = nn.Embedding(256, 32)
        sizes = [32, width, width, width]
        self.convolutions = nn.ModuleList(nn.Conv1d(a, b, 5, padding=2) for a, b in zip(sizes, sizes[1:]))
        self.brand = nn.Conv1d(width, 1, 1)
        self.second_hand = nn.Conv1d(width, 1, 1)

    def forward(self, title):
        x = self.letters(title).transpose(1, 2)
        for convolution in self.convolutions:
            x = torch.relu(convolution(x))
        return self.brand(x)[:, 0], self.second_hand(x).amax(2)


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.eye, self.reader = Eye(), Reader()

    def forward(self, picture, title):
        return self.eye(picture), *self.reader(title)
