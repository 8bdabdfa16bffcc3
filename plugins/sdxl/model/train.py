"""Trains the embedded model of the stable-diffusion-xl benchmark and its scorers, and writes their files beside this
script.

    pip install -r requirements.txt
    python train.py            # needs Go, 3 GB of memory, and one CPU core for an hour or less

Everything random is seeded. Sums of floats differ between machines, so a repeated training agrees in its scores, not
bit by bit. With --cache what was trained is kept, and a second call goes on from there; the card's minutes are those
since the last start.
"""

import copy
from pathlib import Path

import data
import evaluate
import export
import network
import numpy as np
import torch
from embedded import training
from torch import nn
from torch.nn import functional

SEED = 1
STEPS = {"text": 2000, "vae": 1100, "decoder": 1500, "unet": 4500, "clip": 500, "features": 350}
NEGATIVES = 0.12  # share of pictures that the negative prompt stands for
GUIDANCE, SAMPLED = 8, 20  # of the sampler whose ways are learnt
ROWS = 4  # pictures in one of its ways
STAYS = 15  # steps of a way that are learnt from: those of much noise
CALIBRATION = 48  # captions


class Part(training.Steps):
    """The training of some modules: its steps, and its state in a file."""

    def __init__(self, name, modules, peak, state):
        self.modules, self.steps, self.path = nn.ModuleList(modules), STEPS[name], state / f"{name}.pt"
        optimiser = torch.optim.AdamW(self.modules.parameters(), peak, betas=(0.9, 0.98), weight_decay=0.01)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, training.rise_and_fall(self.steps, 50))
        super().__init__(optimiser, schedule, clip=1, name=name)
        if self.path.exists():
            kept = torch.load(self.path)
            self.done = kept["step"]
            self.modules.load_state_dict(kept["modules"])
            if self.done < self.steps:
                optimiser.load_state_dict(kept["optimiser"])
                schedule.load_state_dict(kept["schedule"])

    def __iter__(self):
        while self.done < self.steps:
            yield self.done
        self.modules.eval().requires_grad_(False)

    def __call__(self, loss):
        super().__call__(loss)
        if self.done % 500 == 0 or self.done == self.steps:
            self.keep()

    def keep(self):
        kept = {"step": self.done, "modules": self.modules.state_dict()}
        kept |= {"optimiser": self.optimiser.state_dict(), "schedule": self.schedule.state_dict()}
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
    """Both text encoders learn to tell what a caption says: from their embeddings, and from the states in use."""
    first = network.TextEncoder(network.FIRST, 2, network.FIRST)
    second = network.TextEncoder(network.SECOND, 3, network.POOLED)
    asked = [heads(w) for w in (network.FIRST, network.FIRST, network.SECOND, network.POOLED)]
    learn = Part("text", [first, second, *asked], 3e-3, state)
    rng = torch.Generator().manual_seed(SEED)
    for _ in learn:
        rows = torch.randint(len(texts.classes), (64,), generator=rng)
        rows[:4] = len(texts.classes) - 1  # the negative prompt
        classes, end = texts.classes[rows], texts.second[rows].argmax(1)
        states, _, pooled = first(texts.first[rows, : texts.longest])
        states2, _, pooled2 = second(texts.second[rows, : texts.longest])
        at = torch.arange(len(rows))
        seen = [pooled, states[-2][at, end], states2[-2][at, end], pooled2]
        learn(sum(told(h, x, classes) for h, x in zip(asked, seen)))
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
    learn = Part("vae", [encoder, decoder], 4e-3, state)
    rng = np.random.default_rng(SEED)
    for _ in learn:
        pictures = floats(pixels[rng.integers(len(pixels), size=64)]).contiguous(memory_format=torch.channels_last)
        with half():
            latent = encoder(pictures)
            seen = decoder(latent + 0.07 * torch.randn_like(latent))
        apart = seen.float() - pictures
        learn(apart.abs().mean() + apart.pow(2).mean())
    return encoder, decoder


def train_decoder(decoder, latents, pixels, state):
    """Learns on alone, what the latents are being settled."""
    learn = Part("decoder", [decoder.train().requires_grad_()], 3e-3, state)
    rng = np.random.default_rng(SEED)
    for _ in learn:
        rows = rng.integers(len(pixels), size=64)
        with half():
            seen = decoder(latents[rows] + 0.05 * torch.randn(64, *latents.shape[1:]))
        apart = seen.float() - floats(pixels[rows])
        learn(apart.abs().mean() + apart.pow(2).mean())
    return decoder


