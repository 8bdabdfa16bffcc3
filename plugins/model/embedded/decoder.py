"""Small decoders of the Llama family with grouped keys and values, as transformers has them.

Their sizes are a sizes.Sizes.
"""

import numpy as np
import torch
from transformers import LlamaConfig, LlamaForCausalLM

COPY = 0.5  # what an attention output starts with of what it attends to


def make(sizes, end=0):
    """A network to be trained; end is the id of a token that ends an answer."""
    config = LlamaConfig(
        vocab_size=sizes.vocabulary,
        hidden_size=sizes.width,
        intermediate_size=sizes.inner,
        num_hidden_layers=sizes.layers,
        num_attention_heads=sizes.heads,
        num_key_value_heads=sizes.key_heads,
        max_position_embeddings=sizes.positions,
        rms_norm_eps=sizes.epsilon,
        rope_theta=sizes.theta,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=end,
        pad_token_id=0,
        use_cache=True,
        initializer_range=0.06,
        attn_implementation="sdpa",
    )
    return prepare(LlamaForCausalLM(config), sizes)


def prepare(model, sizes):
    """Starts attention as a copier: values and outputs are transposes of each other, with orthonormal rows.

    What a head attends to then raises the probability of the same token at once, and where to attend is learned from
    there. With independent random weights both must be found together, which takes many times the steps. (After
    A. Trockman and J. Z. Kolter, "Mimetic Initialization of Self-Attention Layers", 2023.)
    """
    dim = sizes.dim
    with torch.no_grad():
        for layer in model.model.layers:
            attention = layer.self_attn
            torch.nn.init.orthogonal_(attention.v_proj.weight)
            for head in range(sizes.heads):
                group = head * sizes.key_heads // sizes.heads
                values = attention.v_proj.weight[group * dim : (group + 1) * dim]
                attention.o_proj.weight[:, head * dim : (head + 1) * dim] = values.T * COPY
    return model


def weights(model, sizes):
    """The weights by the names of the ONNX graph: products side by side, with the queries scaled."""
    state = {name: value.detach().float().numpy() for name, value in model.state_dict().items()}
    found = {"embedding": state["model.embed_tokens.weight"], "norm.weight": state["model.norm.weight"]}
    for i in range(sizes.layers):
        ours, theirs = f"layer{i}", f"model.layers.{i}"
        part = lambda name, layer=theirs: state[f"{layer}.{name}.weight"]
        found[f"{ours}/norm1.weight"] = part("input_layernorm")
        found[f"{ours}/norm2.weight"] = part("post_attention_layernorm")
        qkv = [part(f"self_attn.{name}_proj").T for name in "qkv"]
        qkv[0] = qkv[0] * np.float32(sizes.dim**-0.5)
        found[f"{ours}/attention/qkv.weight"] = np.concatenate(qkv, axis=1)
        found[f"{ours}/attention/out.weight"] = part("self_attn.o_proj").T
        found[f"{ours}/feed/wide.weight"] = np.concatenate([part("mlp.gate_proj").T, part("mlp.up_proj").T], axis=1)
        found[f"{ours}/feed/down.weight"] = part("mlp.down_proj").T
    return found


def from_weights(found, sizes, end=0):
    """The network of weights by the names of the ONNX graph."""
    model = make(sizes, end)
    state = {name: found["embedding"] for name in ("model.embed_tokens.weight", "lm_head.weight")}
    state["model.norm.weight"] = found["norm.weight"]
    width, keys = sizes.width, sizes.key_heads * sizes.dim
    for i in range(sizes.layers):
        ours, theirs = f"layer{i}", f"model.layers.{i}"
        state[f"{theirs}.input_layernorm.weight"] = found[f"{ours}/norm1.weight"]
        state[f"{theirs}.post_attention_layernorm.weight"] = found[f"{ours}/norm2.weight"]
        qkv = found[f"{ours}/attention/qkv.weight"]
        state[f"{theirs}.self_attn.q_proj.weight"] = qkv[:, :width].T * np.float32(sizes.dim**0.5)
        state[f"{theirs}.self_attn.k_proj.weight"] = qkv[:, width : width + keys].T
        state[f"{theirs}.self_attn.v_proj.weight"] = qkv[:, width + keys :].T
        state[f"{theirs}.self_attn.o_proj.weight"] = found[f"{ours}/attention/out.weight"].T
        gate, up = np.split(found[f"{ours}/feed/wide.weight"], 2, axis=1)
        state[f"{theirs}.mlp.gate_proj.weight"], state[f"{theirs}.mlp.up_proj.weight"] = gate.T, up.T
        state[f"{theirs}.mlp.down_proj.weight"] = found[f"{ours}/feed/down.weight"].T
    model.load_state_dict({name: torch.tensor(np.ascontiguousarray(value)) for name, value in state.items()})
    return model.eval()
