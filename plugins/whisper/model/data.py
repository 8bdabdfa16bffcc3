"""The synthetic clips as windows: log-mel frames of several clips in a row, as package preprocess/audio makes them for
Whisper, with their words and where these are."""

import base64
from dataclasses import dataclass

import numpy as np
from embedded import speech
from embedded.speech import FILTERS, RATE

HOP, FFT = 160, 400
FRAMES = 3000  # of a window of 30 s
GAP = RATE // 2  # samples of silence between the clips of a window
FLOOR = 1e-10  # least power
SPECIAL = ("<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|transcribe|>", "<|notimestamps|>")


@dataclass
class Clip:
    frames: np.ndarray  # float16 frames,FILTERS: logarithms to base 10
    samples: int
    transcript: str
    chapter: str  # SPEAKER-CHAPTER


@dataclass
class Window:
    features: np.ndarray  # float32 FILTERS,frames
    letters: list  # (letter or blank, first frame, behind its last frame), as if all letters lasted equally long
    words: list  # (word, first frame, behind its last frame)
    transcript: str


class Vocabulary:
    """Words with a blank before them, from 0 on, and the special tokens behind them."""

    def __init__(self, words):
        self.words = words
        self.ids = {word: i for i, word in enumerate(words)}
        self.end, *self.prompt = range(len(words), len(words) + len(SPECIAL))
        self.size = len(words) + len(SPECIAL)

    @classmethod
    def of(cls, clips):
        return cls(sorted({word for clip in clips for word in clip.transcript.split()}))

    @classmethod
    def read(cls, path):
        lines = path.read_text().splitlines()
        return cls([base64.b64decode(line.split()[0]).decode().strip() for line in lines])

    def write(self, path):
        """Lines "base64 id" of the ordinary tokens, the form of the official vocabulary."""
        lines = [f"{base64.b64encode((' ' + word).encode()).decode()} {i}\n" for word, i in self.ids.items()]
        path.write_text("".join(lines))


def load(name, count, folder):
    """The first clips of a set."""
    clips = speech.clips(name, count, folder)
    return [Clip(log_mel(s), len(s), transcript, path.stem.rpartition("-")[0]) for s, transcript, path in clips]


WINDOW = np.hanning(FFT + 1)[:FFT]
BANK = speech.filter_bank(FFT // 2 + 1)


def log_mel(samples):
    """Frames every 10 ms of samples between silences."""
    power = speech.power(np.pad(samples, (FFT // 2, FFT // 2 + HOP)), WINDOW, HOP)
    return np.log10(np.maximum(power @ BANK, FLOOR)).astype(np.float16)


def chapters(clips):
    """Lists of clips that make a window each: those of a chapter, as long as 30 s hold them."""
    windows, long = [[]], 0
    for clip in clips:
        full = long + GAP + clip.samples > FRAMES * HOP
        if windows[-1] and (full or windows[-1][-1].chapter != clip.chapter):
            windows.append([])
        long = (long + GAP if windows[-1] else 0) + clip.samples
        windows[-1].append(clip)
    return windows


def window(clips, frames=FRAMES):
    """The clips with silence between them, in a window of so many frames."""
    logs, letters, words, at = np.full((frames, FILTERS), np.log10(FLOOR), np.float32), [], [], 0
    for clip in clips:
        first = round(at / HOP)
        part = logs[first : first + len(clip.frames)]
        np.maximum(part, clip.frames[: len(part)], out=part)
        said = places(clip, at)
        letters += said
        words += join(said)
        at += clip.samples + GAP
    logs = (np.maximum(logs, logs.max() - 8) + 4) / 4
    return Window(np.ascontiguousarray(logs.T), letters, words, " ".join(clip.transcript for clip in clips))


def places(clip, at):
    """The clip's letters, each of the same length, but blanks of two thirds of it; at either end is silence of one."""
    lengths = [1, *(2 / 3 if c == " " else 1 for c in clip.transcript), 1]
    ends = (at + np.cumsum(lengths) / sum(lengths) * clip.samples) / HOP
    return list(zip(clip.transcript, ends, ends[1:]))


def join(letters):
    """The words of letters."""
    words = [[]]
    for letter in letters:
        if letter[0] == " ":
            words.append([])
        else:
            words[-1].append(letter)
    return [("".join(c for c, *_ in word), word[0][1], word[-1][2]) for word in words]
