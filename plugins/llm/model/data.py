"""The data: the project's synthetic articles, written by its own command, and the tokenizer that is made of them."""

import json

import numpy as np
from embedded import synthetic
from sizes import SIZES
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

END, ARTICLE, SUMMARY = "<|end|>", "<|article|>", "<|summary|>"  # ids 0, 1, 2


def load(name, count, cache):
    """The first articles of a set: a list of (text, summary)."""
    path = synthetic.export("articles", name, cache / f"{name}_{count}.jsonl", count)
    with open(path, encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return [(r["input"], r["output"]) for r in records]


def make_tokenizer(articles):
    """Byte-level BPE over the training articles. A blank precedes each text, so that a name is one token everywhere."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=SIZES.vocabulary,
        special_tokens=[END, ARTICLE, SUMMARY],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator((" " + text for pair in articles for text in pair), trainer)
    return tokenizer


def prompt(text):
    """The prompt form of the embedded model."""
    return f"{ARTICLE} {text}{SUMMARY}"


def encode(tokenizer, articles):
    """(ids of prompt, summary and end; length of the prompt) of each article."""
    prompts = tokenizer.encode_batch([prompt(text) for text, _ in articles])
    summaries = tokenizer.encode_batch([f" {summary}{END}" for _, summary in articles])
    return [
        (np.array(p.ids + s.ids, np.int64), len(p.ids)) for p, s in zip(prompts, summaries, strict=True)
    ]
