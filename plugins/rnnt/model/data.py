"""The synthetic clips as features and labels: features as package preprocess/audio makes them for RNN-T."""

from dataclasses import dataclass

import numpy as np
from embedded import speech
from embedded.speech import FILTERS

LABELS = " abcdefghijklmnopqrstuvwxyz'"
BLANK = START = len(LABELS)
BINS, SPLICE = 257, 3


@dataclass
class Clip:
    features: np.ndarray  # float32 frames,240
    labels: np.ndarray  # int64
    transcript: str


def load(name, count, folder):
    """The first clips of a set."""
    return [clip(samples, transcript) for samples, transcript, _ in speech.clips(name, count, folder)]


def clip(samples, transcript):
    return Clip(features(samples), np.array([LABELS.index(c) for c in transcript], np.int64), transcript)


WINDOW = np.pad(np.hanning(320), 96)
BANK = speech.filter_bank(BINS)


def log_mel(samples):
    """Frames every 10 ms of samples in -1 to 1."""
    sharp = np.append(samples[:1], samples[1:] - 0.97 * samples[:-1])
    power = speech.power(np.pad(sharp, 256, mode="reflect"), WINDOW, 160) + 1e-10
    return np.log(power @ BANK + 1e-20)


def features(samples):
    """Three frames side by side, each of the 240 values normalised over the clip."""
    frames = log_mel(samples)
    count = -(-len(samples) // 160)
    length = -(-count // SPLICE)
    frames = np.pad(frames, ((0, SPLICE), (0, 0)))[: length * SPLICE].reshape(length, SPLICE * FILTERS)
    frames -= frames.mean(0)
    return (frames / (frames.std(0, ddof=1) + 1e-5)).astype(np.float32)
