"""The network: a DLRM (Naumov et al. 2019, arXiv:1906.00091) of small tables."""

import numpy as np
import torch
from scipy import sparse
from torch import nn

WIDTH = 16  # of an embedding, and of what the numbers become
BOTTOM = (13, 64, 32, WIDTH)
TOP = (96, 32, 1)


class Bags(torch.autograd.Function):
    """Sums of rows of one matrix that holds all tables: a product with a sparse matrix of ones.

    nn.EmbeddingBag gives the same, but takes ten times as long for the gradient on a CPU.
    """

    @staticmethod
    def forward(context, weight, rows, offsets):
        ones = np.ones(len(rows), np.float32)
        context.bags = sparse.csr_matrix((ones, rows, offsets), shape=(len(offsets) - 1, len(weight)))
        return torch.from_numpy(context.bags @ weight.numpy())

    @staticmethod
    def backward(context, gradient):
        return torch.from_numpy(context.bags.T @ gradient.numpy()), None, None


class Network(nn.Module):
    """The inputs of data.Clicks.inputs to logits (N,). rows are those of each table."""

    def __init__(self, rows):
        super().__init__()
        self.rows = list(rows)
        self.first = np.concatenate([[0], np.cumsum(rows)[:-1]])  # row of each table in the matrix of all
        self.embeddings = nn.Parameter(torch.empty(sum(rows), WIDTH).uniform_(-0.05, 0.05))
        vectors = len(rows) + 1
        self.below = torch.tril_indices(vectors, vectors, -1)
        self.bottom = perceptron(BOTTOM, True)
        self.top = perceptron((WIDTH + vectors * (vectors - 1) // 2, *TOP), False)

    def table(self, k):
        return self.embeddings.detach().numpy()[self.first[k] : self.first[k] + self.rows[k]]

    def forward(self, dense_x, offsets, indices):
        n = len(dense_x)
        per_table = np.diff(offsets[:: n])
        rows = (indices + np.repeat(self.first, per_table)).astype(np.int32)
        bags = Bags.apply(self.embeddings, rows, offsets.astype(np.int32)).reshape(len(self.rows), n, WIDTH)
        x = self.bottom(torch.from_numpy(dense_x))
        vectors = torch.cat([x[None], bags]).transpose(0, 1)
        dots = torch.bmm(vectors, vectors.transpose(1, 2))[:, self.below[0], self.below[1]]
        return self.top(torch.cat([x, dots], 1)).squeeze(1)


def perceptron(widths, activate_last):
    layers = []
    for inputs, outputs in zip(widths, widths[1:]):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*(layers if activate_last else layers[:-1]))
