"""Trains small tokenizers on made text and writes what Hugging Face's libraries give for random texts and ids.

    python make.py OUT [TEXTS] [SEED]

Needs tokenizers 0.20, transformers 4.46 (gpt2_files: 4.57.6) and sentencepiece 0.2. OUT gets one folder for each tokenizer: its files, and cases.json.
"""

import json
import os
import random
import shutil
import sys
import tempfile

import sentencepiece
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import GPT2Tokenizer, LlamaTokenizer, LlamaTokenizerFast, PreTrainedTokenizerFast

OUT = sys.argv[1]
TEXTS = int(sys.argv[2]) if len(sys.argv) > 2 else 60
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1

WORDS = """the of and to in is was for that on with as by at from his it an were are which this be had first one their its
new after who they two her she been other when time during there into school more years over only year most city would world
where later up such used many can state about national out known university united then made tower étude naïve façade über
straße München 東京 北京大学 한국어 Привет мир مرحبا שלום हिन्दी ไทย Ελλάδα ΣΟΦΟΣ İstanbul co-operate don't it's we've I'm you'll
he'd they're rock'n'roll 3.14 1,234.56 2024 $5.60 C++ AT&T U.S. e.g. hello_world fooBar() x=y+1; <tag> {} [1] "quoted"
""".split()
ODD = ["🙂", "👨‍👩‍👧", "ﬁ", "\u0301", "e\u0301", "\u200b", "\u00ad", "\ufeff", "\ufffd", "\u2028", "\x85", "\xa0", "\u3000", "\u202f", "\t",
       "\r\n", "\n\n", "\x00", "\x1c", "   ", "  \n ", "'S", "'ſ", "'LL", "''", "'", "▁", "▁▁", " ▁", "Ġ", "½", "Ⅳ", "٣", "12345", "𝟘𝟙", "𐍈", "<0x41>",
       "<|endoftext|>", "<|eot|>", "<s>", "</s>", "<unk>", " <s> ", "<extra>", "a<extra>b", " <extra> ", "<s", "[INST]", "x[INST]", " [INST]  y"]


def word(r):
    k = r.random()
    if k < 0.70:
        return r.choice(WORDS)
    if k < 0.88:
        return r.choice(ODD)
    c = r.choice([r.randrange(0x20, 0x7F), r.randrange(0xA0, 0x530), r.randrange(0x530, 0x2FFF), r.randrange(0x3000, 0xD7FF), r.randrange(0x10000, 0x11000)])
    return chr(c)


def text(r, n):
    out = []
    for _ in range(r.randrange(n)):
        w = word(r)
        out.append(w.upper() if r.random() < 0.1 else w)
        out.append(r.choice([" "] * 8 + ["", "", "  ", "\n", ". ", ", "]))
    return "".join(out)


def corpus():
    r = random.Random(7)
    return [text(r, 30) for _ in range(600)]


def cases(tok, size, seed):
    r = random.Random(seed)
    rows = []
    for i in range(TEXTS):
        t = text(r, 25) if i else ""
        ids = tok.encode(t, add_special_tokens=False)
        rows.append({"text": t, "ids": ids, "with_special": tok.encode(t, add_special_tokens=True),
                     "decoded": tok.decode(ids, skip_special_tokens=True), "decoded_all": tok.decode(ids, skip_special_tokens=False)})
    for i in range(TEXTS):
        ids = [r.choice([r.randrange(size), r.randrange(min(size, 300))]) for _ in range(1 + r.randrange(20))]
        rows.append({"decode": ids, "decoded": tok.decode(ids, skip_special_tokens=True), "decoded_all": tok.decode(ids, skip_special_tokens=False)})
    return rows


def write(name, tok, size, options):
    with open(os.path.join(OUT, name, "cases.json"), "w") as f:
        json.dump({"options": options, "rows": cases(tok, size, SEED)}, f, indent=0)


