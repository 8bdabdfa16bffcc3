"""A train.py from its arguments to its card: folders, seed, steps of an optimiser, time, and what came of them."""

import argparse
import hashlib
import json
import math
import os
import platform
import tempfile
import time
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from torch import nn


def arguments(doc, here, threads=1):
    """The parser of the arguments that every train.py has."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=here, help="folder for models and card.json; default: the script's")
    parser.add_argument("--cache", type=Path, help="folder that keeps data and trained weights between runs")
    parser.add_argument("--threads", type=int, default=threads, help=f"threads of the training; default: {threads}")
    return parser


class Run:
    """A training: options, the folders out and cache, which is a temporary one unless it is asked for, and its time."""

    def __init__(self, parser, seed):
        self.options = parser.parse_args()
        self.out, self.scratch = self.options.out, tempfile.TemporaryDirectory()
        self.cache = self.options.cache or Path(self.scratch.name)
        for folder in (self.out, self.cache):
            folder.mkdir(parents=True, exist_ok=True)
        torch.set_num_threads(self.options.threads)
        torch.manual_seed(seed)
        self.start, self.minutes = time.monotonic(), {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.scratch.cleanup()

    def say(self, text):
        print(f"{time.monotonic() - self.start:6.0f} s  {text}", flush=True)

    def trained(self, network):
        """Ends the time that the card states, keeps the weights in the cache, and returns the network to evaluate."""
        wall, processor = (time.monotonic() - self.start) / 60, time.process_time() / 60
        self.minutes = {"training_minutes": round(wall, 1), "processor_minutes": round(processor, 1)}
        torch.save(network.state_dict(), self.cache / "network.pt")
        return network.eval()

    def write_card(self, facts, files):
        """facts: what this card says beside the time, the machine and the files, which are of entry."""
        versions = {"torch": torch.__version__, "onnxruntime": onnxruntime.__version__}
        machine = {"cores": os.cpu_count(), "threads": torch.get_num_threads(), "machine": platform.machine()}
        card = {**facts, **self.minutes, "trained_with": {**machine, **versions}, "files": files}
        (self.out / "card.json").write_text(json.dumps(card, indent=2) + "\n")
        for file in files:
            told = [f"{m['name']} {m['value']:.4f} {m['unit']}".rstrip() for m in file["metrics"]]
            print(f"{file['name']}: {', '.join([*told, str(file['size']) + ' bytes'])}")


def parameters(network):
    """How many numbers a network has learned."""
    return sum(p.numel() for p in network.parameters())


def entry(path, precision, *metrics, part=None, models=None, audits=None):
    """What a card says of a file; metrics are (name, unit, value), models those of one model alone, by its name, and
    audits what compliance tests measure of it."""
    content = path.read_bytes()
    described = lambda listed: [{"name": name, "unit": unit, "value": value} for name, unit, value in listed]
    return {
        "name": path.name,
        **({"part": part} if part else {}),
        "precision": precision,
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "metrics": described(metrics),
        **({"models": {name: described(own) for name, own in models.items()}} if models else {}),
        **({"audits": {name: described(own) for name, own in audits.items()}} if audits else {}),
    }


def rise_and_fall(steps, warm_up, hold=0.0):
    """A rate of 0 to 1 by step: it rises for warm_up steps, stays for the share hold of all, and falls as a cosine."""

    def rate(step):
        done = min(1.0, step / steps)
        fall = 1.0 if done < hold else 0.5 * (1 + math.cos(math.pi * (done - hold) / (1 - hold)))
        return min(1.0, (step + 1) / warm_up) * fall

    return rate


class Steps:
    """The steps of an optimiser under a schedule. clip limits the gradient; every so many steps a line says the means
    of what was to be shown since."""

    def __init__(self, optimiser, schedule, clip=None, every=100, name="step"):
        self.optimiser, self.schedule, self.clip, self.every, self.name = optimiser, schedule, clip, every, name
        self.done, self.shown, self.start = 0, [], time.process_time()

    def __call__(self, loss, *shown):
        """One step down a loss; where nothing else is to be shown, it is."""
        self.optimiser.zero_grad()
        loss.backward()
        self.step(*(shown or [loss]))

    def step(self, *shown):
        """One step down a gradient that is there."""
        if self.clip:
            nn.utils.clip_grad_norm_([p for g in self.optimiser.param_groups for p in g["params"]], self.clip)
        self.optimiser.step()
        self.schedule.step()
        self.done += 1
        self.shown.append([torch.as_tensor(x).item() for x in shown])
        if self.done % self.every == 0:
            self.tell()

    def keep(self, network, path):
        """Writes all that resume needs to go on from here."""
        parts = {"network": network, "optimiser": self.optimiser, "schedule": self.schedule}
        kept = {name: part.state_dict() for name, part in parts.items()}
        unfinished = path.with_name("unfinished_" + path.name)
        torch.save({**kept, "done": self.done}, unfinished)
        unfinished.replace(path)

    def resume(self, network, path):
        """Goes on from where keep was called last, if it was."""
        if not path.exists():
            return
        kept = torch.load(path, weights_only=True)
        for name, part in {"network": network, "optimiser": self.optimiser, "schedule": self.schedule}.items():
            part.load_state_dict(kept[name])
        self.done = kept["done"]
        print(f"goes on from {self.name} {self.done}", flush=True)

    def tell(self):
        means = "  ".join(f"{mean:.4f}" for mean in np.mean(self.shown, 0))
        print(f"{time.process_time() - self.start:6.0f} s  {self.name} {self.done}  loss {means}", flush=True)
        self.shown = []
