"""R-GAT: layers of graph attention by relation, summed over the relations that end in a type.

Parameters have the names that the official checkpoint gives them.
"""

import torch
from data import RELATIONS, ends
from torch import nn
from torch.nn import functional


class Attention(nn.Module):
    """GATConv of one relation, in the form of DGL: the same weights for sources and destinations."""

    def __init__(self, features, heads, width):
        super().__init__()
        self.heads, self.width = heads, width
        self.fc = nn.Linear(features, heads * width, bias=False)
        self.attn_l, self.attn_r = (nn.Parameter(torch.empty(1, heads, width)) for _ in range(2))
        self.bias = nn.Parameter(torch.zeros(heads * width))
        for weight in (self.fc.weight, self.attn_l, self.attn_r):
            nn.init.xavier_normal_(weight, gain=2**0.5)

    def forward(self, sources, destinations, edges):
        source, destination = edges
        f = self.fc(sources).view(-1, self.heads, self.width)
        left = (f * self.attn_l).sum(-1)
        right = (self.fc(destinations).view(-1, self.heads, self.width) * self.attn_r).sum(-1)
        e = functional.leaky_relu(left[source] + right[destination], 0.2)
        where = destination[:, None].expand(-1, self.heads)
        top = torch.full_like(right, -1e30).scatter_reduce(0, where, e.detach(), "amax")
        a = (e - top[destination]).exp()
        total = torch.zeros_like(right).index_add(0, destination, a)
        out = torch.zeros(len(destinations), self.heads, self.width)
        out = out.index_add(0, destination, a[:, :, None] * f[source]) / total.clamp(min=1e-30)[:, :, None]
        return out.flatten(1) + self.bias


class Layer(nn.Module):
    def __init__(self, features, heads, width):
        super().__init__()
        self.mods = nn.ModuleDict({ends(r)[0]: Attention(features, heads, width) for r in RELATIONS})

    def forward(self, x, edges):
        out = {}
        for relation in RELATIONS:
            name, source, destination = ends(relation)
            y = self.mods[name](x[source], x[destination], edges[relation])
            out[destination] = out[destination] + y if destination in out else y
        return out


class Network(nn.Module):
    def __init__(self, features, classes, hidden=64, heads=4, layers=3, dropout=0.2):
        super().__init__()
        widths = [features] + [hidden] * (layers - 1)
        self.layers = nn.ModuleList(Layer(w, heads, hidden // heads) for w in widths)
        self.linear = nn.Linear(hidden, classes)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, edges):
        for layer in self.layers[:-1]:
            x = {t: self.dropout(functional.leaky_relu(y, 0.01)) for t, y in layer(x, edges).items()}
        return self.linear(self.layers[-1](x, edges)["paper"])
