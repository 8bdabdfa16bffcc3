"""The network: HSTU (Zhai et al. 2024, arXiv:2402.17152) as the benchmark has it, of any size.

d is the width of all rows, L the places of a history, C the candidates. A sequence of T rows is the user, the history
from the oldest entry on, and the candidates.
"""

import math
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn.functional import silu

ACTIONS = 5  # bits of a weight
LEAST_LENGTH = 20  # of history and candidates together, for the user's row to be read
PROJECTION = 0.25  # deviation of the layers' first weights: products of queries and keys begin at about 2
TIME = (1.0, 0.0, 1.0, 0.0)  # cosine and sine of the hour and of the weekday, which are not known


@dataclass(frozen=True)
class Sizes:
    """The embedded model's, where nothing else is said."""

    items: int
    categories: int
    users: int  # rows that users share, by the remainder of their numbers
    positions: int = 32  # the last row is that of all older entries
    width: int = 32
    heads: int = 2
    query: int = 16  # of a head, as keys
    value: int = 16  # of a head
    layers: int = 2
    action: int = 8  # of each bit
    hidden: int = 64
    last_hidden: int = 64  # of the perceptrons behind the layers


class Perceptron(nn.Module):
    """Two linear layers; the first one's output is gated by the logistic of its normalised self. The last normalisation
    is left out where there is but one output."""

    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.first, self.gate = nn.Linear(inputs, hidden), nn.LayerNorm(hidden)
        self.second = nn.Linear(hidden, outputs)
        self.norm = nn.LayerNorm(outputs) if outputs > 1 else None

    def forward(self, x):
        x = self.first(x)
        x = self.second(x * torch.sigmoid(self.gate(x)))
        return x if self.norm is None else self.norm(x)


class Layer(nn.Module):
    """A layer of pointwise attention."""

    EPSILON = 1e-6

    def __init__(self, s):
        super().__init__()
        self.sizes = s
        rows = s.heads * s.value
        self.parts = [rows, rows, s.heads * s.query, s.heads * s.query]  # gate, values, queries, keys
        self.norm = nn.LayerNorm(s.width, self.EPSILON)
        self.project = nn.Linear(s.width, sum(self.parts))
        nn.init.normal_(self.project.weight, std=PROJECTION)
        self.out_norm = nn.LayerNorm(rows, self.EPSILON)
        self.out = nn.Linear(3 * rows, s.width, bias=False)

    def heads(self, x):
        return x.unflatten(-1, (self.sizes.heads, -1)).transpose(1, 2)

    def forward(self, x, share):
        """x (B,T,d); share (B,1,T,T) is 1/N where a row may see another, else 0."""
        gate, *rows = self.project(self.norm(x)).split(self.parts, -1)
        values, queries, keys = map(self.heads, rows)
        seen = silu(queries @ keys.transpose(2, 3) * self.sizes.query**-0.5) * share
        gate, seen = silu(gate), (seen @ values).transpose(1, 2).flatten(2)
        return x + self.out(torch.cat([gate, seen, gate * self.out_norm(seen)], -1))


def places(lengths, history, candidates, positions):
    """Of sequences of 1 + history + candidates rows: the row of the table of positions (B,T), and who sees whom, as the
    share of it (B,T,T). Entries behind a history's length are seen by none. A candidate sees the user, the history and
    itself. What is seen is divided by the rows of the sample, not by those of the batch."""
    place = torch.arange(1 + history + candidates)
    end = 1 + lengths[:, None]
    is_history = (place >= 1) & (place <= history)
    rows = torch.where(is_history, (end - place + 1).clamp(0, positions - 1), (place > history).long())
    rank = place.clamp(max=1 + history)  # all candidates have one
    sees = (rank[:, None] > rank) | (place[:, None] == place)
    real = ~is_history | (place < end)
    return rows, (sees & real[:, None]) / (end + candidates)[:, :, None]


class Network(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.sizes = s
        d = s.width
        self.item, self.category = nn.Embedding(s.items, d), nn.Embedding(s.categories, d)
        self.user, self.position = nn.Embedding(s.users, d), nn.Embedding(s.positions, d)
        self.action = nn.Parameter(torch.empty(ACTIONS, s.action))
        self.no_action = nn.Parameter(torch.empty(ACTIONS * s.action))  # of candidates
        self.time = nn.Parameter(torch.empty(d))  # of the one time that there is
        self.content = Perceptron(d, s.hidden, d)
        self.additional = Perceptron(d, s.hidden, d)
        self.acted = Perceptron(ACTIONS * s.action, s.hidden, d)
        self.context = nn.Linear(d, d)
        self.layers = nn.ModuleList([Layer(s) for _ in range(s.layers)])
        self.timed, self.norm = nn.Linear(d + len(TIME), d), nn.LayerNorm(d)
        self.offered = Perceptron(2 * d, s.last_hidden, d)
        self.predict = Perceptron(d, s.last_hidden, 1)
        for table in (self.item, self.user):
            nn.init.normal_(table.weight, std=0.1)
        for table in (self.category.weight, self.action, self.no_action):
            nn.init.normal_(table)
        nn.init.normal_(self.position.weight, std=math.sqrt(d) / 2)  # rows are multiplied by the root before it
        nn.init.zeros_(self.time)

    def actions(self, weights):
        """The bits' rows of the weights (B,L), side by side."""
        bits = weights[..., None] >> torch.arange(ACTIONS) & 1
        return (bits[..., None] * self.action).flatten(-2)

    def sequence(self, items, categories, weights, user, length):
        """Rows of the user, the history and the candidates, before their positions. length (B,) counts the entries
        and candidates of each."""
        rows = self.content(items) + self.additional(categories)
        no_action = self.no_action.expand(len(rows), rows.shape[1] - weights.shape[1], -1)
        rows = rows + self.acted(torch.cat([self.actions(weights), no_action], 1))
        known = (length >= LEAST_LENGTH).to(rows.dtype)[:, None]
        return torch.cat([self.context(self.user(user % self.sizes.users) * known)[:, None], rows], 1)

    def forward(self, item_ids, weights, categories, user, candidate_ids, candidate_categories, lengths):
        """Logits (B,C) of candidates (B,C) after histories (B,L), which are padded at the right: lengths (B,)."""
        history, candidates = item_ids.shape[1], candidate_ids.shape[1]
        items = self.item(torch.cat([item_ids, candidate_ids], 1).clamp(0, self.sizes.items - 1))
        categories = self.category(torch.cat([categories, candidate_categories], 1))
        x = self.sequence(items, categories, weights, user, lengths + candidates)
        rows, share = places(lengths, history, candidates, self.sizes.positions)
        x = x * math.sqrt(self.sizes.width) + self.position(rows) + self.time
        for layer in self.layers:
            x = layer(x, share[:, None])
        x = x[:, 1 + history :]
        x = self.norm(self.timed(torch.cat([x, x.new_tensor(TIME).expand(*x.shape[:2], -1)], -1)))
        offered = self.offered(torch.cat([items[:, history:], categories[:, history:]], -1))
        return self.predict(x * offered).squeeze(-1)
