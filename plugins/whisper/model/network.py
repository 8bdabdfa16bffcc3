"""Whisper in small: convolutions and attention over the sound, attention over what was said and over the sound."""

import torch
from data import FRAMES
from embedded.speech import FILTERS
from torch import nn
from torch.nn import functional

WIDTH, HEADS, INNER, LAYERS = 96, 4, 192, 2
FRONT = ((FILTERS, 64, 3, 2), (64, WIDTH, 5, 2), (WIDTH, WIDTH, 3, 2), (WIDTH, WIDTH, 9, 1))  # in, out, kernel, stride
LEVEL, SPREAD = 0.5, 0.25  # of features, roughly
STRIDE = 8  # frames that become one position
POSITIONS = FRAMES // STRIDE
PACE = 8  # positions of sound that a word takes, roughly: places in the text are counted in these


def rates():
    """Angles that one position adds, of WIDTH/2 sines and as many cosines."""
    return 10000 ** -(torch.arange(WIDTH // 2) / (WIDTH // 2 - 1))


def sinusoids(positions):
    angles = positions[:, None] * rates()
    return torch.cat([angles.sin(), angles.cos()], 1)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH, bias=False)
        self.value, self.output = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x, memory, mask=None):
        """The result, and the weights N,HEADS,of x,of memory."""
        q, k, v = (
            layer(y).unflatten(2, (HEADS, -1)).transpose(1, 2)
            for layer, y in ((self.query, x), (self.key, memory), (self.value, memory))
        )
        scores = q @ k.transpose(2, 3) * (WIDTH // HEADS) ** -0.5
        weights = (scores if mask is None else scores + mask).softmax(-1)
        return self.output((weights @ v).transpose(1, 2).flatten(2)), weights


class Feed(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(WIDTH, INNER), nn.GELU(), nn.Linear(INNER, WIDTH))


class EncoderLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention, self.feed = Attention(), Feed()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)

    def forward(self, x):
        y = self.norm1(x)
        x = x + self.attention(y, y)[0]
        return x + self.feed(self.norm2(x))


class DecoderLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.said, self.heard, self.feed = Attention(), Attention(), Feed()
        self.norm1, self.norm2, self.norm3 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)

    def forward(self, x, sound, mask):
        y = self.norm1(x)
        x = x + self.said(y, y, mask)[0]
        y, weights = self.heard(self.norm2(x), sound)
        x = x + y
        return x + self.feed(self.norm3(x)), weights


class Network(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.front = nn.ModuleList(nn.Conv1d(a, b, k, s, padding=k // 2) for a, b, k, s in FRONT)
        for convolution in self.front:
            nn.init.kaiming_normal_(convolution.weight, nonlinearity="relu")
        self.encoder = nn.ModuleList(EncoderLayer() for _ in range(LAYERS))
        self.decoder = nn.ModuleList(DecoderLayer() for _ in range(LAYERS))
        self.front_norm, self.encoder_norm, self.decoder_norm = (nn.LayerNorm(WIDTH) for _ in range(3))
        self.tokens = nn.Embedding(vocabulary, WIDTH)
        nn.init.normal_(self.tokens.weight, std=WIDTH**-0.5)

    def encode(self, features):
        """features N,FILTERS,frames -> N,frames/STRIDE,WIDTH; and what each convolution makes of them: N,width,frames
        each."""
        inner = [(features - LEVEL) / SPREAD]
        for convolution in self.front:
            inner.append(functional.gelu(convolution(inner[-1])))
        x = self.front_norm(inner[-1].transpose(1, 2))
        x = x + sinusoids(torch.arange(x.shape[1]))
        for layer in self.encoder:
            x = layer(x)
        return self.encoder_norm(x), inner[1:]

    def decode(self, ids, sound):
        """Logits N,S,VOCABULARY of ids N,S, and each layer's attention to the sound."""
        size = ids.shape[1]
        x = self.tokens(ids) * WIDTH**0.5 + sinusoids(torch.arange(size) * PACE)
        mask = torch.full((size, size), -1e9).triu(1)
        heard = []
        for layer in self.decoder:
            x, weights = layer(x, sound, mask)
            heard.append(weights)
        return self.decoder_norm(x) @ self.tokens.weight.T, heard
