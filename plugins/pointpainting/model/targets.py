"""What each anchor is to learn, and the detector's loss."""

import math

import torch
from data import CLASSES
from network import anchors
from torch import nn

NEAR = torch.tensor([0.55, 0.55, 0.75])  # metres from the middle of an object of a class, within which anchors learn it
ASIDE = 0.35  # metres beyond, within which anchors are not counted
SKEW = math.pi / 4  # an anchor learns what is turned at most so far from it
ALPHA, GAMMA = 0.5, 2.0  # of the focal loss (Lin et al. 2017, arXiv:1708.02002)
# Of classes, boxes and directions. The boxes' gradients are large: with a larger weight they drown those of the
# classes, and cyclists are not told from pedestrians.
WEIGHTS = (4.0, 1.0, 0.2)


class Loss:
    def __init__(self):
        self.anchors = anchors()
        self.kind = torch.arange(len(self.anchors)) // 2 % len(CLASSES)
        size = self.anchors[:, 3:6]
        self.scale = torch.stack([size[:, :2].square().sum(1).sqrt()] * 2 + [size[:, 2]], 1)

    def assign(self, boxes, labels, counted):
        """Of a frame's boxes K,7: the one that each anchor learns, -1 for none, and the anchors that do not count."""
        if not len(boxes):
            return torch.full([len(self.anchors)], -1), torch.zeros(len(self.anchors), dtype=torch.bool)
        away = (self.anchors[:, None, :2] - boxes[None, :, :2]).square().sum(2).sqrt()
        away[self.kind[:, None] != labels] = 1e9
        turned = self.anchors[:, None, 6] - boxes[None, :, 6]
        skew = (torch.remainder(turned + math.pi / 2, math.pi) - math.pi / 2).abs()
        near = NEAR[labels]
        fits = (away < near) & (skew <= SKEW) & counted
        nearest = torch.where(fits, away, torch.tensor(1e9)).min(1)
        index = torch.where(nearest.values < 1e8, nearest.indices, -1)
        beside = (away < near + torch.where(counted, ASIDE, 2 * ASIDE)) & (skew <= SKEW + 0.3)
        return index, beside.any(1) & (index < 0)

    def codes(self, chosen, boxes):
        """Boxes as the anchors of an index are to say them; the angle as the difference of the lines."""
        anchor = self.anchors[chosen]
        place = (boxes[:, :3] - anchor[:, :3]) / self.scale[chosen]
        place[:, 2] = (boxes[:, 2] - anchor[:, 2] + (boxes[:, 5] - anchor[:, 5]) / 2) / anchor[:, 5]
        turned = torch.remainder(boxes[:, 6:] - anchor[:, 6:] + math.pi / 2, math.pi) - math.pi / 2
        return torch.cat([place, (boxes[:, 3:6] / anchor[:, 3:6]).log(), turned], 1)

    def __call__(self, logits, codes, directions, truths):
        """truths: boxes, labels and counted of each frame. Returns the loss, and its parts."""
        wanted, weight, positives, boxes = torch.zeros_like(logits), torch.ones(logits.shape[:2]), [], []
        for i, (box, label, counted) in enumerate(truths):
            index, ignored = self.assign(box, label, counted)
            weight[i, ignored] = 0
            chosen = (index >= 0).nonzero()[:, 0]
            wanted[i, chosen, label[index[chosen]]] = 1
            positives.append(torch.stack([torch.full_like(chosen, i), chosen], 1))
            boxes.append(box[index[chosen]])
        frame, chosen = torch.cat(positives).T
        boxes, count = torch.cat(boxes), max(1, len(chosen))
        focal = self._focal(logits, wanted, weight) / count
        huber = nn.functional.smooth_l1_loss(codes[frame, chosen], self.codes(chosen, boxes), beta=0.1, reduction="sum")
        ahead = ((torch.remainder(boxes[:, 6] + math.pi, 2 * math.pi) - math.pi) < 0).long()
        direction = nn.functional.cross_entropy(directions[frame, chosen], ahead, reduction="sum") / count
        parts = focal, huber / count, direction
        return sum(weight * part for weight, part in zip(WEIGHTS, parts)), *parts

    @staticmethod
    def _focal(logits, wanted, weight):
        entropy = nn.functional.binary_cross_entropy_with_logits(logits, wanted, reduction="none")
        right = torch.where(wanted > 0, logits.sigmoid(), 1 - logits.sigmoid())
        alpha = torch.where(wanted > 0, ALPHA, 1 - ALPHA)
        return (alpha * (1 - right) ** GAMMA * entropy * weight[..., None]).sum()
