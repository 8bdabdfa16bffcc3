"""The network: an encoder of BERT's family of three narrow layers, with a span head."""

import torch
from embedded.encoder import Encoder, Sizes
from torch import nn

WIDTH, HEADS, LAYERS, INNER = 128, 4, 3, 512
MATCHING = (0.09, 64)  # deviation and number of the first layer's last queries that start equal to their keys


class Network(Encoder):
    """ids, mask and segments (int64 N,S) to start and end logits (float32 N,S each)."""

    def __init__(self, vocabulary):
        super().__init__(Sizes(vocabulary, LAYERS, WIDTH, HEADS, INNER))
        self.head = nn.Linear(WIDTH, 2)
        self._match()

    def _match(self):
        """Equal words of passage and question notice each other from the start."""
        first, (deviation, rows) = self.layers[0].attention, MATCHING
        nn.init.normal_(first.query.weight[-rows:], std=deviation)
        with torch.no_grad():
            first.key.weight[-rows:] = first.query.weight[-rows:]
            first.key.bias.zero_()
            first.query.bias.zero_()

    def forward(self, ids, mask, segments):
        return self.head(super().forward(ids, mask, segments)).unbind(-1)
