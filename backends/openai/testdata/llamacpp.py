"""Serves a small language model with random weights by llama.cpp's own server, for the opt-in test of the backend.

    python -m venv llama && llama/bin/pip install xllamacpp gguf
    llama/bin/python llamacpp.py          # prints the address, and serves until its input ends

The model is made on the spot: 2 layers of 64 and a vocabulary as large as that of the embedded tokenizer of plugins/llm, whose prompts
it takes: 0.9 MB, the same each time.
"""

import argparse
import sys
import tempfile

import gguf
import numpy
import xllamacpp

LAYERS, WIDTH, HEADS, INNER, VOCABULARY, CONTEXT = 2, 64, 4, 128, 1539, 2048


def write_model(path):
    """Writes a GGUF file of a Llama with random weights."""
    random = numpy.random.default_rng(1)
    w = gguf.GGUFWriter(path, "llama")
    w.add_name("random")
    w.add_context_length(CONTEXT)
    w.add_embedding_length(WIDTH)
    w.add_block_count(LAYERS)
    w.add_feed_forward_length(INNER)
    w.add_head_count(HEADS)
    w.add_head_count_kv(HEADS)
    w.add_layer_norm_rms_eps(1e-5)
    w.add_rope_dimension_count(WIDTH // HEADS)
    w.add_vocab_size(VOCABULARY)
    tokens = ["<unk>", "<s>", "</s>"] + [f"<0x{b:02X}>" for b in range(256)]
    kinds = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL] + [gguf.TokenType.BYTE] * 256
    while len(tokens) < VOCABULARY:
        tokens.append(f"\u2581w{len(tokens)}")
        kinds.append(gguf.TokenType.NORMAL)
    w.add_tokenizer_model("llama")
    w.add_token_list(tokens)
    w.add_token_scores([-float(i) for i in range(VOCABULARY)])
    w.add_token_types(kinds)
    w.add_bos_token_id(1)
    w.add_eos_token_id(2)
    w.add_unk_token_id(0)

    def add(name, *shape):
        w.add_tensor(name, random.normal(0, 0.2, shape).astype(numpy.float32))

    add("token_embd.weight", VOCABULARY, WIDTH)
    for i in range(LAYERS):
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            add(f"blk.{i}.{name}.weight", WIDTH, WIDTH)
        add(f"blk.{i}.ffn_gate.weight", INNER, WIDTH)
        add(f"blk.{i}.ffn_up.weight", INNER, WIDTH)
        add(f"blk.{i}.ffn_down.weight", WIDTH, INNER)
        for name in ("attn_norm", "ffn_norm"):
            w.add_tensor(f"blk.{i}.{name}.weight", numpy.ones(WIDTH, numpy.float32))
    w.add_tensor("output_norm.weight", numpy.ones(WIDTH, numpy.float32))
    add("output.weight", VOCABULARY, WIDTH)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--parallel", type=int, default=8, help="sequences at a time")
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/random.gguf"
        write_model(path)
        params = xllamacpp.CommonParams()
        params.model.path = path
        params.model_alias = {"random"}
        params.n_parallel = a.parallel
        params.n_ctx = CONTEXT * a.parallel
        params.port = 0
        params.verbosity = -1
        params.warmup = False
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # threads would wait for each other, spinning
        server = xllamacpp.Server(params)
        print(server.listening_address, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
