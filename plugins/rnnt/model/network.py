"""RNN-T as the benchmark's reference has it, in small."""

import torch
from data import BLANK, SPLICE, START
from embedded.speech import FILTERS
from torch import nn

INPUT = SPLICE * FILTERS
WIDTH, MEMORY, JOINT = 128, 64, 96  # of the encoder, the prediction network and the joint network
PREDICTION_LAYERS = 2
STACK = 2  # encoder frames that become one


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.pre = nn.LSTM(INPUT, WIDTH)
        self.post = nn.LSTM(STACK * WIDTH, WIDTH)
        self.symbols = nn.Embedding(START + 1, MEMORY, padding_idx=START)  # START is a zero vector
        self.prediction = nn.LSTM(MEMORY, MEMORY, PREDICTION_LAYERS)
        self.inner = nn.Linear(WIDTH + MEMORY, JOINT)
        self.outer = nn.Linear(JOINT, BLANK + 1)

    def encode(self, frames, lengths):
        """frames T,N,INPUT -> N,ceil(T/2),WIDTH. Frames behind a row's length count as zeros."""
        x, _ = self.pre(frames)
        x = x * (torch.arange(len(x))[:, None] < lengths)[:, :, None]
        x = nn.functional.pad(x, (0, 0, 0, 0, 0, len(x) % STACK))
        x = x.transpose(0, 1).unflatten(1, (-1, STACK)).flatten(2)
        x, _ = self.post(x.transpose(0, 1))
        return x.transpose(0, 1)

    def predict(self, symbols):
        """symbols N,U -> N,U,MEMORY."""
        g, _ = self.prediction(self.symbols(symbols).transpose(0, 1))
        return g.transpose(0, 1)

    def join(self, f, g):
        """Logits of each frame with each symbol: N,T,U,BLANK+1."""
        weight = self.inner.weight
        f = nn.functional.linear(f, weight[:, :WIDTH], self.inner.bias)
        g = nn.functional.linear(g, weight[:, WIDTH:])
        return self.outer(torch.relu(f[:, :, None] + g[:, None]))
