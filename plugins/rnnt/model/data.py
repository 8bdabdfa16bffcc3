"""The synthetic clips as features and labels: features as package preprocess/audio makes them for RNN-T."""

import json
import subprocess
import wave
from dataclasses import dataclass
from pathlib import Path

import numpy as np

DATASETS_MODULE = Path(__file__).resolve().parents[3] / "datasets"
MANIFEST = "dev-clean-wav.json"
LABELS = " abcdefghijklmnopqrstuvwxyz'"
BLANK = START = len(LABELS)
RATE, BINS, FILTERS, SPLICE = 16000, 257, 80, 3


@dataclass
class Clip:
    features: np.ndarray  # float32 frames,240
    labels: np.ndarray  # int64
    transcript: str


def export(name, count, folder):
    """Writes the first clips of a set with the project's own command, and returns their folder."""
    path = Path(folder) / name
    command = ["go", "run", "./cmd/synthetic-export", "speech", "-set", name, "-n", str(count), "-out", str(path)]
    subprocess.run(command, cwd=DATASETS_MODULE, check=True)
    return path


def load(folder):
    """The clips of a folder, in the manifest's order."""
    return [clip(folder, entry) for entry in json.loads((folder / MANIFEST).read_text())]


def clip(folder, entry):
    with wave.open(str(folder / entry["files"][0]["fname"])) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2")
    labels = np.array([LABELS.index(c) for c in entry["transcript"]], np.int64)
    return Clip(features(samples / 32768), labels, entry["transcript"])


def mel_scale(hertz):
    """Slaney's scale: linear below 1000 Hz, logarithmic above."""
    return np.where(hertz < 1000, hertz * 3 / 200, 15 + 27 * np.log(np.maximum(hertz, 1) / 1000) / np.log(6.4))


def hertz_of(mel):
    return np.where(mel < 15, mel * 200 / 3, 1000 * np.exp((mel - 15) * np.log(6.4) / 27))


def filter_bank():
    """Triangles of unit area over the bins of the power spectrum: BINS,FILTERS."""
    edges = hertz_of(np.linspace(0, mel_scale(np.array(RATE / 2)), FILTERS + 2))
    bins = np.linspace(0, RATE / 2, BINS)[:, None]
    low, middle, high = edges[:-2], edges[1:-1], edges[2:]
    triangles = np.minimum((bins - low) / (middle - low), (high - bins) / (high - middle))
    return np.maximum(triangles, 0) * 2 / (high - low)


WINDOW = np.pad(np.hanning(320), 96)
BANK = filter_bank()


def log_mel(samples):
    """Frames every 10 ms of samples in -1 to 1."""
    sharp = np.append(samples[:1], samples[1:] - 0.97 * samples[:-1])
    frames = np.lib.stride_tricks.sliding_window_view(np.pad(sharp, 256, mode="reflect"), 512)[::160]
    power = np.abs(np.fft.rfft(frames * WINDOW)) ** 2 + 1e-10
    return np.log(power @ BANK + 1e-20)


def features(samples):
    """Three frames side by side, each of the 240 values normalised over the clip."""
    frames = log_mel(samples)
    length = -(-(-(-len(samples) // 160)) // SPLICE)
    frames = np.pad(frames, ((0, SPLICE), (0, 0)))[: length * SPLICE].reshape(length, SPLICE * FILTERS)
    frames -= frames.mean(0)
    return (frames / (frames.std(0, ddof=1) + 1e-5)).astype(np.float32)
