"""The two networks, of equal sizes: a passage is one vector to the encoder, and as many as it has tokens to the
reranker."""

import torch
from embedded.encoder import Encoder, Sizes

LAYERS, WIDTH, HEADS, INNER = 2, 64, 4, 256
FAR = -1e4  # the similarity of a token with padding


def make(vocabulary):
    return Encoder(Sizes(vocabulary, LAYERS, WIDTH, HEADS, INNER))


def pooled(x, mask):
    """The mean of the tokens, of length 1: N,S,width to N,width."""
    weight = mask[..., None].to(x.dtype)
    return torch.nn.functional.normalize((x * weight).sum(1) / weight.sum(1), dim=-1)


def maxsim(queries, query_mask, passages, passage_mask):
    """For each query (Q,S,width) and passage (P,T,width), the sum over the query's tokens of the largest product with
    one of the passage's: Q,P."""
    products = torch.einsum("qsw,ptw->qpst", queries, passages)
    products = products.masked_fill(passage_mask[None, :, None, :] == 0, FAR)
    return (products.amax(-1) * query_mask[:, None, :]).sum(-1)
