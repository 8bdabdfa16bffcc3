"""Trains the embedded model of the rnnt benchmark and writes its files beside this script.

    pip install -r requirements.txt
    python train.py            # needs Go, 2 GB of memory, and one CPU core

Everything random is seeded. Sums of floats differ between machines, so a repeated training agrees within half a point
of WER, not bit by bit.
"""

import argparse
import hashlib
import json
import math
import platform
import tempfile
import time
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from torch import nn

import data
import evaluate
import export
from loss import transducer
from network import STACK, WIDTH, Network

HERE = Path(__file__).resolve().parent
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


def rate(step):
    """Rises for WARM_UP steps, stays for half of the training, and falls as a cosine."""
    done = step / STEPS
    fall = 1.0 if done < 0.5 else 0.5 * (1 + math.cos(math.pi * (done - 0.5) / 0.5))
    return min(1.0, (step + 1) / WARM_UP) * fall


def train(clips):
    network, guide = Network(), nn.Linear(WIDTH, data.BLANK + 1)
    parameters = [*network.parameters(), *guide.parameters()]
    optimiser = torch.optim.Adam(parameters, PEAK_RATE)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, rate)
    start, losses = time.process_time(), []
    for step, batch in zip(range(STEPS), batches(clips, np.random.default_rng(SEED))):
        loss = losses_of(network, guide, batch, step < ALONE)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, CLIP)
        optimiser.step()
        schedule.step()
        losses.append(loss.item())
        if len(losses) % 100 == 0:
            seconds = time.process_time() - start
            print(f"{seconds:6.0f} s  step {len(losses)}  loss {np.mean(losses[-100:]):.3f}", flush=True)
    return network.eval()


def describe(out, part, precision, accuracy):
    path = out / export.name(part, precision)
    content = path.read_bytes()
    return {
        "name": path.name,
        "part": part,
        "precision": precision,
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "metrics": [{"name": "accuracy", "unit": "%", "value": accuracy}],
    }


def write_card(network, minutes, out, clips):
    scores = {precision: evaluate.accuracy(out, precision, clips) for precision in ("fp32", "int8")}
    card = {
        "parameters": sum(p.numel() for p in network.parameters()),
        "train_clips": TRAIN,
        "calibration_clips": CALIBRATION,
        "eval_clips": EVAL,
        "training_minutes": round(minutes, 1),
        "trained_with": {
            "cores": torch.get_num_threads(),
            "machine": platform.machine(),
            "torch": torch.__version__,
            "onnxruntime": onnxruntime.__version__,
        },
        "files": [describe(out, part, *score) for score in scores.items() for part in export.PARTS],
    }
    (out / "card.json").write_text(json.dumps(card, indent=2) + "\n")
    print(", ".join(f"{precision}: WER {100 - value:.2f} %" for precision, value in scores.items()))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=HERE, help="folder for the models and card.json")
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


def main():
    options = arguments()
    torch.set_num_threads(options.threads)
    torch.manual_seed(SEED)
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        network = train(data.load(data.export("train", TRAIN, folder)))
        minutes = (time.monotonic() - start) / 60
        calibration = data.load(data.export("calibration", CALIBRATION, folder))
        export.write(network, calibration, options.out)
        write_card(network, minutes, options.out, data.load(data.export("eval", EVAL, folder)))


if __name__ == "__main__":
    main()
