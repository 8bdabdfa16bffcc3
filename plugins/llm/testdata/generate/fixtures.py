"""Writes generate.json: what transformers' generate answers to 200 evaluation articles with the weights of the embedded
FP32 model, greedy and with beams. Run it again whenever the model changes.

    (cd ../../model && pip install -r requirements.txt)
    python fixtures.py
"""

import json
import sys
import tempfile
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent
MODEL = HERE.parents[1] / "model"
sys.path.insert(0, str(MODEL))

import data  # noqa: E402
from embedded import decoder, decodergraph  # noqa: E402
from sizes import SIZES  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402

PROMPTS = 200
# Prompt i runs with setting i modulo their number.
SETTINGS = [
    {"beams": 1, "least": 1, "most": 128, "penalty": 1.0, "early": False},
    {"beams": 4, "least": 30, "most": 128, "penalty": 1.0, "early": True},
    {"beams": 1, "least": 45, "most": 60, "penalty": 1.0, "early": False},
    {"beams": 4, "least": 1, "most": 128, "penalty": 1.0, "early": False},
    {"beams": 1, "least": 1, "most": 12, "penalty": 1.0, "early": False},
    {"beams": 2, "least": 1, "most": 40, "penalty": 2.0, "early": False},
    {"beams": 3, "least": 1, "most": 128, "penalty": 0.0, "early": True},
    {"beams": 6, "least": 38, "most": 50, "penalty": 0.5, "early": False},
    {"beams": 4, "least": 1, "most": 20, "penalty": 1.0, "early": True},
    {"beams": 5, "least": 1, "most": 64, "penalty": -1.0, "early": False},
]


def answer(model, ids, s):
    prompt = torch.tensor([ids])
    with torch.no_grad():
        whole = model.generate(
            prompt,
            attention_mask=torch.ones_like(prompt),
            do_sample=False,
            num_beams=s["beams"],
            min_new_tokens=s["least"],
            max_new_tokens=s["most"],
            length_penalty=s["penalty"],
            early_stopping=s["early"],
            eos_token_id=0,
            pad_token_id=0,
        )
    return whole[0, len(ids) :].tolist()


def main():
    torch.set_num_threads(1)
    model = decoder.from_weights(decodergraph.read_weights(MODEL / "llm_fp32.onnx"), SIZES)
    tokenizer = Tokenizer.from_file(str(MODEL / "tokenizer.json"))
    with tempfile.TemporaryDirectory() as scratch:
        articles = data.load("eval", PROMPTS, Path(scratch))
    rows = data.encode(tokenizer, articles)
    cases = []
    for i, (ids, start) in enumerate(rows):
        s = SETTINGS[i % len(SETTINGS)]
        cases.append({"article": i, **s, "answer": answer(model, ids[:start].tolist(), s)})
    lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
    (HERE / "generate.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
