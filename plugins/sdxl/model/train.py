"""Trains the embedded model of the stable-diffusion-xl benchmark and its scorers, and writes their files beside this script.

    pip install -r requirements.txt
    python train.py            # needs Go, 3 GB of memory, and one CPU core for an hour or less

Everything random is seeded. Sums of floats differ between machines, so a repeated training agrees in its scores, not bit
by bit. With --state what was trained is kept, and a second call goes on from there.
"""

import argparse
import copy
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
from torch.nn import functional

import data
import evaluate
import export
import network

HERE = Path(__file__).resolve().parent
SEED = 1
STEPS = {"text": 2000, "vae": 1100, "decoder": 1500, "unet": 4500, "clip": 500, "features": 350}
NEGATIVES = 0.12  # share of pictures that the negative prompt stands for
GUIDANCE, SAMPLED = 8, 20  # of the sampler whose ways are learnt
ROWS = 4  # pictures in one of its ways
STAYS = 15  # steps of a way that are learnt from: those of much noise


def rate(peak, steps, warm_up=50):
    """Rises for warm_up steps, then falls as a cosine."""
    return lambda step: peak * min(1, (step + 1) / warm_up) * 0.5 * (1 + math.cos(math.pi * min(1, step / steps)))


class Run:
    """The training of some modules: steps with a rate and a clipped gradient, and their state in a file."""

    def __init__(self, name, modules, peak, state):
        self.name, self.modules, self.steps = name, nn.ModuleList(modules), STEPS[name]
        self.optimiser = torch.optim.AdamW(self.modules.parameters(), 1, betas=(0.9, 0.98), weight_decay=0.01)
        self.rate, self.path = rate(peak, self.steps), state / f"{name}.pt"
        self.step, self.start, self.losses = 0, time.process_time(), []
        if self.path.exists():
            kept = torch.load(self.path)
            self.step = kept["step"]
            self.modules.load_state_dict(kept["modules"])
            if "optimiser" in kept:
                self.optimiser.load_state_dict(kept["optimiser"])

    def __iter__(self):
        while self.step < self.steps:
            yield self.step
        self.modules.eval().requires_grad_(False)

    def learn(self, loss):
        for group in self.optimiser.param_groups:
            group["lr"] = self.rate(self.step)
        self.optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.modules.parameters(), 1)
        self.optimiser.step()
        self.step += 1
        self.losses.append(loss.item())
        if self.step % 100 == 0 or self.step == self.steps:
            seconds = time.process_time() - self.start
            print(f"{self.name} {self.step}: {np.mean(self.losses[-100:]):.4f}, {seconds:.0f} s", flush=True)
        if self.step % 500 == 0 or self.step == self.steps:
            self.keep()

    def keep(self):
        kept = {"step": self.step, "modules": self.modules.state_dict()}
        if self.step < self.steps:
            kept["optimiser"] = self.optimiser.state_dict()
        torch.save(kept, self.path.with_suffix(".part"))
        self.path.with_suffix(".part").rename(self.path)


def half():
    return torch.autocast("cpu", dtype=torch.bfloat16)


def heads(width):
    return nn.ModuleList(nn.Linear(width, n) for n in data.CLASSES)


def told(heads, features, classes):
    """How badly the heads tell what a caption says."""
    return sum(functional.cross_entropy(h(features), classes[:, i]) for i, h in enumerate(heads)) / len(data.CLASSES)


class Texts:
    """Captions as tokens of both encoders, and what they say."""

    def __init__(self, captions):
        tokenizer = data.Tokenizer()
        self.first = torch.from_numpy(tokenizer.pad(captions, tokenizer.end))
        self.second = torch.from_numpy(tokenizer.pad(captions, 0))
        self.classes = torch.tensor([data.attributes(c) for c in captions])
        self.longest = int(self.second.argmax(1).max()) + 1


