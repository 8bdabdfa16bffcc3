"""Makes the Marian model of the tests and what transformers translates with it.

    python make.py FOLDER [SEED [WIDTH [LAYERS [SENTENCES]]]]

A model of random weights, vocabularies of syllables, optimum's export, and expected.json: the beams of sentences under
several settings. Needs transformers 4.57.6, optimum-onnx 0.1.0, sentencepiece 0.2.3 and torch. The tests read what it
wrote; they do not run it.
"""

import copy
import itertools
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import sentencepiece
import torch
import transformers
from transformers import MarianConfig, MarianMTModel, MarianTokenizer

RULES = [("FB01", "66 69"), ("A0", "20"), ("9", "20"), ("FF21", "41"), ("2026", "2E 2E 2E"), ("65 301", "E9"),
         ("AD", "")]
ODD = ["ﬁ", "Ａ", "a\u00a0b", "e\u0301", "日本", "…", "▁", "</s>", "", "ku", "\ta"]
FILES = ["source.spm", "target.spm", "vocab.json", "config.json", "generation_config.json", "encoder_model.onnx",
         "decoder_model.onnx", "decoder_with_past_model.onnx", "decoder_model_merged.onnx"]


def pieces(folder, name, seed, words):
    """Trains source.spm or target.spm."""
    draw = random.Random(seed)
    with open(folder / "rules.tsv", "w") as rules:
        rules.writelines(f"{a}\t{b}\n" for a, b in RULES)
    with open(folder / "text", "w") as text:
        for _ in range(1500):
            line = " ".join(draw.choice(words) for _ in range(draw.randint(1, 9)))
            text.write(line + draw.choice([".", "!", ",", ""]) + "\n")
    sentencepiece.SentencePieceTrainer.train(
        input=str(folder / "text"), model_prefix=str(folder / name), vocab_size=70, model_type="unigram", bos_id=-1,
        eos_id=0, unk_id=1, normalization_rule_tsv=str(folder / "rules.tsv"), hard_vocab_limit=False,
        character_coverage=1.0, minloglevel=2)
    shutil.move(folder / f"{name}.model", folder / f"{name}.spm")
    return sentencepiece.SentencePieceProcessor(model_file=str(folder / f"{name}.spm"))


def vocabulary(models):
    """Ids of the pieces of both languages, one of which has none, and a language's code."""
    ids = {"</s>": 0, "<unk>": 1, ">>de<<": 2}
    for model in models:
        for i in range(model.get_piece_size()):
            if model.id_to_piece(i) != "▁ku":
                ids.setdefault(model.id_to_piece(i), len(ids))
    return {**ids, "<pad>": len(ids)}


def network(ids, seed, width, layers):
    """A model whose answers end."""
    pad = ids["<pad>"]
    torch.manual_seed(seed)
    model = MarianMTModel(MarianConfig(
        vocab_size=len(ids), d_model=width, encoder_layers=layers, decoder_layers=layers, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=width, decoder_ffn_dim=width, max_position_embeddings=64,
        pad_token_id=pad, eos_token_id=0, decoder_start_token_id=pad, forced_eos_token_id=0, init_std=0.8,
        scale_embedding=True, activation_function="swish", dropout=0.0)).eval()
    with torch.no_grad():
        model.final_logits_bias.copy_(torch.randn(1, len(ids)) * 0.5)
        model.final_logits_bias[0, :3] += torch.tensor([1.5, -20, -20])
    config = model.generation_config
    config.bad_words_ids, config.num_beams, config.max_length = [[pad]], 4, 24
    config.renormalize_logits, config.forced_eos_token_id = True, 0
    return model


def export(model, folder):
    """Writes what optimum makes of the model."""
    model.save_pretrained(folder / "torch")
    names = [str(folder / name) for name in ("source.spm", "target.spm", "vocab.json")]
    MarianTokenizer(*names).save_pretrained(folder / "torch")
    optimum = pathlib.Path(sys.executable).parent / "optimum-cli"
    subprocess.run([optimum, "export", "onnx", "--model", folder / "torch", "--task", "text2text-generation-with-past",
                    folder], check=True, capture_output=True)