def write_fast(name, t, clean=False):
    os.makedirs(os.path.join(OUT, name), exist_ok=True)
    t.save(os.path.join(OUT, name, "tokenizer.json"), pretty=False)
    fast = PreTrainedTokenizerFast(tokenizer_file=os.path.join(OUT, name, "tokenizer.json"), clean_up_tokenization_spaces=clean)
    write(name, fast, t.get_vocab_size(), {"clean_up": clean})


def gpt2_fast(lines):
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    t.decoder = decoders.ByteLevel()
    t.post_processor = processors.ByteLevel(trim_offsets=False)
    t.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=600, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), special_tokens=["<|endoftext|>"]))
    t.add_tokens([AddedToken("<extra>", single_word=True), AddedToken("[INST]", lstrip=True, rstrip=True, normalized=False)])
    write_fast("gpt2-fast", t, clean=True)


def llama3(lines, name, digits):
    pattern = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}" + digits + r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    t = Tokenizer(models.BPE(ignore_merges=digits != ""))
    if digits == "":
        t.normalizer = normalizers.NFC()
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    t.decoder = decoders.ByteLevel()
    t.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=600, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    t.add_special_tokens(["<s>", "<|eot|>", "<|endoftext|>"])
    t.add_tokens([AddedToken("<extra>", normalized=True)])
    bos = t.token_to_id("<s>")
    t.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False),
                                            processors.TemplateProcessing(single="<s> $A <|eot|>", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", bos), ("<|eot|>", t.token_to_id("<|eot|>"))])])
    write_fast(name, t)


def gpt2_slow(lines):
    d = os.path.join(OUT, "gpt2-slow")
    os.makedirs(d, exist_ok=True)
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=600, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), special_tokens=["<|endoftext|>"]))
    t.model.save(d)
    slow = GPT2Tokenizer(os.path.join(d, "vocab.json"), os.path.join(d, "merges.txt"), clean_up_tokenization_spaces=True)
    slow.add_tokens(["<extra>", "<|eot|>"])
    write("gpt2-slow", slow, len(slow), {"clean_up": True, "added": ["<extra>", "<|eot|>"]})


def gpt2_files(lines):
    """Folders whose vocabulary lacks the end token: it stands in added_tokens.json, or in tokenizer_config.json."""
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=300, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    n = t.get_vocab_size()
    end, flags = "<|endoftext|>", {"normalized": False, "single_word": False, "special": True}
    added = {
        "gpt2-added": {"added_tokens.json": {"<extra>": n + 1, end: n, "<|eot|>": n + 3, "<s>": n + 2}},
        "gpt2-map": {"added_tokens.json": {end: n, "<|eot|>": n + 1, "<extra>": n + 2},
                     "special_tokens_map.json": {"eos_token": "<|eot|>", "bos_token": {"content": "<|eot|>", **flags, "lstrip": True, "rstrip": False},
                                                 "pad_token": end, "additional_special_tokens": ["<extra>"]}},
        "gpt2-config": {"added_tokens.json": {"</s>": n + 7}, "special_tokens_map.json": {"pad_token": "</s>"},
                        "tokenizer_config.json": {"eos_token": "<|eot|>", "unk_token": "<unk>", "added_tokens_decoder": {
                            str(n): {"content": end, **flags, "lstrip": False, "rstrip": False},
                            str(n + 4): {"content": "<|eot|>", **flags, "lstrip": True, "rstrip": True},
                            str(n + 2): {"content": "<unk>", **flags, "lstrip": False, "rstrip": True},
                            str(n + 1): {"content": "<extra>", **flags, "special": False, "lstrip": True, "rstrip": False}}}},
    }
    for name, files in added.items():
        d = os.path.join(OUT, name)
        os.makedirs(d, exist_ok=True)
        t.model.save(d)
        for file, content in files.items():
            with open(os.path.join(d, file), "w") as f:
                json.dump(content, f)
        slow = GPT2Tokenizer.from_pretrained(d, clean_up_tokenization_spaces=False)
        write(name, slow, n, {"folder": True})


