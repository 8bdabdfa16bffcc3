"""Splits random texts with random expressions, and with those of published tokenizers, by Hugging Face's tokenizers (Oniguruma).

    python make.py CASES SEED > cases.jsonl

Needs tokenizers 0.23. Each line: expression, text, parts. Texts have characters of Unicode 14 and before alone (Python 3.11's).
"""

import json
import random
import sys
import unicodedata

from tokenizers import Regex, pre_tokenizers

CASES = int(sys.argv[1])
random.seed(int(sys.argv[2]))

CONTRACTIONS = "'s|'t|'re|'ve|'m|'ll|'d"
ENDS = r"|\s*[\r\n]+|\s+(?!\S)|\s+"
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
REAL = [
    CONTRACTIONS + r"| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    rf"(?i:{CONTRACTIONS})|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*" + ENDS,
    r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*""" + ENDS,
    "|".join(rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}{a}{LOWER}{b}(?i:{CONTRACTIONS})?" for a, b in (("*", "+"), ("+", "*")))
    + r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*" + ENDS,
    "[一-龥぀-ゟ゠-ヿ]+", r"\s?\p{L}+", r"\s?\p{P}+", r"[\r\n]",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    r" ?[^(\s|[.,!?…。，、।۔،])]+", r"[0-9][0-9][0-9]", r"\w+|[^\w\s]+", r"[\p{Han}]+|[\p{L}&&[^\p{Han}]]+",
]
ATOMS = ["a", "b", "c", ".", "[ab]", "[^a]", r"\s", r"\S", r"\d", r"\w", r"\p{L}", r"\P{L}", r"[a-c&&[^b]]", "(?!b)", "(?=a)", "(?<=a)", "(?<!a)",
         "(?:ab|a)", "(?>ab|a)", "(?i:A)", r"\n", "(?:a|b|c)", "^", "$", r"\A", r"\z", "[[^a]b]", "é", "[é-ü]", "ß"]
QUANTIFIERS = [""] * 4 + ["*", "+", "?", "*?", "+?", "??", "++", "*+", "?+", "{2}", "{1,2}", "{1,}", "{,2}", "{1,2}?", "{1,2}+"]
TEXTS = ["I'm 12345 x\r\n", "Привет мир 123", "漢字かなカナ 12", "العربية ٣٤٥", "हिन्दी में", "ﬁﬂ ½ ²³", "🙂🏽‍♀️ e\u0301", " \u00a0\u2003x\u0085y\u200b",
         "HE'LL don't 'ſ 'S'T'RE", "a/b//\n\n\n c", "ǅungla ʰʲ", "\x00\x1c\x7f", "1,234.5€"]
RANGES = [(0, 0x250), (0, 0xD7FF), (0xE000, 0xFFFF), (0x10000, 0x1FFFF)]


def expression(depth=0):
    out = ""
    for _ in range(random.randint(1, 4)):
        atom = "(?:" + expression(depth + 1) + ")" if depth < 2 and random.random() < 0.2 else random.choice(ATOMS)
        out += atom + random.choice(QUANTIFIERS)
    return out + ("|" + expression(depth + 1) if depth < 2 and random.random() < 0.3 else "")


def odd():
    drawn = (chr(random.randint(*random.choice(RANGES))) for _ in range(random.randint(0, 9)))
    return "".join(c for c in drawn if unicodedata.category(c) not in ("Cn", "Cs"))


def case(i):
    if i % 3 == 0:
        return random.choice(REAL), "".join(random.choice(TEXTS) if random.random() < 0.6 else odd() for _ in range(random.randint(1, 5)))
    return expression(), "".join(random.choice("aaaabbbbcc  \n\nAé1ß2漢.ſ") for _ in range(random.randint(1, 14)))


for i in range(CASES):
    pattern, text = case(i)
    try:
        regex = Regex(pattern)
    except Exception:  # no expression
        continue
    parts = [piece for piece, _ in pre_tokenizers.Split(regex, "isolated").pre_tokenize_str(text)]
    print(json.dumps([pattern, text, parts], separators=(",", ":")))
