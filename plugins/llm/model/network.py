"""The network: a small Llama, as transformers has it, with grouped keys and values."""

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from data import VOCABULARY

LAYERS, WIDTH, HEADS, KEY_HEADS, INNER, POSITIONS = 3, 128, 4, 2, 256, 2048
COPY = 0.5  # what an attention output starts with of what it attends to


def make():
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=WIDTH,
        intermediate_size=INNER,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=KEY_HEADS,
        max_position_embeddings=POSITIONS,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=0,
        pad_token_id=0,
        use_cache=True,
        initializer_range=0.06,
        attn_implementation="sdpa",
    )
    return prepare(LlamaForCausalLM(config))


def prepare(model):
    """Starts attention as a copier: values and outputs are transposes of each other, with orthonormal rows.

    What a head attends to then raises the probability of the same token at once, and where to attend is learned from
    there. With independent random weights both must be found together, which takes many times the steps. (After
    A. Trockman and J. Z. Kolter, "Mimetic Initialization of Self-Attention Layers", 2023.)
    """
    size = WIDTH // HEADS
    with torch.no_grad():
        for layer in model.model.layers:
            attention = layer.self_attn
            torch.nn.init.orthogonal_(attention.v_proj.weight)
            for head in range(HEADS):
                group = head * KEY_HEADS // HEADS
                values = attention.v_proj.weight[group * size : (group + 1) * size]
                attention.o_proj.weight[:, head * size : (head + 1) * size] = values.T * COPY
    return model
