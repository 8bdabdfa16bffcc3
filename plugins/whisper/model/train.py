"""Trains the embedded model of the whisper benchmark and writes its files beside this script.

    pip install -r requirements.txt
    python train.py            # needs Go, 2 GB of memory, and one CPU core

Everything random is seeded. Sums of floats differ between machines, so a repeated training agrees within a point of
WER, not bit by bit.
"""

from pathlib import Path

import data
import evaluate
import export
import numpy as np
import torch
from embedded import training
from network import FRONT, STRIDE, WIDTH, Network
from torch import nn
from torch.nn import functional

TRAIN, CALIBRATION, EVAL = 6000, 100, 500  # clips
SEED = 1
# (frames of a window, most clips in it, windows of a batch, steps): short windows teach words, long ones places.
STAGES = ((800, 3, 16, 1100), (data.FRAMES, 11, 6, 600))
# (steps, the highest rate in them), each with a rise and a fall.
ROUNDS = ((1250, 2e-3), (450, 1.5e-3))
# Then the decoder alone, on sound that is encoded once: (windows, least and most clips in one, windows of a batch),
# rounds, and the share of wrong words among those that it is given, so that it finds on after a mistake.
POOL, POOL_ROUNDS, WRONG = (1000, 4, 11, 16), ((600, 1.5e-3),), 0.1
WARM_UP, CLIP = 100, 1.0
LETTERS, WORDS, ATTENTION = 0.5, 1.0, 0.5  # weights of the guiding losses
ALPHABET = " abcdefghijklmnopqrstuvwxyz'"
SPELLED = 1  # the convolution that is asked for letters
IGNORED = -100


def batches(clips, rng):
    """Batches of windows of random clips."""
    for frames, most, size, steps in STAGES:
        for _ in range(steps):
            yield [data.window(draw(clips, frames, 1, most, rng), frames) for _ in range(size)]


def draw(clips, frames, least, most, rng):
    """So many clips, or as many as the frames hold."""
    drawn, long = [], 0
    for i in rng.integers(len(clips), size=rng.integers(least, most + 1)):
        long += clips[i].samples + data.GAP
        if long - data.GAP > frames * data.HOP:
            break
        drawn.append(clips[i])
    return drawn


class Labels:
    """What a batch of windows is asked for."""

    def __init__(self, windows, vocabulary):
        self.windows, self.prompt, self.end = windows, vocabulary.prompt, vocabulary.end
        rows = [[vocabulary.ids[word] for word, _, _ in w.words] for w in windows]
        longest = max(map(len, rows))
        rest = [vocabulary.end] * (longest + 1)
        self.ids = torch.tensor([vocabulary.prompt + (row + rest)[:longest] for row in rows])
        skipped = [IGNORED] * (len(vocabulary.prompt) - 1)
        asked = [row + [vocabulary.end] + [IGNORED] * (longest - len(row)) for row in rows]
        self.next = torch.tensor([skipped + row for row in asked])

    def mistaken(self, rng):
        """The tokens that the decoder is given, a share of the words replaced by others."""
        words = torch.from_numpy(rng.integers(self.end, size=self.ids.shape))
        replaced = torch.from_numpy(rng.random(self.ids.shape) < WRONG) & (self.ids < self.end)
        return torch.where(replaced, words, self.ids)

    def heard(self, size):
        """The letter at each frame that has one, a blank where there is none: N,size."""
        letters = torch.zeros(len(self.windows), size, dtype=torch.int64)
        for n, window in enumerate(self.windows):
            scale = size / window.features.shape[1]
            for letter, first, last in window.letters:
                letters[n, round(first * scale) : round(last * scale)] = ALPHABET.index(letter)
        return letters

    def meant(self, size, nothing):
        """The word at each position of the sound: N,size."""
        words = torch.full((len(self.windows), size), nothing)
        for n, row, first, last in self.places():
            words[n, first:last] = self.ids[n, row + len(self.prompt)]
        return words

    def masks(self, size):
        """Where the word before each token, and the word that follows it, are in the sound: N,S,size each."""
        before = torch.zeros(*self.ids.shape, size)
        after = torch.zeros(*self.ids.shape, size)
        for n, row, first, last in self.places():
            before[n, row + len(self.prompt), first:last] = 1
            after[n, row + len(self.prompt) - 1, first:last] = 1
        return before, after

    def places(self):
        for n, window in enumerate(self.windows):
            for row, (_, first, last) in enumerate(window.words):
                yield n, row, round(first / STRIDE), max(round(last / STRIDE), round(first / STRIDE) + 1)


class Guide(nn.Module):
    """Further questions in training only: which letter one of the convolutions hears, and which word is heard at each
    position of the sound; and one head of each layer of the decoder is to look at the word before, of the first, and at
    the word to come, of the second."""

    def __init__(self, vocabulary):
        super().__init__()
        self.letters, self.words = nn.Linear(FRONT[SPELLED][1], len(ALPHABET)), nn.Linear(WIDTH, vocabulary.end + 1)
        self.nothing = vocabulary.end

    def forward(self, sound, inner, heard, labels):
        letters, words = self.letters(inner[SPELLED].transpose(1, 2)), self.words(sound)
        return (
            LETTERS * told(letters, labels.heard(letters.shape[1])),
            WORDS * told(words, labels.meant(words.shape[1], self.nothing)),
            ATTENTION * looks(heard, labels),
        )


