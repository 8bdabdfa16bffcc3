"""Trains the detector on painted points."""

import data
import numpy as np
import torch
from embedded import training
from network import Detector
from targets import Loss

BATCH, PEAK_RATE, DECAY = 6, 3e-3, 1e-3
MARGIN = 0.3  # metres from the edge of the range, within which objects that were turned there do not count


class Streets:
    """Random batches of frames, turned, mirrored and stretched with all that is in them."""

    def __init__(self, frames, points, rng):
        self.frames, self.points, self.rng = frames, points, rng

    def draw(self):
        """The inputs of a Detector, and the truths of a Loss."""
        chosen = self.rng.integers(len(self.frames), size=BATCH)
        pillars, truths = zip(*(self._one(k) for k in chosen))
        values, cells, counts = (np.concatenate(part) for part in zip(*pillars))
        numbers = np.repeat(np.arange(BATCH), [len(part[0]) for part in pillars])
        inputs = values, numbers, cells[:, 1:3], counts
        return [torch.from_numpy(array) for array in inputs], truths

    def _one(self, k):
        frame, points = self.frames[k], self.points[k].copy()
        boxes, counted = frame.boxes.copy(), frame.counted
        angle, stretch = self.rng.uniform(0, 2 * np.pi), self.rng.uniform(0.97, 1.03)
        if self.rng.random() < 0.5:
            points[:, 1], boxes[:, 1], boxes[:, 6] = -points[:, 1], -boxes[:, 1], -np.pi - boxes[:, 6]
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        points[:, :2], boxes[:, :2] = points[:, :2] @ turn.T, boxes[:, :2] @ turn.T
        boxes[:, 6] -= angle
        points[:, :3], boxes[:, :6] = points[:, :3] * stretch, boxes[:, :6] * stretch
        points = data.in_range(points.astype(np.float32))
        there = np.abs(boxes[:, :2]).max(1) < data.HIGH[0]
        counted = counted & (np.abs(boxes[:, :2]).max(1) < data.HIGH[0] - MARGIN)
        truth = boxes[there].astype(np.float32), frame.labels[there], counted[there]
        return data.pillars(points), [torch.from_numpy(array) for array in truth]


def train(frames, points, steps, rng):
    network = Detector().to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(network.parameters(), PEAK_RATE, weight_decay=DECAY)
    rate = torch.optim.lr_scheduler.LambdaLR(optimiser, training.rise_and_fall(steps, 100))
    learn = training.Steps(optimiser, rate, clip=20)
    streets, loss_of = Streets(frames, points, rng), Loss()
    for _ in range(steps):
        inputs, truths = streets.draw()
        loss, *parts = loss_of(*network(*inputs, BATCH), truths)
        learn(loss, loss, *parts)
    return network.eval()
