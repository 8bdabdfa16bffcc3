"""The pipeline over the ONNX files, as the benchmark runs it, and how right its pictures are."""

import zlib

import data
import export
import network
import numpy as np
from embedded import runtime

STEPS, GUIDANCE, BATCH = 20, 2, 16
SHEET, COLUMNS = 24, 8  # pictures of the sheet, and in one row of it


def session(path):
    return runtime.session(path, threads=1, severity=3)


class Pipeline:
    def __init__(self, folder, precision):
        self.sessions = {part: session(folder / export.name(part, precision)) for part in export.PARTS}
        self.tokenizer, self.latent = data.Tokenizer(), np.load(folder / "latents.npy")
        self.trace = None
        self.steps = [1000 // STEPS * (STEPS - 1 - i) + 1 for i in range(STEPS)]
        alphas = network.ALPHAS.numpy()[self.steps]
        self.sigmas = np.append(np.sqrt((1 - alphas) / alphas), 0).astype(np.float32)

    def run(self, part, names, **feeds):
        if self.trace is not None:
            self.trace[part].append(feeds)
        return self.sessions[part].run(names, feeds)

    def traced(self, captions):
        """What each part is given on the way to pictures."""
        self.trace = {part: [] for part in self.sessions}
        self.pictures(captions)
        return self.trace

    def prompt(self, captions):
        pad = self.tokenizer.pad
        ids = pad(captions, self.tokenizer.end).astype(np.int32)
        first, = self.run("text_encoder", ["hidden_states.1"], input_ids=ids)
        second, pooled = self.run("text_encoder_2", ["hidden_states.2", "text_embeds"], input_ids=pad(captions, 0))
        return np.concatenate([first, second], 2), pooled

    def pictures(self, captions):
        """uint8 N,3,SIDE,SIDE."""
        return np.concatenate([self.batch(captions[i : i + BATCH]) for i in range(0, len(captions), BATCH)])

    def batch(self, captions):
        n = len(captions)
        hidden, pooled = self.prompt([data.NEGATIVE] * n + captions)
        ids = np.tile(np.array([data.SIDE, data.SIDE, 0, 0, data.SIDE, data.SIDE], np.float32), (2 * n, 1))
        x = np.repeat(self.latent, n, 0) * np.sqrt(self.sigmas[0] ** 2 + 1)
        for i, step in enumerate(self.steps):
            sample = np.tile(x / np.sqrt(self.sigmas[i] ** 2 + 1), (2, 1, 1, 1))
            eps, = self.run("unet", None, sample=sample, timestep=np.array([step]), encoder_hidden_states=hidden,
                            text_embeds=pooled, time_ids=ids)
            x = x + (eps[:n] + GUIDANCE * (eps[n:] - eps[:n])) * (self.sigmas[i + 1] - self.sigmas[i])
        decoded, = self.run("vae_decoder", None, latent_sample=(x / network.SCALING).astype(np.float32))
        return np.rint(np.clip(decoded / 2 + 0.5, 0, 1) * 255).astype(np.uint8)


def features(folder, pixels):
    """What the network of the FID sees in pictures."""
    sees = session(folder / "inception.onnx")
    parts = (network.enlarged(part, 299).numpy() for part in np.array_split(pixels, len(pixels) // 50))
    return np.concatenate([sees.run(None, {"pictures": part})[0] for part in parts])


def clip_score(folder, captions, pixels):
    """100 times the mean cosine of captions and pictures."""
    both, ids = session(folder / "clip.onnx"), data.Tokenizer().pad(captions, 0)
    scores = []
    for i in range(0, len(ids), 50):
        text, seen = both.run(["text_embeds", "image_embeds"], {
            "input_ids": ids[i : i + 50], "pixel_values": network.enlarged(pixels[i : i + 50], 224).numpy(),
            "attention_mask": np.ones_like(ids[i : i + 50])})
        scores.append((text * seen).sum(1))
    return 100 * float(np.concatenate(scores).mean())


def write_statistics(folder, pixels):
    """Mean and covariance of the features of the real pictures."""
    found = features(folder, pixels).astype(np.float64)
    np.savez_compressed(folder / "statistics.npz", mu=found.mean(0), sigma=np.cov(found, rowvar=False))


def fid(folder, pixels):
    found, real = features(folder, pixels).astype(np.float64), np.load(folder / "statistics.npz")
    mean, covariance = found.mean(0), np.cov(found, rowvar=False)
    roots = np.sqrt(np.linalg.eigvals(real["sigma"] @ covariance).astype(complex)).real.sum()
    return float(((real["mu"] - mean) ** 2).sum() + np.trace(real["sigma"]) + np.trace(covariance) - 2 * roots)


PALETTE = np.array([(210, 45, 40), (240, 140, 35), (240, 220, 60), (45, 150, 65), (45, 85, 205), (135, 55, 165),
                    (240, 240, 240), (25, 25, 28)], np.int32)


def named(pixels):
    """The colour that is nearest, of each pixel: N,SIDE,SIDE."""
    apart = pixels.astype(np.int32)[:, None] - PALETTE[None, :, :, None, None]
    return (apart**2).sum(2).argmin(1)


def right(captions, made, true):
    """Of pictures and those that the captions were written for: the shares of grounds and of figures of the right
    colour, and of figures whose pixels are for the most part where they should be."""
    grounds, colors, places = [], [], []
    for caption, a, b in zip(captions, named(made), named(true)):
        ground, _, _, color, _, _, color2, _ = data.attributes(caption)
        grounds.append(np.median(a[b == ground] == ground) == 1)
        for c in {color, color2} - {8}:
            colors.append(np.median(a[b == c] == c) == 1)
            places.append(((a == c) & (b == c)).sum() / ((a == c) | (b == c)).sum() > 0.5)
    return [100 * float(np.mean(x)) for x in (grounds, colors, places)]


def write_sheet(made, path):
    """Pictures of each precision below each other, row after row, as a PNG of 32 levels."""
    rows = [np.concatenate([*p[i : i + COLUMNS]], 2) for i in range(0, SHEET, COLUMNS) for p in made]
    pixels = np.concatenate(rows, 1).transpose(1, 2, 0) & 0xF8
    height, width, _ = pixels.shape
    lines = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], 1)
    lines[1:, 1:] = lines[1:, 1:] - lines[:-1, 1:]  # the filter "up"
    lines[1:, 0] = 2
    header = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes([8, 2, 0, 0, 0])
    content = b"\x89PNG\r\n\x1a\n"
    for kind, body in ((b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b"")):
        content += len(body).to_bytes(4, "big") + kind + body + zlib.crc32(kind + body).to_bytes(4, "big")
    path.write_bytes(content)
