"""Which place learns which object: task-aligned assignment (Feng et al. 2021, arXiv:2108.07755)."""

import torch
from embedded.pyramid import overlaps

PLACES = 9  # of an object, at most
SCORE_POWER, OVERLAP_POWER = 0.5, 4.0  # of the alignment
LEAST = 6.0  # pixels from the middle of an object, however small, within which places may learn it


def assign(centres, logits, corners, boxes, real):
    """What each place is to learn. centres P,2; logits N,P,C and corners N,P,4 are what the network says now; boxes
    N,B,6 are corners, class and 1 for a crowd, of which real N,B are there.

    Returns the index N,P of the object, the score N,P that its class is to have (0: of nothing), and the places N,P
    that are in a crowd and of nothing: they are not counted.
    """
    truth, classes, crowd = boxes[..., :4], boxes[..., 4].long(), boxes[..., 5] > 0
    common, place_area, box_area = overlaps(corners, truth)
    overlap = common / (place_area[:, :, None] + box_area[:, None] - common)
    score = logits.sigmoid().gather(2, classes[:, None].expand(-1, logits.shape[1], -1))
    may = _near(centres, truth, LEAST) & (real & ~crowd)[:, None]
    aligned = score**SCORE_POWER * overlap**OVERLAP_POWER * may
    least = aligned.topk(PLACES, 1).values[:, -1:]
    aligned = aligned * (aligned >= least)
    best, index = (overlap * (aligned > 0)).max(2)  # of several objects, that with which the box agrees most
    own = torch.zeros_like(aligned).scatter(2, index[..., None], (best > 0).float()[..., None])
    aligned, overlap = aligned * own, overlap * own
    scale = overlap.amax(1, keepdim=True) / aligned.amax(1, keepdim=True).clamp(min=1e-12)
    wanted = (aligned * scale).amax(2)
    in_crowd = (_near(centres, truth, 0) & (real & crowd)[:, None]).any(2)
    return index, wanted, in_crowd & (wanted == 0)


def _near(centres, boxes, least):
    """Whether a place lies in a box, or so many pixels beside its middle: N,P,B."""
    middle, half = (boxes[..., :2] + boxes[..., 2:]) / 2, (boxes[..., 2:] - boxes[..., :2]) / 2
    away = (centres[None, :, None] - middle[:, None]).abs()
    return (away < half.clamp(min=least)[:, None]).all(-1)
