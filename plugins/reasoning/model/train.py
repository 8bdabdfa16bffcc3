"""Trains the embedded model of the reasoning benchmarks and writes its files and its tokenizer beside this script.

    pip install -r requirements.txt
    python train.py            # needs Go, and CPU cores only

With --threads 2 two processes share each batch. With --cache a training that was interrupted goes on from its last
checkpoint there. The card's metrics are what `make cards` measures.
"""

import random
from pathlib import Path

import data
import export
import numpy as np
import torch
from embedded import decoder, training
from sizes import SIZES
from torch import distributed, multiprocessing, nn

SEED = 20261126
TRAIN, TOKENIZER_ROWS = 120000, 20000
STEPS, BATCH, PEAK_RATE, WARM_STEPS, HOLD = 6600, 24, 3e-3, 50, 0.78
BLOCK = 64  # batches that are cut together
CHECKPOINT = 100  # steps
SETS = {"deepseek-r1": "deepseek", "gpt-oss-120b": "accuracy"}  # that accuracy is measured on, by model


class Batches:
    """Batches of rows of about the same length. Batch i depends on the seed and i alone."""

    def __init__(self, tokenizer, rows):
        self.tokenizer, self.rows, self.block, self.batches = tokenizer, rows, None, []

    def fill(self, block):
        """Cuts BLOCK batches out of the block's rows, sorted by length, and shuffles them."""
        draw = random.Random(f"{SEED} {block}")
        start = block * BLOCK * BATCH
        rows = [self.rows[i % len(self.rows)] for i in range(start, start + BLOCK * BATCH)]
        rows = sorted(data.encode(self.tokenizer, rows, draw), key=lambda row: len(row[0]))
        self.batches = [rows[i : i + BATCH] for i in range(0, len(rows), BATCH)]
        draw.shuffle(self.batches)
        self.block = block

    def at(self, i):
        """ids, and whether each is part of an answer."""
        if self.block != i // BLOCK:
            self.fill(i // BLOCK)
        rows = self.batches[i % BLOCK]
        length = max(len(ids) for ids, _ in rows)
        ids, answer = np.zeros((BATCH, length), np.int64), np.zeros((BATCH, length), bool)
        for row, (tokens, start) in enumerate(rows):
            ids[row, : len(tokens)] = tokens
            answer[row, start : len(tokens)] = True
        return torch.from_numpy(ids), torch.from_numpy(answer)


class Half:
    """A network in BF16, which processors with AVX512_BF16 multiply several times as fast, and its weights in FP32."""

    def __init__(self, network):
        self.network, self.count = network, distributed.get_world_size()
        self.copy = decoder.make(SIZES).bfloat16()
        self.copy.set_attn_implementation("eager")  # the other's gradient is slow in BF16
        self.take()

    def take(self):
        with torch.no_grad():
            for copied, weight in zip(self.copy.parameters(), self.network.parameters(), strict=True):
                copied.copy_(weight)

    def gradient(self, ids, answer, rank):
        """Gives the network the gradient of this and the other processes' rows, and returns the mean loss of the tokens
        of answers, and the share of them that is most probable."""
        tokens = answer[:, 1:].sum()
        ids, answer = ids[rank::self.count], answer[rank::self.count, 1:]
        hidden = self.copy.model(input_ids=ids[:, :-1], use_cache=False).last_hidden_state
        logits, wanted = self.copy.lm_head(hidden[answer]).float(), ids[:, 1:][answer]
        loss = nn.functional.cross_entropy(logits, wanted, reduction="sum") / tokens
        self.copy.zero_grad()
        loss.backward()
        told = torch.stack([loss.detach(), (logits.argmax(-1) == wanted).sum() / tokens])
        flat = torch.cat([told, *(p.grad.float().flatten() for p in self.copy.parameters())])
        distributed.all_reduce(flat)
        parts = flat[2:].split([p.numel() for p in self.network.parameters()])
        for weight, part in zip(self.network.parameters(), parts, strict=True):
            weight.grad = part.view_as(weight)
        return flat[:2]


class Both:
    """Several of what has step and a state, as one."""

    def __init__(self, *parts):
        self.parts = parts
        self.param_groups = [g for p in parts for g in getattr(p, "param_groups", [])]

    def step(self):
        for part in self.parts:
            part.step()

    def state_dict(self):
        return [part.state_dict() for part in self.parts]

    def load_state_dict(self, states):
        for part, state in zip(self.parts, states, strict=True):
            part.load_state_dict(state)


def optimisers(model):
    """What takes steps, and what sets their rates."""
    products = [p for name, p in model.named_parameters() if name.endswith("_proj.weight")]
    others = [p for name, p in model.named_parameters() if not name.endswith("_proj.weight")]
    muon = torch.optim.Muon(products, PEAK_RATE, weight_decay=0.05, adjust_lr_fn="match_rms_adamw")
    adam = torch.optim.AdamW(others, PEAK_RATE, betas=(0.9, 0.98), weight_decay=0.05)
    shape = training.rise_and_fall(STEPS, WARM_STEPS, HOLD)
    rates = [torch.optim.lr_scheduler.LambdaLR(o, shape) for o in (muon, adam)]
    return Both(muon, adam), Both(*rates)


def train(rank, count, tokenizer, rows, folder):
    """Muon, with AdamW for what is no product, at a rate that stays and then falls. The first process tells of it and
    keeps the checkpoint."""
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    meeting = f"file://{folder / 'meeting'}"
    distributed.init_process_group("gloo", init_method=meeting, rank=rank, world_size=count)
    model, batches = decoder.make(SIZES, end=1), Batches(tokenizer, rows)
    learn = training.Steps(*optimisers(model), 1.0, every=50 if rank == 0 else STEPS + 1)
    learn.resume(model, folder / "checkpoint.pt")
    half = Half(model)
    while learn.done < STEPS:
        learn.step(*half.gradient(*batches.at(learn.done), rank))
        half.take()
        if rank == 0 and (learn.done % CHECKPOINT == 0 or learn.done == STEPS):
            learn.keep(model, folder / "checkpoint.pt")
    distributed.destroy_process_group()


def main():
    parser = training.arguments(__doc__, Path(__file__).resolve().parent)
    with training.Run(parser, SEED) as run:
        rows = data.load("train", TRAIN, run.cache)
        tokenizer = data.make_tokenizer(rows[:TOKENIZER_ROWS])
        tokenizer.save(str(run.out / "tokenizer.json"))
        (run.cache / "meeting").unlink(missing_ok=True)
        count = run.options.threads
        multiprocessing.start_processes(train, (count, tokenizer, rows, run.cache), count, start_method="fork")
        model = decoder.make(SIZES, end=1)
        model.load_state_dict(torch.load(run.cache / "checkpoint.pt", weights_only=True)["network"])
        run.trained(model)
        paths = export.write(decoder.weights(model, SIZES), tokenizer, run.cache, run.out)
        metrics = [("exact_match_without_programs", "%", 0), ("tokens_per_sample", "", 0)]
        models = {"deepseek-r1": metrics, "gpt-oss-120b": metrics}
        facts = {"parameters": training.parameters(model), "vocabulary": tokenizer.get_vocab_size()}
        facts |= {"train_rows": TRAIN, "calibration_rows": export.CALIBRATION}
        facts["guess_baseline"] = {n: data.guesses(s, run.cache) for n, s in SETS.items()}
        audits = {"gpt-oss-120b": [("TEST07", "%", 0), ("TEST09", "", 0)]}
        run.write_card(facts, [training.entry(path, p, models=models, audits=audits) for p, path in paths.items()])


if __name__ == "__main__":
    main()
