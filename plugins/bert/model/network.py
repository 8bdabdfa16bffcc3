"""The network: a BERT (Devlin et al. 2018, arXiv:1810.04805) of three narrow layers, with a span head.

Other than BERT's, its positions are relative, as in T5 (Raffel et al. 2019, arXiv:1910.10683): what is learned of
neighbours at one place holds at all, so that short passages teach for long ones.
"""

import torch
from torch import nn

WIDTH, HEADS, LAYERS, INNER = 128, 4, 3, 512
FAR = 64  # tokens further apart than this count as so far apart
SLOPES = (1.0, 0.2, 0.0, 0.0)  # by which attention falls with distance at first, by head
MATCHING = (0.09, 64)  # deviation and number of the first layer's last queries that start equal to their keys
MASKED = -10000.0  # added to the attention to padding


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

    def forward(self, x, mask):
        x = self.norm1(x + self.attention(x, mask))
        return self.norm2(x + self.narrow(nn.functional.gelu(self.wide(x))))


class Network(nn.Module):
    """ids, mask and segments (int64 N,S) to start and end logits (float32 N,S each)."""

    def __init__(self, vocabulary):
        super().__init__()
        self.words = nn.Embedding(vocabulary, WIDTH)
        self.segments = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.head = nn.Linear(WIDTH, 2)
        self._start()

    def _start(self):
        """Words outweigh segments, near neighbours others; equal words of passage and question notice each other."""
        nn.init.normal_(self.words.weight, std=0.3)
        nn.init.normal_(self.segments.weight, std=0.06)
        distance = torch.arange(-FAR, FAR + 1).abs()[:, None]
        self.distances = nn.Parameter((-distance * torch.tensor(SLOPES * LAYERS)).clone())
        first, (deviation, rows) = self.layers[0].attention, MATCHING
        nn.init.normal_(first.query.weight[-rows:], std=deviation)
        with torch.no_grad():
            first.key.weight[-rows:] = first.query.weight[-rows:]
            first.key.bias.zero_()
            first.query.bias.zero_()

    def bias(self, length):
        """What distance adds to the attention: LAYERS*HEADS,S,S."""
        place = torch.arange(length)
        return self.distances[(place[None] - place[:, None]).clamp(-FAR, FAR) + FAR].permute(2, 0, 1)

    def hidden(self, ids, mask, segments):
        """Yields the output of each layer: N,S,WIDTH."""
        x = self.norm(self.words(ids) + self.segments(segments))
        mask = (1.0 - mask[:, None, None, :].to(x.dtype)) * MASKED
        for layer, bias in zip(self.layers, self.bias(ids.shape[1]).split(HEADS)):
            x = layer(x, mask + bias)
            yield x

    def forward(self, ids, mask, segments):
        *_, x = self.hidden(ids, mask, segments)
        return self.head(x).unbind(-1)