def latents_of(encoder, pixels):
    with torch.no_grad():
        return torch.cat([encoder(floats(p)) for p in np.array_split(pixels, len(pixels) // 200)])


def ways(unet, latents, hidden, pooled, negative, rng):
    """What the sampler meets on its guided way, of a fixed number of steps, to some pictures: samples, timesteps."""
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
    learn = Part("unet", [unet, slow], 2e-3, state)
    rng = torch.Generator().manual_seed(SEED + learn.done)
    for step in learn:
        if step > learn.steps // 3 and step % 3 == 0:
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
        learn((error * a * a).mean() if away else error.mean())
        with torch.no_grad():
            follow = min(0.998, (step + 1) / (step + 10))
            for p, q in zip(slow.parameters(), unet.parameters()):
                p.lerp_(q, 1 - follow)
    return slow


def train_clip(pixels, texts, state):
    """Learns which caption is whose picture's, of 128, and to tell what both say."""
    clip, seen, read = network.CLIP(), heads(network.CLIP.WIDTH), heads(network.CLIP.WIDTH)
    learn = Part("clip", [clip, seen, read], 2e-3, state)
    rng = np.random.default_rng(SEED)
    for _ in learn:
        rows = rng.choice(len(pixels), 128, replace=False)
        with half():
            pictures = clip.see(network.enlarged(pixels[rows], 224)).float()
        captions, classes = clip.read(texts.second[rows, : texts.longest]), texts.classes[rows]
        scores = clip.scale.exp() * pictures @ captions.T
        right = torch.arange(len(rows))
        match = functional.cross_entropy(scores, right) + functional.cross_entropy(scores.T, right)
        learn(match + told(seen, 8 * pictures, classes) + told(read, 8 * captions, classes))
    return clip


def train_features(pixels, texts, state):
    features = network.Features(data.CLASSES)
    learn = Part("features", [features], 3e-3, state)
    rng = np.random.default_rng(SEED)
    for _ in learn:
        rows = rng.integers(len(pixels), size=64)
        with half():
            found = features(network.enlarged(pixels[rows], 299)).float()
        learn(told(features.heads, found, texts.classes[rows]))
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
        clip, fid = evaluate.clip_score(out, pictures.captions, made), evaluate.fid(out, made)
        scores[precision] = ("CLIP_SCORE", "", clip), ("FID_SCORE", "", fid)
        ground, color, place = evaluate.right(pictures.captions, made, pictures.pixels)
        print(f"{precision}: colours of grounds {ground:.1f} %, of figures {color:.1f} %, figures {place:.1f} %")
        sheet.append(made[: evaluate.SHEET])
    real = evaluate.clip_score(out, pictures.captions, pictures.pixels), evaluate.fid(out, pictures.pixels)
    print("the drawn pictures: CLIP_SCORE %.3f, FID_SCORE %.3f" % real, flush=True)
    evaluate.write_sheet(sheet, out / "sheet.png")
    return scores


def main():
    with training.Run(training.arguments(__doc__, Path(__file__).resolve().parent), SEED) as run:
        pictures, reference, samples = (data.load(name, run.cache) for name in ("train", "reference", "eval"))
        trained = run.trained(nn.ModuleDict(train(pictures, run.cache)))
        export.write_small(run.cache / "eval" / "latents" / "latents.npy", run.out)
        export.write_fp32(trained, run.out)
        export.write_int8(evaluate.Pipeline(run.out, "fp32").traced(pictures.captions[:CALIBRATION]), run.out)
        evaluate.write_statistics(run.out, reference.pixels)
        files = []
        for precision, scores in measure(run.out, samples).items():
            paths = {part: run.out / export.name(part, precision) for part in export.PARTS}
            files += [training.entry(path, precision, *scores, part=part) for part, path in paths.items()]
        files += [training.entry(run.out / f"{part}.onnx", "fp32", part=part) for part in ("clip", "inception")]
        facts = {"parameters": {name: training.parameters(part) for name, part in trained.items()}}
        facts |= {"train_pictures": len(pictures.captions), "reference_pictures": len(reference.captions)}
        run.write_card(facts | {"calibration_captions": CALIBRATION, "eval_captions": len(samples.captions)}, files)


if __name__ == "__main__":
    main()