def train_text(texts, state):
    """Both text encoders learn to tell what a caption says: from their embeddings, and from the states that are used."""
    first, second = network.TextEncoder(network.FIRST, 2, network.FIRST), network.TextEncoder(network.SECOND, 3, network.POOLED)
    asked = [heads(w) for w in (network.FIRST, network.FIRST, network.SECOND, network.POOLED)]
    run = Run("text", [first, second, *asked], 3e-3, state)
    rng = torch.Generator().manual_seed(SEED)
    for _ in run:
        rows = torch.randint(len(texts.classes), (64,), generator=rng)
        rows[:4] = len(texts.classes) - 1  # the negative prompt
        classes, end = texts.classes[rows], texts.second[rows].argmax(1)
        states, _, pooled = first(texts.first[rows, : texts.longest])
        states2, _, pooled2 = second(texts.second[rows, : texts.longest])
        at = torch.arange(len(rows))
        seen = [pooled, states[-2][at, end], states2[-2][at, end], pooled2]
        run.learn(sum(told(h, x, classes) for h, x in zip(asked, seen)))
    return first, second


def encode(first, second, texts):
    """What the UNet gets of each caption: hidden states in 16 bits, and the embedding."""
    hidden, pooled = [], []
    with torch.no_grad():
        for rows in torch.arange(len(texts.classes)).split(256):
            states, _, _ = first(texts.first[rows])
            states2, _, embedding = second(texts.second[rows])
            hidden.append(torch.cat([states[-2], states2[-2]], 2).half())
            pooled.append(embedding)
    return torch.cat(hidden), torch.cat(pooled)


def floats(pixels):
    """Levels as -1 to 1."""
    return torch.from_numpy(np.ascontiguousarray(pixels)).float() / 127.5 - 1


def train_vae(pixels, state):
    encoder, decoder = (m.to(memory_format=torch.channels_last) for m in (network.Encoder(), network.Decoder()))
    run = Run("vae", [encoder, decoder], 4e-3, state)
    rng = np.random.default_rng(SEED)
    for _ in run:
        pictures = floats(pixels[rng.integers(len(pixels), size=64)]).contiguous(memory_format=torch.channels_last)
        with half():
            latent = encoder(pictures)
            seen = decoder(latent + 0.07 * torch.randn_like(latent))
        apart = seen.float() - pictures
        run.learn(apart.abs().mean() + apart.pow(2).mean())
    return encoder, decoder


def train_decoder(decoder, latents, pixels, state):
    """Learns on alone, what the latents are being settled."""
    run = Run("decoder", [decoder.train().requires_grad_()], 3e-3, state)
    rng = np.random.default_rng(SEED)
    for _ in run:
        rows = rng.integers(len(pixels), size=64)
        with half():
            seen = decoder(latents[rows] + 0.05 * torch.randn(64, *latents.shape[1:]))
        apart = seen.float() - floats(pixels[rows])
        run.learn(apart.abs().mean() + apart.pow(2).mean())
    return decoder


