"""The transducer's loss: minus the logarithm of the probability of a transcript, summed over all its alignments
(A. Graves, "Sequence Transduction with Recurrent Neural Networks", 2012, section 2.4)."""

import torch
from data import BLANK
from torch.nn import functional

NEVER = -1e30


def skew(x):
    """x N,T,U -> T+U-1,N,U: entry d is the diagonal t + u = d, with NEVER outside of x."""
    rows, frames, symbols = x.shape
    wide = functional.pad(x, (0, 0, 0, symbols), value=NEVER).transpose(1, 2)  # N,U,T+U
    flat = wide.flatten(1)[:, : symbols * (frames + symbols - 1)]
    return flat.view(rows, symbols, frames + symbols - 1).permute(2, 0, 1)


def transducer(logits, labels, frames, symbols):
    """The loss of each row: logits N,T,U+1,K; labels N,U; frames and symbols are the rows' lengths."""
    logs = logits.log_softmax(-1)
    blank = skew(logs[..., BLANK])
    index = labels[:, None, :, None].expand(-1, logs.shape[1], -1, 1)
    emit = skew(functional.pad(logs[:, :, :-1].gather(3, index)[..., 0], (0, 1), value=NEVER))
    before = torch.full_like(blank[0], NEVER)
    before[:, 0] = 0
    diagonals = [before]
    for d in range(len(blank) - 1):
        moved = functional.pad((before + emit[d])[:, :-1], (1, 0), value=NEVER)
        before = torch.logaddexp((before + blank[d]).clamp(min=NEVER), moved.clamp(min=NEVER))
        diagonals.append(before)
    row, end = torch.arange(len(labels)), frames - 1 + symbols
    return -(torch.stack(diagonals)[end, row, symbols] + blank[end, row, symbols])
