"""Serves a small language model with random weights by llama.cpp's own server, for the opt-in test of the backend.

    python -m venv llama && llama/bin/pip install xllamacpp gguf
    llama/bin/python llamacpp.py          # prints the address, and serves until its input ends
    llama/bin/python llamacpp.py --context 32768 --parallel 1 --chat     # for chats with tools
    llama/bin/python llamacpp.py --context 8192 --chat --sees            # and with pictures

The model is made on the spot: 2 layers of 64 and a vocabulary as large as that of the embedded tokenizer of plugins/llm, whose prompts
it takes: 0.9 MB, the same each time.
"""

import argparse
import sys
import tempfile

import gguf
import numpy
import xllamacpp

LAYERS, WIDTH, HEADS, INNER, VOCABULARY = 2, 64, 4, 128, 1539
SIDE, PATCH = 112, 14  # pixels of what sees

# How a chat becomes a prompt: each turn in marks, functions before all, calls as JSON between marks of their own.
TEMPLATE = """{%- if tools %}<|system|>You may call: {{ tools | tojson }}
Answer <tool_call>{"name": NAME, "arguments": OBJECT}</tool_call> to call.
{% endif %}{% for m in messages %}<|{{ m.role }}|>{{ m.content or "" }}
{%- for c in m.tool_calls or [] %}
<tool_call>
{"name": {{ c.function.name | tojson }}, "arguments": {{ c.function.arguments | tojson }}}
</tool_call>{% endfor %}
{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"""


def write_model(path, context, chat):
    """Writes a GGUF file of a Llama with random weights."""
    random = numpy.random.default_rng(1)
    w = gguf.GGUFWriter(path, "llama")
    w.add_name("random")
    w.add_context_length(context)
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
    if chat:
        w.add_chat_template(TEMPLATE)

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


def write_sight(path):
    """Writes a GGUF file of what turns pictures into the model's vectors, with random weights: a transformer of CLIP."""
    random = numpy.random.default_rng(2)
    w = gguf.GGUFWriter(path, "clip")
    w.add_bool("clip.has_vision_encoder", True)
    w.add_string("clip.projector_type", "mlp")
    w.add_bool("clip.use_gelu", True)
    for name, value in {"image_size": SIDE, "patch_size": PATCH, "embedding_length": WIDTH, "block_count": LAYERS,
                        "feed_forward_length": INNER, "projection_dim": WIDTH, "attention.head_count": HEADS}.items():
        w.add_uint32("clip.vision." + name, value)
    w.add_float32("clip.vision.attention.layer_norm_epsilon", 1e-5)
    w.add_array("clip.vision.image_mean", [0.5, 0.5, 0.5])
    w.add_array("clip.vision.image_std", [0.5, 0.5, 0.5])

    def add(name, *shape):
        w.add_tensor(name, random.normal(0, 0.1, shape).astype(numpy.float32))

    add("v.class_embd", WIDTH)
    add("v.patch_embd.weight", WIDTH, 3, PATCH, PATCH)
    add("v.position_embd.weight", (SIDE // PATCH) ** 2 + 1, WIDTH)
    layers = {"v.pre_ln": (WIDTH,), "mm.0": (WIDTH, WIDTH), "mm.2": (WIDTH, WIDTH)}
    for i in range(LAYERS):
        layers |= {f"v.blk.{i}.{name}": (WIDTH, WIDTH) for name in ("attn_q", "attn_k", "attn_v", "attn_out")}
        layers |= {f"v.blk.{i}.{name}": (WIDTH,) for name in ("ln1", "ln2")}
        layers |= {f"v.blk.{i}.ffn_up": (INNER, WIDTH), f"v.blk.{i}.ffn_down": (WIDTH, INNER)}
    for name, shape in layers.items():
        add(name + ".weight", *shape)
        add(name + ".bias", shape[0])
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--parallel", type=int, default=8, help="sequences at a time")
    p.add_argument("--context", type=int, default=2048, help="tokens of a sequence")
    p.add_argument("--chat", action="store_true", help="a template of chats with tools is in the model's file")
    p.add_argument("--sees", action="store_true", help="chats may have pictures")
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/random.gguf"
        write_model(path, a.context, a.chat)
        params = xllamacpp.CommonParams()
        params.model.path = path
        params.model_alias = {"random"}
        params.n_parallel = a.parallel
        params.n_ctx = a.context * a.parallel
        if a.sees:
            params.mmproj.path = folder + "/sight.gguf"
            write_sight(params.mmproj.path)
        params.port = 0
        params.verbosity = -1
        params.warmup = False
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # threads would wait for each other, spinning
        server = xllamacpp.Server(params)
        print(server.listening_address, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