def latents_of(encoder, pixels):
    with torch.no_grad():
        return torch.cat([encoder(floats(p)) for p in np.array_split(pixels, len(pixels) // 200)])


def ways(unet, latents, hidden, pooled, negative, rng):
    """What the sampler meets between the fixed number of steps on its guided way to some pictures: samples, timesteps."""
    n = len(latents)
    hidden, pooled = (torch.cat([x.expand(n, *x.shape[1:]), y]) for x, y in zip(negative, (hidden, pooled)))
    ids = TIME_IDS.expand(2 * n, 6)
    steps = [50 * (SAMPLED - 1 - i) + 1 for i in range(SAMPLED)]
    sigmas = [float(((1 - network.ALPHAS[t]) / network.ALPHAS[t]).sqrt()) for t in steps] + [0.0]
    x, met = torch.randn(latents.shape, generator=rng) * (sigmas[0] ** 2 + 1) ** 0.5, []
    for i in range(STAYS):
        sample, timestep = x / (sigmas[i] ** 2 + 1) ** 0.5, torch.tensor([steps[i]])
        met.append((sample, timestep.expand(n)))
        with torch.no_grad(), half():
            eps = unet(torch.cat([sample, sample]), timestep, hidden, pooled, ids).float()
        eps = eps[:n] + GUIDANCE * (eps[n:] - eps[:n])
        x = x + eps * (sigmas[i + 1] - sigmas[i])
    samples, timesteps = zip(*met)
    return torch.cat(samples), torch.cat(timesteps)


TIME_IDS = torch.tensor([[data.SIDE, data.SIDE, 0, 0, data.SIDE, data.SIDE]], dtype=torch.float32)


def train_unet(latents, hidden, pooled, negative, state):
    """Learns v of latents in noise; and, in every third step from a third on, the same where the guided sampler comes:
    its steps stress what the caption says, and the network takes that back."""
    unet = network.UNet()
    slow = copy.deepcopy(unet)
    run = Run("unet", [unet, slow], 2e-3, state)
    rng = torch.Generator().manual_seed(SEED + run.step)
    for step in run:
        if step > run.steps // 3 and step % 3 == 0:
            rows = torch.randint(len(latents), (ROWS,), generator=rng)
            sample, timestep = ways(slow, latents[rows], hidden[rows].float(), pooled[rows], negative, rng)
            rows, away = rows.repeat(STAYS), True
        else:
            rows, away = torch.randint(len(latents), (64,), generator=rng), False
            timestep = torch.randint(1, 1000, (64,), generator=rng)
            a, b = ((x[timestep])[:, None, None, None] for x in (unet.noise, unet.signal))
            sample = b * latents[rows] + a * torch.randn(latents[rows].shape, generator=rng)
        a, b = ((x[timestep])[:, None, None, None] for x in (unet.noise, unet.signal))
        target = (b * sample - latents[rows]) / a
        dropped = torch.rand(len(rows), generator=rng) < (0.5 if away else NEGATIVES)
        known = hidden[rows].float(), pooled[rows]
        known = [torch.where(dropped.view(-1, *[1] * (x.dim() - 1)), n, x) for x, n in zip(known, negative)]
        with half():
            v = unet.v(sample, timestep, *known, TIME_IDS.expand(len(rows), 6))
        error = (v.float() - target).pow(2)
        run.learn((error * a * a).mean() if away else error.mean())
        with torch.no_grad():
            follow = min(0.998, (step + 1) / (step + 10))
            for p, q in zip(slow.parameters(), unet.parameters()):
                p.lerp_(q, 1 - follow)
    return slow


def enlarged(pixels, side):
    """Pictures as CLIP sees them (224, bicubic) or the network of the FID (299, bilinear), in the deviations of each."""
    pictures = torch.from_numpy(np.ascontiguousarray(pixels)).float()
    if side == 224:
        seen = functional.interpolate(pictures, (side, side), mode="bicubic", antialias=True).clamp(0, 255) / 255
        return (seen - MEAN) / DEVIATION
    return functional.interpolate(pictures, (side, side), mode="bilinear") / 127.5 - 1


MEAN = torch.tensor([0.48145466, 0.4578275, 0.40821073]).view(3, 1, 1)
DEVIATION = torch.tensor([0.26862954, 0.26130258, 0.27577711]).view(3, 1, 1)


def train_clip(pixels, texts, state):
    """Learns which caption is whose picture's, of 128, and to tell what both say."""
    clip, seen, read = network.CLIP(), heads(network.CLIP.WIDTH), heads(network.CLIP.WIDTH)
    run = Run("clip", [clip, seen, read], 2e-3, state)
    rng = np.random.default_rng(SEED)
    for _ in run:
        rows = rng.choice(len(pixels), 128, replace=False)
        with half():
            pictures = clip.see(enlarged(pixels[rows], 224)).float()
        captions, classes = clip.read(texts.second[rows, : texts.longest]), texts.classes[rows]
        scores = clip.scale.exp() * pictures @ captions.T
        right = torch.arange(len(rows))
        match = functional.cross_entropy(scores, right) + functional.cross_entropy(scores.T, right)
        run.learn(match + told(seen, 8 * pictures, classes) + told(read, 8 * captions, classes))
    return clip


def train_features(pixels, texts, state):
    features = network.Features(data.CLASSES)
    run = Run("features", [features], 3e-3, state)
    rng = np.random.default_rng(SEED)
    for _ in run:
        rows = rng.integers(len(pixels), size=64)
        with half():
            found = features(enlarged(pixels[rows], 299)).float()
        run.learn(told(features.heads, found, texts.classes[rows]))
    return features


def train(pictures, state):
    """All networks, by name."""
    texts = Texts([*pictures.captions, data.NEGATIVE])
    trained = dict(zip(("first", "second"), train_text(texts, state)))
    trained["clip"] = train_clip(pictures.pixels, texts, state)
    trained["features"] = train_features(pictures.pixels, texts, state)
    encoder, decoder = train_vae(pictures.pixels, state)
    latents = latents_of(encoder, pictures.pixels)
    trained["decoder"] = train_decoder(decoder, latents, pictures.pixels, state)
    hidden, pooled = encode(trained["first"], trained["second"], texts)
    negative = hidden[-1:].float(), pooled[-1:]
    trained["unet"] = train_unet(latents, hidden, pooled, negative, state)
    return trained


def measure(out, pictures):
    """The scores of both precisions, and the share of right pictures; and the sheet of some of them."""
    scores, sheet = {}, []
    for precision in ("fp32", "int8"):
        made = evaluate.Pipeline(out, precision).pictures(pictures.captions)
        scores[precision] = {
            "CLIP_SCORE": evaluate.clip_score(out, pictures.captions, made), "FID_SCORE": evaluate.fid(out, made)}
        ground, color, place = evaluate.right(pictures.captions, made, pictures.pixels)
        print(f"{precision}: {scores[precision]}, colours of grounds {ground:.1f} %, of figures {color:.1f} %, figures {place:.1f} %")
        sheet.append(made[: evaluate.SHEET])
    real = evaluate.clip_score(out, pictures.captions, pictures.pixels), evaluate.fid(out, pictures.pixels)
    print("the drawn pictures: CLIP_SCORE %.3f, FID_SCORE %.3f" % real, flush=True)
    evaluate.write_sheet(sheet, out / "sheet.png")
    return scores


def entry(out, name, part, precision, metrics):
    content = (out / name).read_bytes()
    return {"name": name, "part": part, "precision": precision, "size": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
            "metrics": [{"name": key, "unit": "", "value": value} for key, value in metrics.items()]}


def write_card(trained, minutes, counts, scores, out):
    files = [entry(out, export.name(part, precision), part, precision, scores[precision])
             for precision in scores for part in export.PARTS]
    files += [entry(out, f"{part}.onnx", part, "fp32", {}) for part in ("clip", "inception")]
    card = {
        "parameters": {name: sum(p.numel() for p in m.parameters()) for name, m in trained.items()},
        **counts,
        "training_minutes": round(minutes, 1),
        "trained_with": {"cores": os.cpu_count(), "machine": platform.machine(), "torch": torch.__version__,
                         "onnxruntime": onnxruntime.__version__},
        "files": files,
    }
    (out / "card.json").write_text(json.dumps(card, indent=2) + "\n")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=HERE, help="folder for the models and card.json")
    parser.add_argument("--state", type=Path, help="folder for what was trained; default: a temporary one")
    parser.add_argument("--data", type=Path, help="folder for the pictures; default: a temporary one")
    return parser.parse_args()


def main():
    options = arguments()
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    with tempfile.TemporaryDirectory() as temporary:
        state, folder = options.state or Path(temporary), options.data or Path(temporary)
        for path in (state, options.out):
            path.mkdir(parents=True, exist_ok=True)
        start = time.monotonic()
        pictures, reference, samples = (data.load(data.export(name, folder)) for name in ("train", "reference", "eval"))
        trained = train(pictures, state)
        minutes = (time.monotonic() - start) / 60
        export.write(trained, pictures, reference, folder / "eval" / "latents" / "latents.npy", options.out)
        counts = {"train_pictures": len(pictures.captions), "reference_pictures": len(reference.captions),
                  "calibration_captions": export.CALIBRATION, "eval_captions": len(samples.captions)}
        write_card(trained, minutes, counts, measure(options.out, samples), options.out)


if __name__ == "__main__":
    main()
