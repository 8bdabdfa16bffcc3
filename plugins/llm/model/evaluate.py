"""ROUGE of leading sentences, as the benchmark computes it."""

import numpy as np
from rouge_score import rouge_scorer

KINDS = ["rouge1", "rouge2", "rougeL", "rougeLsum"]


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
