"""Trains the segmentation, and paints frames with what it says."""

import data
import numpy as np
import torch
from embedded import training
from network import SEGMENTS, Segmenter
from torch import nn

BATCH, PEAK_RATE, DECAY = 16, 4e-3, 1e-4
RARE = 4.0  # how much more than others the classes count that are to be found


class Pictures:
    """Random batches of the pictures of one size, half of them mirrored, each a little brighter or darker."""

    def __init__(self, frames, rng):
        self.rng, self.sizes = rng, {}
        for frame in frames:
            for picture, classes in zip(frame.pictures, frame.classes):
                self.sizes.setdefault(classes.shape, []).append((picture, classes))
        self.share = np.array([len(all_of) for all_of in self.sizes.values()], float)

    def draw(self):
        all_of = list(self.sizes.values())[self.rng.choice(len(self.sizes), p=self.share / self.share.sum())]
        pictures, classes = zip(*(all_of[k] for k in self.rng.integers(len(all_of), size=BATCH)))
        pictures, classes = np.stack(pictures).astype(np.float32), np.stack(classes)
        mirrored = self.rng.random(BATCH) < 0.5
        pictures[mirrored], classes[mirrored] = pictures[mirrored][:, :, ::-1], classes[mirrored][:, :, ::-1]
        pictures *= self.rng.normal(1, 0.08, (BATCH, 1, 1, 3)).astype(np.float32)
        x = np.concatenate([data.normalised(picture.clip(0, 255)) for picture in pictures])
        return torch.from_numpy(x).contiguous(memory_format=torch.channels_last), torch.from_numpy(classes).long()


def train(frames, steps, rng):
    network = Segmenter().to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(network.parameters(), PEAK_RATE, weight_decay=DECAY)
    rate = torch.optim.lr_scheduler.LambdaLR(optimiser, training.rise_and_fall(steps, 50))
    weights = torch.ones(SEGMENTS)
    weights[[11, 12, 13, 18]] = RARE
    loss_of = nn.CrossEntropyLoss(weights)
    learn, pictures = training.Steps(optimiser, rate), Pictures(frames, rng)
    for _ in range(steps):
        x, classes = pictures.draw()
        learn(loss_of(network(x), classes))
    return network.eval()


def kept(frames, steps, seed, path):
    """The network that train gives, or that it gave in an earlier run with the same cache."""
    if path.exists():
        network = Segmenter()
        network.load_state_dict(torch.load(path, weights_only=True))
        return network.eval()
    network = train(frames, steps, np.random.default_rng(seed))
    torch.save(network.state_dict(), path)
    return network


def painted(frames, segment):
    """The painted points of frames; segment gives logits 1,19,H,W of a picture."""
    points = []
    for frame in frames:
        maps = [data.scores_of(segment(data.normalised(picture))[0]) for picture in frame.pictures]
        points.append(data.paint(data.in_range(frame.points), frame.calibration, maps))
    return points


def by(network):
    """The segmentation by a network of torch."""

    def segment(pixels):
        with torch.inference_mode():
            return network(torch.from_numpy(pixels)).numpy()

    return segment