def looks(heard, labels):
    """How far one head of each layer is from looking where it should."""
    return sum(look(weights[:, 0], mask) for weights, mask in zip(heard, labels.masks(heard[0].shape[-1])))


def told(logits, answers):
    """Cross entropy at each position."""
    return functional.cross_entropy(logits.flatten(0, 1), answers.flatten())


def look(weights, mask):
    """Minus the logarithm of how much of the attention is where it should be, where that is said."""
    inside = (weights * mask).sum(-1)[mask.amax(-1) > 0]
    return -(inside + 1e-6).log().mean()


def rate(step, rounds):
    """Each round rises for WARM_UP steps, stays up to its middle, and falls as a cosine."""
    for steps, peak in rounds:
        if step < steps:
            return peak * training.rise_and_fall(steps, WARM_UP, 0.5)(step)
        step -= steps
    return 0.0


def learner(parameters, rounds):
    optimiser = torch.optim.AdamW(parameters, 1.0, betas=(0.9, 0.98), weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: rate(step, rounds))
    return training.Steps(optimiser, schedule, CLIP, every=50)


def tokens(logits, labels):
    """The loss of the tokens that are asked for."""
    return functional.cross_entropy(logits.flatten(0, 1), labels.next.flatten(), ignore_index=IGNORED)


def losses_of(network, guide, windows, vocabulary):
    labels = Labels(windows, vocabulary)
    sound, inner = network.encode(torch.from_numpy(np.stack([w.features for w in windows])))
    logits, heard = network.decode(labels.ids, sound)
    return tokens(logits, labels), *guide(sound, inner, heard, labels)


def train(clips, vocabulary):
    """Trains a network. What is told are the loss of the tokens, and the guiding losses."""
    network, guide = Network(vocabulary.size), Guide(vocabulary)
    learn, rng = learner([*network.parameters(), *guide.parameters()], ROUNDS), np.random.default_rng(SEED)
    for windows in batches(clips, rng):
        losses = losses_of(network, guide, windows, vocabulary)
        learn(sum(losses), *losses)
    train_decoder(network, clips, vocabulary, rng)
    return network


def train_decoder(network, clips, vocabulary, rng):
    count, least, most, size = POOL
    pool = [data.window(draw(clips, data.FRAMES, least, most, rng)) for _ in range(count)]
    with torch.no_grad():
        sounds = torch.cat([network.encode(torch.from_numpy(w.features[None]))[0] for w in pool])
    parts = (network.decoder, network.decoder_norm, network.tokens)
    learn = learner([p for part in parts for p in part.parameters()], POOL_ROUNDS)
    for _ in range(sum(steps for steps, _ in POOL_ROUNDS)):
        chosen = rng.choice(count, size, replace=False)
        labels = Labels([pool[i] for i in chosen], vocabulary)
        logits, heard = network.decode(labels.mistaken(rng), sounds[chosen])
        asked, looked = tokens(logits, labels), ATTENTION * looks(heard, labels)
        learn(asked + looked, asked, looked)


def calibration(clips):
    """Some clips alone, and some with others."""
    return [data.window([clip]) for clip in clips[:10]] + [data.window(part) for part in data.chapters(clips)[:2]]


def main():
    with training.Run(training.arguments(__doc__, Path(__file__).resolve().parent), SEED) as run:
        clips = data.load("train", TRAIN, run.cache)
        vocabulary = data.Vocabulary.of(clips)
        vocabulary.write(run.out / "tokens.tiktoken")
        network = run.trained(train(clips, vocabulary))
        dense = export.write_fp32(network, run.out)
        windows = calibration(data.load("calibration", CALIBRATION, run.cache))
        export.write_int8(run.out, dense, evaluate.inputs(run.out, vocabulary, windows))
        clips, alone, files = data.load("eval", EVAL, run.cache), {}, []
        for precision in ("fp32", "int8"):
            measured = lambda sets, p=precision: evaluate.accuracy(run.out, p, vocabulary, map(data.window, sets))
            alone[precision] = round(measured([clip] for clip in clips), 2)
            score = ("accuracy", "%", measured(data.chapters(clips)))
            paths = {part: run.out / export.name(part, precision) for part in export.PARTS}
            files += [training.entry(path, precision, score, part=part) for part, path in paths.items()]
        facts = {"parameters": training.parameters(network), "vocabulary": vocabulary.size, "train_clips": TRAIN}
        facts |= {"calibration_clips": CALIBRATION, "eval_clips": EVAL, "accuracy_alone": alone}
        run.write_card(facts, files)


if __name__ == "__main__":
    main()
