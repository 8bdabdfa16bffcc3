"""The metrics of model files on the evaluation articles, as the benchmark computes them, and those of leading sentences."""

import numpy as np
import onnxruntime
from rouge_score import rouge_scorer

import export

KINDS = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
MOST_TOKENS = 128


def lines(text):
    """One sentence in each line. The articles have no other periods."""
    return text.strip().replace(". ", ".\n")


def rouge(pairs):
    """Means of F in percent over (reference, answer) pairs."""
    scorer = rouge_scorer.RougeScorer(KINDS, use_stemmer=True)
    scores = [scorer.score(lines(reference), lines(answer)) for reference, answer in pairs]
    return {kind: round(float(np.mean([s[kind].fmeasure for s in scores])) * 100, 4) for kind in KINDS}


def lead(articles):
    """What the first three sentences of each article score as its summary."""
    return rouge([(summary, " ".join(lines(text).split("\n")[:3])) for text, summary in articles])


def greedy(session, prompts, batch=25):
    """The tokens that a model generates, the end token included, decoded in batches of like length."""
    answers = [None] * len(prompts)
    order = sorted(range(len(prompts)), key=lambda i: len(prompts[i]))
    for start in range(0, len(order), batch):
        chosen = order[start : start + batch]
        for i, ids in zip(chosen, _together(session, [prompts[i] for i in chosen]), strict=True):
            answers[i] = ids
    return answers


def _together(session, prompts):
    lengths = [len(p) for p in prompts]
    ids = np.zeros((len(prompts), max(lengths)), np.int64)
    for row, p in enumerate(prompts):
        ids[row, len(ids[row]) - len(p) :] = p
    feed = export.feeds(ids, lengths)
    answers, done = [[] for _ in prompts], np.zeros(len(prompts), bool)
    for _ in range(MOST_TOKENS):
        logits, *present = session.run(None, feed)
        last = logits[:, -1].argmax(axis=1)
        for row in np.flatnonzero(~done):
            answers[row].append(int(last[row]))
        done |= last == 0
        if done.all():
            break
        one = np.ones((len(prompts), 1), np.int64)
        feed["attention_mask"] = np.concatenate([feed["attention_mask"], one], axis=1)
        feed["position_ids"] = feed["position_ids"][:, -1:] + 1
        feed["input_ids"] = last[:, None].astype(np.int64)
        feed.update(zip([i.name for i in session.get_inputs()[3:]], present, strict=True))
    return answers


def measure(path, tokenizer, rows, articles):
    """All metrics of a model file: a list of name, unit and value."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    answers = greedy(session, [ids[:start] for ids, start in rows])
    texts = [tokenizer.decode(ids) for ids in answers]
    found = rouge([(summary, text) for (_, summary), text in zip(articles, texts, strict=True)])
    metrics = [{"name": kind, "unit": "%", "value": value} for kind, value in found.items()]
    characters = sum(len(lines(text)) for text in texts)
    metrics.append({"name": "gen_len", "unit": "characters", "value": characters})
    tokens = round(sum(len(ids) for ids in answers) / len(answers), 4)
    return [*metrics, {"name": "tokens_per_sample", "unit": "", "value": tokens}]
