#!/usr/bin/env python3
"""How long the Python packages of the references take for tokens and for the scores of texts, on one thread.

    pip install tokenizers rouge-score sacrebleu
    TOKENIZERS_PARALLELISM=false python3 texts.py wordpiece VOCABULARY.txt    # 4,000 passages
    python3 texts.py rouge                                                    # 13,368 pairs of 62 words
    python3 texts.py bleu                                                     # 3,003 pairs of 8 to 40 words

The same work here: go test ./preprocess/text/wordpiece ./accuracy/rouge ./accuracy/bleu -run '^$' -bench .
"""

import random
import sys
import time


def timed(work):
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def pairs(count, least, most):
    """Made-up texts, and others half of whose words are theirs."""
    rng = random.Random(3)

    def word():
        return f"w{int(rng.expovariate(1) * 800)}ing"

    texts = [[word() for _ in range(rng.randint(least, most))] for _ in range(count)]
    others = [[w if rng.random() < 0.5 else word() for w in text] for text in texts]
    return [" ".join(t) + "." for t in texts], [" ".join(t) + "." for t in others]


def wordpiece(vocabulary):
    from tokenizers import BertWordPieceTokenizer

    tokenizer = BertWordPieceTokenizer(vocabulary, lowercase=True)
    words = [w.strip() for w in open(vocabulary, encoding="utf-8") if w.strip().isalpha()]
    rng = random.Random(3)
    passages = [" ".join(rng.choices(words, k=85)) for _ in range(4000)]
    size = sum(len(p.encode()) for p in passages)
    one, took = timed(lambda: sum(len(tokenizer.encode(p).ids) for p in passages))
    many, together = timed(lambda: sum(len(e.ids) for e in tokenizer.encode_batch(passages)))
    rates = [size / seconds / 1e6 for seconds in (took, together)]
    print(f"encode {rates[0]:.1f} MB/s, encode_batch {rates[1]:.1f} MB/s, {one} and {many} tokens")


def rouge():
    from rouge_score import rouge_scorer

    references, predictions = pairs(13368, 62, 62)
    scorer = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL", "rougeLsum"], use_stemmer=True)
    _, took = timed(lambda: [scorer.score(r, p) for r, p in zip(references, predictions)])
    print(f"ROUGE-1, -2, -L, -Lsum of {len(references)} pairs: {took:.1f} s")


def bleu():
    from sacrebleu.metrics import BLEU

    references, translations = pairs(3003, 8, 40)
    for tokenizer in ("13a", "intl"):
        score, took = timed(lambda t=tokenizer: BLEU(tokenize=t).corpus_score(translations, [references]))
        print(f"BLEU, {tokenizer}: {took * 1e3:.0f} ms, {score.score:.2f}")


if __name__ == "__main__":
    ways = {"wordpiece": wordpiece, "rouge": rouge, "bleu": bleu}
    if len(sys.argv) < 2 or sys.argv[1] not in ways:
        sys.exit(__doc__)
    ways[sys.argv[1]](*sys.argv[2:])