def spm(lines, name, **options):
    d = os.path.join(OUT, name)
    os.makedirs(d, exist_ok=True)
    with tempfile.TemporaryDirectory() as tmp:
        with open(os.path.join(tmp, "c.txt"), "w") as f:
            f.write("\n".join(line.replace("\n", " ").replace("\r", " ").replace("\x00", "").replace("\u2028", " ").replace("\x85", " ") for line in lines))
        args = dict(input=os.path.join(tmp, "c.txt"), model_prefix=os.path.join(tmp, "m"), model_type="bpe", vocab_size=700, byte_fallback=True, split_digits=True,
                    allow_whitespace_only_pieces=True, normalization_rule_name="identity", remove_extra_whitespaces=False, character_coverage=0.98,
                    minloglevel=2, num_threads=1)
        args.update(options)
        sentencepiece.SentencePieceTrainer.train(**args)
        shutil.copy(os.path.join(tmp, "m.model"), os.path.join(d, "tokenizer.model"))
    return os.path.join(d, "tokenizer.model")


def llama2(lines):
    model = spm(lines, "llama2-slow")
    slow = LlamaTokenizer(model, legacy=False)
    write("llama2-slow", slow, len(slow), {"legacy": False})
    legacy = spm(lines, "llama2-legacy")
    old = LlamaTokenizer(legacy, legacy=True)
    write("llama2-legacy", old, len(old), {"legacy": True})
    blank = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    prepend = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    write_llama("llama2-fast", model, prepend, None, decoders.Sequence(blank + [decoders.Strip(" ", 1, 0)]))
    write_llama("llama2-metaspace", model, None, pre_tokenizers.Metaspace("▁", prepend_scheme="first", split=False),
                decoders.Sequence(blank + [decoders.Strip(" ", 1, 0)]))
    write_llama("llama2-split", model, None, pre_tokenizers.Metaspace("▁", prepend_scheme="always", split=True), decoders.Metaspace("▁", prepend_scheme="always"))
    inner = spm(lines, "llama2-inner", split_by_whitespace=False, vocab_size=600)
    write_llama("llama2-inner", inner, prepend, None, decoders.Sequence(blank + [decoders.Strip(" ", 1, 0)]))


def write_llama(name, model, normalizer, pre_tokenizer, decoder):
    t = LlamaTokenizerFast(model, from_slow=True, legacy=False).backend_tokenizer
    if normalizer:
        t.normalizer = normalizer
    else:
        t.normalizer = normalizers.NFC()
    if pre_tokenizer:
        t.pre_tokenizer = pre_tokenizer
    t.decoder = decoder
    t.add_tokens([AddedToken("<extra>", normalized=True, special=False)])
    write_fast(name, t)


def raw_spm(lines, name, **options):
    model = spm(lines, name, **options)
    p = sentencepiece.SentencePieceProcessor(model_file=model)
    r = random.Random(SEED)
    rows = []
    for i in range(TEXTS):
        t = text(r, 25).replace("\x00", "") if i else ""
        rows.append({"text": t, "ids": p.encode(t), "decoded": p.decode(p.encode(t))})
    for i in range(TEXTS):
        ids = [r.choice([r.randrange(len(p)), r.randrange(300)]) for _ in range(1 + r.randrange(20))]
        rows.append({"decode": ids, "decoded": p.decode(ids)})
    with open(os.path.join(OUT, name, "cases.json"), "w") as f:
        json.dump({"options": {"raw": True}, "rows": rows}, f, indent=0)


def main():
    lines = corpus()
    gpt2_fast(lines)
    llama3(lines, "llama3", "{1,3}")
    llama3(lines, "qwen", "")
    gpt2_slow(lines)
    gpt2_files(lines)
    llama2(lines)
    raw_spm(lines, "spm-plain")
    raw_spm(lines, "spm-spaces", remove_extra_whitespaces=True, byte_fallback=False)
    raw_spm(lines, "spm-inner", split_by_whitespace=False, vocab_size=600)
    raw_spm(lines, "spm-user", user_defined_symbols=["<extra>", "[INST]", "ing", "▁▁"], treat_whitespace_as_suffix=False, add_dummy_prefix=False)


main()
