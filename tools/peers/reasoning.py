#!/usr/bin/env python3
"""How long the official scripts of the reasoning models take to find an answer, and to bring answers of mathematics
into their normal forms, on one thread.

    pip install pandas tqdm numpy transformers sympy pylatexenc
    python3 reasoning.py extract CHECKOUT/language/deepseek-r1 CASES    # eval_accuracy.py; or gpt-oss-120b
    python3 reasoning.py forms PRM800K/prm800k PAIRS                   # grading/ of openai/prm800k

CASES and PAIRS are internal/reasoning/extract/testdata/golden/reasoning/extract/cases.jsonl.gz and
internal/reasoning/mathgrade/testdata/golden/reasoning/math/pairs.jsonl.gz. The same work here:
go test ./accuracy/reasoning/... -run '^$' -bench .
"""

import gzip
import json
import sys
import time


def lines(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def timed(name, work, items, rounds=1):
    start = time.process_time()
    for item in items:
        for _ in range(rounds):  # in a row: the item lies in the processor's cache
            work(item)
    seconds = time.process_time() - start
    print(f"{name}: {seconds / len(items) / rounds * 1e6:.1f} us each")


def extract(folder, cases):
    sys.path.insert(0, folder)
    import eval_accuracy as official

    # As long as answers are: repeated to 48 thousand characters, about 12 thousand tokens.
    texts = [c["text"] + " " for c in lines(cases)]
    texts = [t * (48_000 // len(t) + 1) for t in texts]
    timed("choice", lambda t: official.parse_multiple_choice(t, "J"), texts)
    timed("boxed", official.parse_boxed_math, texts, 10)
    timed("integer", official.parse_aime_answer, texts, 10)
    timed("program", official.parse_code, texts, 10)


def forms(folder, pairs):
    sys.path.insert(0, folder)
    from grading import grader, math_normalize

    def both(pair):
        for text in (pair["given"], pair["truth"]):
            math_normalize.normalize_answer(text)
            grader._normalize(text)

    pairs = [p for p in lines(pairs) if p["given"] and p["truth"]]
    both(pairs[0])
    timed("forms of a pair", both, pairs)
    timed("grade of a pair", lambda p: grader.grade_answer(p["given"], p["truth"]), pairs)


if __name__ == "__main__":
    {"extract": extract, "forms": forms}[sys.argv[1]](*sys.argv[2:])
