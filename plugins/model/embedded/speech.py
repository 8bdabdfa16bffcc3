"""Clips of speech, their power spectra by mel filters, and word error rates."""

import json
import wave
from pathlib import Path

import numpy as np

from embedded import synthetic

MANIFEST = "dev-clean-wav.json"
RATE, FILTERS = 16000, 80


def clips(name, count, folder):
    """Yields samples of -1 to 1, transcript and file of the first clips of a synthetic set, in its order."""
    folder = synthetic.export("speech", name, Path(folder) / f"{name}_{count}", count)
    for entry in json.loads((folder / MANIFEST).read_text()):
        path = folder / entry["files"][0]["fname"]
        with wave.open(str(path)) as file:
            samples = np.frombuffer(file.readframes(file.getnframes()), "<i2")
        yield samples / 32768, entry["transcript"], path


def mel_scale(hertz):
    """Slaney's scale: linear below 1000 Hz, logarithmic above."""
    return np.where(hertz < 1000, hertz * 3 / 200, 15 + 27 * np.log(np.maximum(hertz, 1) / 1000) / np.log(6.4))


def hertz_of(mel):
    return np.where(mel < 15, mel * 200 / 3, 1000 * np.exp((mel - 15) * np.log(6.4) / 27))


def filter_bank(bins):
    """Triangles of unit area over the bins of a power spectrum up to half the rate: bins,FILTERS."""
    edges = hertz_of(np.linspace(0, mel_scale(np.array(RATE / 2)), FILTERS + 2))
    bins = np.linspace(0, RATE / 2, bins)[:, None]
    low, middle, high = edges[:-2], edges[1:-1], edges[2:]
    triangles = np.minimum((bins - low) / (middle - low), (high - bins) / (high - middle))
    return np.maximum(triangles, 0) * 2 / (high - low)


def power(samples, window, hop):
    """The power spectrum under a window at each hop."""
    frames = np.lib.stride_tricks.sliding_window_view(samples, len(window))[::hop]
    return np.abs(np.fft.rfft(frames * window)) ** 2


def distance(a, b):
    """Word edits that make b of a."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


def accuracy(pairs):
    """100 % less the word error rate of pairs: the words of an answer, and those of its transcript."""
    errors, words = np.sum([(distance(said, right), len(right)) for said, right in pairs], 0)
    return float(1 - errors / words) * 100
