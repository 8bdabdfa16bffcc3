"""The data: the project's synthetic questions with worked answers, written by its own command, and the tokenizer that
is made of them."""

import json
from collections import Counter

import numpy as np
from embedded import synthetic
from sizes import SIZES
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

# DeepSeek's form of a chat, and harmony's.
BEGIN, END, USER, ASSISTANT = "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"
START, STOP, MESSAGE, CHANNEL, RETURN = "<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|return|>"
SPECIAL = [BEGIN, END, RETURN, START, STOP, MESSAGE, CHANNEL, USER, ASSISTANT]  # ids 0 to 8
THINK, THOUGHT = "<think>", "</think>"  # tokens of their own, but part of the text


def load(name, count, cache):
    """The first rows of a set: a list of (question, thought, answer)."""
    path = synthetic.export("reasoning", name, cache / f"{name}_{count}.jsonl", count)
    with open(path, encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return [(r["text_input"], r["thought"], r["answer"]) for r in records]


def guesses(name, cache):
    """What always answering an evaluation set's most frequent truth scores, in percent, by the kind of question."""
    path = synthetic.export("reasoning", name, cache / f"{name}.jsonl")
    truths = {}
    with open(path, encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            truths.setdefault(record["dataset"], []).append(record["ground_truth"])
    share = lambda listed: round(100 * Counter(listed).most_common(1)[0][1] / len(listed), 1)
    return {kind: share(listed) for kind, listed in sorted(truths.items())}


def make_tokenizer(rows):
    """Byte-level BPE over training rows, with each digit a token."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=SIZES.vocabulary - 2,
        special_tokens=SPECIAL,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator((text for row in rows for text in row), trainer)
    tokenizer.add_tokens([AddedToken(text, special=False, normalized=False) for text in (THINK, THOUGHT)])
    return tokenizer


def deepseek(question, thought, answer):
    """The prompt and the answer in DeepSeek's form."""
    return f"{BEGIN}{USER}{question}{ASSISTANT}", f"{THINK}\n{thought}\n{THOUGHT}\n\n{answer}{END}"


def harmony(question, thought, answer):
    """The prompt and the answer in harmony's form."""
    prompt = f"{START}user{MESSAGE}{question}{STOP}{START}assistant"
    thought = f"{CHANNEL}analysis{MESSAGE}{thought}{STOP}"
    return prompt, f"{thought}{START}assistant{CHANNEL}final{MESSAGE}{answer}{RETURN}"


def encode(tokenizer, rows, draw):
    """(ids of prompt and answer, length of the prompt) of each row, in one of both forms, which draw (a random.Random)
    decides."""
    pairs = [draw.choice((deepseek, harmony))(*row) for row in rows]
    prompts = tokenizer.encode_batch([prompt for prompt, _ in pairs])
    answers = tokenizer.encode_batch([answer for _, answer in pairs])
    return [(np.array(p.ids + a.ids, np.int64), len(p.ids)) for p, a in zip(prompts, answers, strict=True)]
