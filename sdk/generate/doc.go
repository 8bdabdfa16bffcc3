// Package generate turns a session with a decoder into a generator. It decodes many sequences together, by greedy or
// beam search, like transformers' generate without sampling, or by sampling.
//
// The decoder is a causal language model with a KV cache. Its inputs are input_ids (int64[N,S]), past_key_values.N.key
// and .value; its outputs are logits, present.N.key and .value. The session's tensors determine layers, heads, widths,
// and which of two forms the cache has:
//
// A growing cache is the common export. The past is [N,HEADS,P,DIM], the present [N,HEADS,P+S,DIM], and attention_mask
// (int64[N,P+S]) marks the columns with tokens. The present of a run is the past of the next. Sequences of different
// lengths are right-aligned.
//
// An in-place cache has the inputs write_indices and nonpad_kv_seqlen (int64[N] each), named as in ONNX's operators
// TensorScatter and Attention. Past and present are [N,HEADS,C,DIM], of any capacity C, in the same memory. A run
// writes the keys and values of row r's new tokens into the columns from write_indices[r] on, and attends to the first
// nonpad_kv_seqlen[r] columns, which include the new ones. New tokens are padded on the right; columns after
// nonpad_kv_seqlen[r] are ignored. A run processes one token of each row, or whole prompts, which begin at 0. A session
// with outputs in other memory works too if they contain all columns, but needs a copy.
//
// Both forms may have position_ids (int64[N,S]). Logits are [N,S,VOCABULARY], or [N,1,VOCABULARY] if the model returns
// only those of each row's last token, which saves most of the logits of prompts. A model with the input
// num_logits_to_keep or logits_to_keep (int64, rank 0) is asked for one.
//
// NewEncoderDecoder makes a generator from an encoder and a decoder. The names of tensors determine their roles:
//
//   - The encoder's inputs are src or input_ids (int64[N,S]), with attention_mask (int64[N,S]) or src_len (int64[N]);
//     or audio features, input_features or mel (float32[N,...]).
//   - The decoder accepts token (int64[N]), tokens or input_ids (int64[N,T]), and returns logits (float32[N,V] or
//     [N,T,V]). If it also returns log_probs, the logarithms of the logits' softmax, a search uses these. It may accept
//     position_ids, cache_position, offset (tokens so far, int64[1]), use_cache_branch (bool[1]) and attention_mask.
//   - An input X with an output X_out, in_X with out_X, or past_key_values.N.* with present.N.*, is a state. Its first
//     value is the encoder's output X or X0. Without such an output it is zeros, or an empty tensor if a dimension
//     other than the rows is free.
//   - An input with the name of an output or input of the encoder keeps its value for a whole sequence;
//     encoder_hidden_states is the encoder's last_hidden_state, encoder_attention_mask its attention_mask. The states
//     past_key_values.N.encoder.*, which the first run returns, also keep their values.
//
// A tensor's first free dimension is the rows. The following decoders fit: optimum's two decoders (decoder_model, and
// decoder_with_past_model as Step), its merged one (decoder_model_merged), and the first of the two alone, or another
// decoder without a past, which processes all tokens again at each step; the decoder of sherpa-onnx, whose cache has a
// fixed capacity; and recurrent decoders with states of fixed size. Tests compare optimum's two decoders, its first one
// alone, its merged form of a translation model, and recurrent decoders with their reference implementations, and all
// forms with a small network that runs without a cache. No published file of sherpa-onnx's form or of a decoder without
// a past was tested.
//
// Tensors that a session keeps in its own memory (backend.OutputCache) are not copied out at each step. Describe
// reports how many bytes are still copied; for sessions in this process the number is 0.
//
// Batching is continuous: a prompt joins at the next step and leaves when its answer is complete, independently of the
// others. A step processes one token of each running sequence. New prompts run before the step, and their first tokens
// are reported at once.
//
// Sampling follows the project's own rule, so its tokens differ from those of other programs. At step n, counted from
// 0, penalties are subtracted from the logits, and forbidden tokens are removed. The logits are divided by the
// temperature. The TopK greatest remain, and of these the fewest greatest whose probabilities add up to TopP. The
// generator PCG(Seed, n) of math/rand/v2 then draws a number in [0,1). The token is the first, in the order of ids, at
// which the running sum of the remaining probabilities exceeds that number. An answer therefore depends only on its
// prompt, its seed and the logits, not on other answers. At temperature 0 the token with the greatest logit is chosen,
// the first of equal ones.
//
// In scope: tokens of prompts, tokens of answers. Out of scope: tokenizers and prompt forms (the models), and caches
// that outlive a sequence (the rules forbid them).
package generate