def settings(most):
    """Settings of generation_config.json, each beside those of the model."""
    for beams, penalty in itertools.product([2, 3, 6], [1.0, 0.6, 2.0]):
        yield {"num_beams": beams, "length_penalty": penalty}
    yield from ({}, {"num_beams": 1}, {"early_stopping": True}, {"renormalize_logits": False, "length_penalty": 0.0},
                {"max_length": 6}, {"max_length": 6, "forced_eos_token_id": None}, {"num_beams": 1, "max_length": 5},
                {"max_length": 2}, {"max_new_tokens": 7}, {"min_length": 9}, {"suppress_tokens": most})


def sentences(ids, count):
    draw = random.Random(count)
    words = [piece[1:] for piece in ids if piece[0] == "▁"]
    yield from (">>de<< " + " ".join(words[5:9]), "")
    for _ in range(count):
        parts = [draw.choice(ODD) if draw.random() < 0.1 else draw.choice(words) + draw.choice(words)
                 for _ in range(draw.randint(1, 9))]
        yield " ".join(parts) + draw.choice([".", "!", ""])


def answers(model, config, source, change):
    """The beams of one sentence, best first, without the start token and what fills the shorter ones."""
    config = copy.deepcopy(config)
    for name, value in change.items():
        setattr(config, name, value)
    model.generation_config = config  # given to generate, defaults in it would not count
    beams = config.num_beams
    with torch.no_grad():
        made = model.generate(
            input_ids=torch.tensor([source]), attention_mask=torch.ones(1, len(source), dtype=torch.long),
            num_return_sequences=beams, return_dict_in_generate=True, output_scores=True)
    scores = made.sequences_scores.tolist() if beams > 1 else [0.0]
    cut = []
    for beam, score in zip(made.sequences.tolist(), scores):
        beam = beam[1:beam.index(0) + 1] if 0 in beam else [i for i in beam[1:] if i != config.pad_token_id]
        if score > -1e6:  # others stand for no answer
            cut.append(beam)
    return cut


def main(out, seed=11, width=8, layers=1, count=8):
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    out = pathlib.Path(out)
    out.mkdir(exist_ok=True)
    draw = random.Random(seed)
    syllables = [a + b for a in "bdfgklmnrst" for b in "aeioué"]
    words = ["".join(draw.choice(syllables) for _ in range(draw.randint(1, 3))) for _ in range(80)]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        models = [pieces(folder, name, i, words) for i, name in enumerate(["source", "target"])]
        ids = vocabulary(models)
        (folder / "vocab.json").write_text(json.dumps(ids, ensure_ascii=False))
        model = network(ids, seed, width, layers)
        export(model, folder)
        for file in FILES:
            shutil.copy(folder / file, out / file)
        tokenizer = MarianTokenizer.from_pretrained(folder / "torch")
    config = model.generation_config
    model.config.forced_eos_token_id = None  # the configuration of generation says it
    rows = []
    for text in sentences(ids, count):
        source = tokenizer(text)["input_ids"]
        if len(source) <= model.config.max_position_embeddings:
            rows.append({"text": text, "ids": source, "answers": []})
    used = [i for row in rows for beam in answers(model, config, row["ids"], {}) for i in beam if i]
    changes = list(settings([max(set(used), key=used.count)]))
    for row in rows:
        for change in changes:
            beams = answers(model, config, row["ids"], change)
            best = models[1].decode_pieces(tokenizer.convert_ids_to_tokens([i for i in beams[0] if i > 1]))
            row["answers"].append({"beams": beams, "text": best.replace("▁", " ").strip()})
    made = {"transformers": transformers.__version__, "settings": changes, "sentences": rows}
    (out / "expected.json").write_text(json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
