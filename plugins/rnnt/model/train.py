"""Trains the embedded model of the rnnt benchmark and writes its files beside this script.

    pip install -r requirements.txt
    python train.py            # needs Go, 2 GB of memory, and one CPU core

Everything random is seeded. Sums of floats differ between machines, so a repeated training agrees within half a point
of WER, not bit by bit.
"""

from pathlib import Path

import data
import evaluate
import export
import numpy as np
import torch
from embedded import training
from loss import transducer
from network import STACK, WIDTH, Network
from torch import nn

TRAIN, CALIBRATION, EVAL = 6000, 100, 500  # clips
SEED = 1
BATCH, STEPS = 16, 900
PEAK_RATE, WARM_UP, CLIP = 3e-3, 50, 1.0
ALONE, GUIDANCE = 300, 0.2  # steps that the guiding loss has for itself, and its weight afterwards


def batches(clips, rng):
    """Shuffled batches of clips of similar length, without end."""
    order = sorted(range(len(clips)), key=lambda i: len(clips[i].features))
    starts = np.arange(0, len(order) - BATCH + 1, BATCH)
    while True:
        shift = rng.integers(0, len(order) - starts[-1] - BATCH + 1)
        for start in rng.permutation(starts) + shift:
            yield [clips[i] for i in order[start : start + BATCH]]


def collate(clips):
    """frames T,N,INPUT; labels N,U; the lengths of both."""
    frames = nn.utils.rnn.pad_sequence([torch.from_numpy(c.features) for c in clips])
    labels = nn.utils.rnn.pad_sequence([torch.from_numpy(c.labels) for c in clips], batch_first=True)
    return frames, labels, torch.tensor([len(c.features) for c in clips]), torch.tensor([len(c.labels) for c in clips])


def losses_of(network, guide, clips, alone):
    """The loss of a batch. The guide asks the encoder alone for the labels, by CTC: a start that it does not find while
    the prediction network learns what words there are."""
    frames, labels, lengths, counts = collate(clips)
    encoded = network.encode(frames, lengths)
    ends = (lengths + STACK - 1) // STACK
    logs = guide(encoded).log_softmax(-1).transpose(0, 1)
    guided = nn.functional.ctc_loss(logs, labels, ends, counts, blank=data.BLANK, zero_infinity=True)
    if alone:
        return guided
    said = nn.functional.pad(labels, (1, 0), value=data.START)
    logits = network.join(encoded, network.predict(said))
    return (transducer(logits, labels, ends, counts) / counts).mean() + GUIDANCE * guided


def train(clips):
    network, guide = Network(), nn.Linear(WIDTH, data.BLANK + 1)
    optimiser = torch.optim.Adam([*network.parameters(), *guide.parameters()], PEAK_RATE)
    rate = torch.optim.lr_scheduler.LambdaLR(optimiser, training.rise_and_fall(STEPS, WARM_UP, 0.5))
    learn = training.Steps(optimiser, rate, CLIP)
    for step, batch in zip(range(STEPS), batches(clips, np.random.default_rng(SEED))):
        learn(losses_of(network, guide, batch, step < ALONE))
    return network


def main():
    with training.Run(training.arguments(__doc__, Path(__file__).resolve().parent), SEED) as run:
        network = run.trained(train(data.load("train", TRAIN, run.cache)))
        export.write(network, run.out)
        calibration = data.load("calibration", CALIBRATION, run.cache)
        export.quantise_joint(run.out, evaluate.joint_inputs(run.out, calibration))
        clips, files = data.load("eval", EVAL, run.cache), []
        for precision in ("fp32", "int8"):
            score = ("accuracy", "%", evaluate.accuracy(run.out, precision, clips))
            paths = {part: run.out / export.name(part, precision) for part in export.PARTS}
            files += [training.entry(path, precision, score, part=part) for part, path in paths.items()]
        facts = {"parameters": training.parameters(network), "train_clips": TRAIN}
        run.write_card({**facts, "calibration_clips": CALIBRATION, "eval_clips": EVAL}, files)


if __name__ == "__main__":
    main()
