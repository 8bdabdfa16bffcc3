"""The network: a BERT (Devlin et al. 2018, arXiv:1810.04805) of three narrow layers, with a span head."""

import math

import torch
from torch import nn

LENGTH = 384  # positions
WIDTH, HEADS, LAYERS, INNER = 128, 4, 3, 512
MASKED = -10000.0  # added to the attention to padding


def sinusoids(length, width):
    """Positions as waves (Vaswani et al. 2017): what is learned of near neighbours at one place holds at all."""
    angle = torch.arange(length)[:, None] * torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.output = (nn.Linear(WIDTH, WIDTH) for _ in range(4))

    def forward(self, x, mask):
        n, s, _ = x.shape
        q, k, v = (m(x).view(n, s, HEADS, -1).transpose(1, 2) for m in (self.query, self.key, self.value))
        y = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.output(y.transpose(1, 2).reshape(n, s, WIDTH))


class Layer(nn.Module):
    """Attention and two linear layers, each with a shortcut and, behind it, a normalisation."""

    def __init__(self):
        super().__init__()
        self.attention = Attention()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.wide, self.narrow = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)

    def forward(self, x, mask, drop):
        x = self.norm1(x + drop(self.attention(x, mask)))
        return self.norm2(x + drop(self.narrow(nn.functional.gelu(self.wide(x)))))


class Network(nn.Module):
    """ids, mask and segments (int64 N,S) to start and end logits (float32 N,S each)."""

    def __init__(self, vocabulary):
        super().__init__()
        self.words = nn.Embedding(vocabulary, WIDTH)
        self.segments = nn.Embedding(2, WIDTH)
        self.register_buffer("positions", sinusoids(LENGTH, WIDTH) * 0.3)
        self.norm = nn.LayerNorm(WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.head = nn.Linear(WIDTH, 2)
        nn.init.normal_(self.words.weight, std=0.3)
        nn.init.normal_(self.segments.weight, std=0.3)

    def forward(self, ids, mask, segments, positions=None, drop=nn.Identity()):
        where = self.positions[: ids.shape[1]] if positions is None else self.positions[positions]
        x = self.norm(self.words(ids) + self.segments(segments) + where)
        mask = (1.0 - mask[:, None, None, :].to(x.dtype)) * MASKED
        for layer in self.layers:
            x = layer(x, mask, drop)
        return self.head(x).unbind(-1)
