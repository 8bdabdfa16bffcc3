"""Trains small unigram models, and a BPE model with rules, and writes what SentencePiece gives for random texts and ids.

    python make.py OUT
    python make.py marian OUT

Needs sentencepiece 0.2.3. OUT gets one folder for each model: tokenizer.model and cases.json. (The other models: ../bpe/testdata/make.py.)
The second form makes the models of two languages and what the tokenizer of Marian's models in transformers 4.57.6 and 5.23 gives: OUT gets
source.spm, target.spm, vocab.json and cases.json.
"""

import json
import os
import random
import sys
import tempfile

import sentencepiece

OUT = sys.argv[-1]
WORDS = """the of and to in is was for don't it's we've I'm naïve façade über straße München 東京 北京大学 한국어 Привет мир مرحبا שלום हिन्दी
3.14 1,234.56 2024 C++ AT&T hello_world fooBar() x=y+1; "quoted" HTTPServer ½ ²³ word words x..y … é ﬁ ①""".split()
ODD = ["🙂", "e\u0301", "\u200b", "\u00ad", "\ufffd", "\x85", "\xa0", "\u3000", "\t", "\n\n", "   ", "▁", "ﬁn", "Ａ", "A\u0301\u0302", "<x>", "[INST]",
       "<|end|>", "…", "...", "ééé", "𐍈"]
RULES = [("ﬁ", "fi"), ("\u00a0", " "), ("\t", " "), ("é", "e"), ("e\u0301", "e"), ("\u00ad", ""), ("①", "1"), ("…", "..."), ("Ａ", "A"),
         ("A\u0301\u0302", "X"), ("\u3000", "  "), ("straße", "str")]


def text(r):
    return "".join(r.choice(WORDS if r.random() < 0.6 else ODD) + r.choice([" ", " ", " ", "", "  ", ". "]) for _ in range(r.randrange(25)))


def model(folder, name, **options):
    out = os.path.join(OUT, name)
    os.makedirs(out, exist_ok=True)
    sentencepiece.SentencePieceTrainer.train(
        input=os.path.join(folder, "corpus"), model_prefix=os.path.join(folder, name), hard_vocab_limit=False, minloglevel=2,
        character_coverage=0.995, **options)
    with open(os.path.join(folder, name + ".model"), "rb") as f, open(os.path.join(out, "tokenizer.model"), "wb") as g:
        g.write(f.read())
    p, r, rows = sentencepiece.SentencePieceProcessor(model_file=os.path.join(out, "tokenizer.model")), random.Random(1), []
    for i in range(100):
        t = text(r) if i else ""
        rows.append({"text": t, "ids": p.encode(t), "decoded": p.decode(p.encode(t))})
        ids = [r.randrange(len(p)) for _ in range(1 + r.randrange(12))]
        rows.append({"decode": ids, "decoded": p.decode(ids)})
    with open(os.path.join(out, "cases.json"), "w") as f:
        json.dump({"options": {"raw": True}, "rows": rows}, f, separators=(",", ":"))


def main():
    r = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "corpus"), "w") as f:
            f.writelines(" ".join(r.choice(WORDS) for _ in range(3 + r.randrange(15))) + "\n" for _ in range(4000))
        rules = os.path.join(folder, "rules.tsv")
        with open(rules, "w") as f:
            f.writelines("\t".join(" ".join(f"{ord(c):X}" for c in part) for part in rule) + "\n" for rule in RULES)
        user = ["<x>", "word"]
        model(folder, "unigram-rules", model_type="unigram", vocab_size=420, byte_fallback=True, user_defined_symbols=user, normalization_rule_tsv=rules)
        model(folder, "unigram-keep", model_type="unigram", vocab_size=300, remove_extra_whitespaces=False, normalization_rule_name="identity",
              user_defined_symbols=["[INST]", "<|end|>"])
        model(folder, "bpe-rules", model_type="bpe", vocab_size=500, user_defined_symbols=user, normalization_rule_tsv=rules)


CODES = [">>de<<", ">>de<< ", ">>fr<<", ">>fr<< ", ">><<", ">>>>de<<", ">>a\nb<< ", " >>de<<", "<<", ">>"]
SPECIAL = ["</s>", " </s> ", "<unk>", "<pad>", "<pad", ">>de<<", " x<<", "<s>"]


def marian():
    from transformers import MarianTokenizer

    os.makedirs(OUT, exist_ok=True)
    r, models = random.Random(9), []
    for name in ["source", "target"]:
        with tempfile.TemporaryDirectory() as folder:
            corpus = os.path.join(folder, "corpus")
            with open(corpus, "w") as f:
                f.writelines(" ".join(r.choice(WORDS) for _ in range(9)) + "\n" for _ in range(1500))
            sentencepiece.SentencePieceTrainer.train(
                input=corpus, model_prefix=os.path.join(OUT, name), vocab_size=150, hard_vocab_limit=False, minloglevel=2,
                normalization_rule_name="identity")
        os.remove(os.path.join(OUT, name + ".vocab"))
        os.rename(os.path.join(OUT, name + ".model"), os.path.join(OUT, name + ".spm"))
        models.append(sentencepiece.SentencePieceProcessor(model_file=os.path.join(OUT, name + ".spm")))
    ids = {"</s>": 0, "<unk>": 1, ">>de<<": 2}
    for m in models:
        for i in range(3, len(m)):
            if i % 17:  # some pieces have no id
                ids.setdefault(m.id_to_piece(i), len(ids))
    ids["<pad>"] = len(ids)
    with open(os.path.join(OUT, "vocab.json"), "w") as f:
        json.dump(ids, f, ensure_ascii=False)
    t = MarianTokenizer(*(os.path.join(OUT, name) for name in ["source.spm", "target.spm", "vocab.json"]))
    rows = []
    for _ in range(120):
        words = [r.choice(SPECIAL) if r.random() < 0.1 else r.choice(WORDS) for _ in range(r.randrange(9))]
        made = (r.choice(CODES) if r.random() < 0.6 else "") + r.choice([" ", "", "  "]).join(words)
        rows.append({"text": made, "ids": t(made)["input_ids"]})
        drawn = [r.randrange(len(ids)) for _ in range(r.randrange(12))]
        rows.append({"decode": drawn, "decoded": t.decode(drawn, skip_special_tokens=True, clean_up_tokenization_spaces=False)})
    with open(os.path.join(OUT, "cases.json"), "w") as f:
        json.dump(rows, f, separators=(",", ":"))


marian() if sys.argv[1] == "marian" else main()
