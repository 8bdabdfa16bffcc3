#!/usr/bin/env python3
"""How long PyTorch with librosa's filters and transformers take for the features of speech, on one thread.

    pip install torch librosa transformers
    OMP_NUM_THREADS=1 python3 speech.py rnnt       # 10 s: log-mel of 80 filters, three frames spliced, normalised
    OMP_NUM_THREADS=1 python3 speech.py whisper    # WhisperFeatureExtractor of 128 filters: 30 s and 10 s

The same work here: go test ./preprocess/audio -run '^$' -bench . -benchtime 100x
Prints processor time per clip: of all 100 runs of a clip, the mean, three times over.
"""

import sys
import time

import numpy as np

RATE, RUNS, TURNS = 16000, 100, 3


def made(seconds):
    return np.random.default_rng(3).standard_normal(seconds * RATE).astype(np.float32) / 10


def report(name, seconds, work):
    work()
    times = []
    for _ in range(TURNS):
        start = time.process_time()
        for _ in range(RUNS):
            work()
        times.append((time.process_time() - start) / RUNS)
    listed = " ".join(f"{1e3 * t:.1f}" for t in times)
    print(f"{name}, {seconds} s: {listed} ms, {seconds / sorted(times)[1]:.0f} x real time")


def rnnt():
    import librosa
    import torch

    torch.set_num_threads(1)
    size, hop, width, splice = 512, 160, 320, 3
    bank = torch.from_numpy(librosa.filters.mel(sr=RATE, n_fft=size, n_mels=80, fmin=0, fmax=RATE / 2))
    window = torch.hann_window(width, periodic=False)
    clip = torch.from_numpy(made(10))

    def work():
        x = torch.cat((clip[:1], clip[1:] - 0.97 * clip[:-1]))
        x = torch.stft(x, size, hop, width, window, center=True, return_complex=True)
        x = torch.log(bank @ (x.abs() ** 2 + 1e-10) + 1e-20)
        x = torch.nn.functional.pad(x, (0, -x.shape[1] % splice))
        x = torch.cat([x[:, i::splice] for i in range(splice)])
        return (x - x.mean(1, keepdim=True)) / (x.std(1, keepdim=True) + 1e-5)

    report("RNN-T", 10, work)


def whisper():
    import torch
    from transformers import WhisperFeatureExtractor

    torch.set_num_threads(1)
    extractor = WhisperFeatureExtractor(feature_size=128)
    for seconds in (30, 10):
        clip = made(seconds)
        report("Whisper", seconds, lambda clip=clip: extractor(clip, sampling_rate=RATE, return_tensors="np"))


if __name__ == "__main__":
    ways = {"rnnt": rnnt, "whisper": whisper}
    if len(sys.argv) != 2 or sys.argv[1] not in ways:
        sys.exit(__doc__)
    ways[sys.argv[1]]()
