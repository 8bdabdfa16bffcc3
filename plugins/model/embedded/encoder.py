"""Small encoders of BERT's family (Devlin et al. 2018, arXiv:1810.04805).

Other than BERT's, their positions are relative, as in T5 (Raffel et al. 2019, arXiv:1910.10683): what is learned of
neighbours at one place holds at all, so that short texts teach for long ones.
"""

from dataclasses import dataclass

import torch
from torch import nn

MASKED = -10000.0  # added to the attention to padding


@dataclass(frozen=True)
class Sizes:
    """The sizes of a network. Tokens further apart than far count as so far apart; slopes are what attention falls by
    with distance at first, for each head."""

    vocabulary: int
    layers: int
    width: int
    heads: int
    inner: int
    far: int = 64
    slopes: tuple = (1.0, 0.2, 0.0, 0.0)


class Attention(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.heads = sizes.heads
        self.query, self.key, self.value, self.output = (nn.Linear(sizes.width, sizes.width) for _ in range(4))

    def forward(self, x, mask):
        n, s, w = x.shape
        q, k, v = (m(x).view(n, s, self.heads, -1).transpose(1, 2) for m in (self.query, self.key, self.value))
        y = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.output(y.transpose(1, 2).reshape(n, s, w))


class Layer(nn.Module):
    """Attention and two linear layers, each with a shortcut and, behind it, a normalisation."""

    def __init__(self, sizes):
        super().__init__()
        self.attention = Attention(sizes)
        self.norm1, self.norm2 = nn.LayerNorm(sizes.width), nn.LayerNorm(sizes.width)
        self.wide, self.narrow = nn.Linear(sizes.width, sizes.inner), nn.Linear(sizes.inner, sizes.width)

    def forward(self, x, mask):
        x = self.norm1(x + self.attention(x, mask))
        return self.norm2(x + self.narrow(nn.functional.gelu(self.wide(x))))


class Encoder(nn.Module):
    """ids, mask and segments (int64 N,S) to what the last layer says of each token (float32 N,S,width)."""

    def __init__(self, sizes):
        super().__init__()
        self.sizes = sizes
        self.words = nn.Embedding(sizes.vocabulary, sizes.width)
        self.segments = nn.Embedding(2, sizes.width)
        self.norm = nn.LayerNorm(sizes.width)
        self.layers = nn.ModuleList(Layer(sizes) for _ in range(sizes.layers))
        # Words outweigh segments, and near neighbours others.
        nn.init.normal_(self.words.weight, std=0.3)
        nn.init.normal_(self.segments.weight, std=0.06)
        distance = torch.arange(-sizes.far, sizes.far + 1).abs()[:, None]
        self.distances = nn.Parameter((-distance * torch.tensor(sizes.slopes * sizes.layers)).clone())

    def bias(self, length):
        """What distance adds to the attention: layers*heads,S,S."""
        place, far = torch.arange(length), self.sizes.far
        return self.distances[(place[None] - place[:, None]).clamp(-far, far) + far].permute(2, 0, 1)

    def hidden(self, ids, mask, segments):
        """Yields the output of each layer: N,S,width."""
        x = self.norm(self.words(ids) + self.segments(segments))
        mask = (1.0 - mask[:, None, None, :].to(x.dtype)) * MASKED
        for layer, bias in zip(self.layers, self.bias(ids.shape[1]).split(self.sizes.heads)):
            x = layer(x, mask + bias)
            yield x

    def forward(self, ids, mask, segments):
        *_, x = self.hidden(ids, mask, segments)
        return x
