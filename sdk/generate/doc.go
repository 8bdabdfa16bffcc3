// Package generate turns a session that holds a decoder into a generator: greedy and beam search, as transformers'
// generate does them with sampling off, over sequences that are decoded together.
//
// The decoder is a causal language model with its past: input_ids (int64[N,S]), past_key_values.N.key and .value;
// logits, present.N.key and .value. Layers, heads and widths are read from the session's tensors, and so is which of two
// forms it has:
//
// A cache that grows is the common export: past is [N,HEADS,P,DIM] and present [N,HEADS,P+S,DIM], and attention_mask
// (int64[N,P+S]) says which columns are tokens. What a run writes as present is what the next one reads as past. Sequences of
// different length lie right-aligned.
//
// A cache in place has the inputs write_indices and nonpad_kv_seqlen (int64[N] each), named as in ONNX's operators
// TensorScatter and Attention. Past and present are [N,HEADS,C,DIM], of any capacity C, and in the same memory: a run writes
// the keys and values of row r's new tokens into its columns from write_indices[r] on, and attends to the first
// nonpad_kv_seqlen[r], new ones included. New tokens are padded on the right; what a run writes and reads behind
// nonpad_kv_seqlen[r] does not matter. A run is one token of each row, or whole prompts, which begin at 0. A session whose
// outputs are in other memory works too, if they have all columns: only the copy is not saved.
//
// In both, position_ids (int64[N,S]) may be there. Logits are [N,S,VOCABULARY], or [N,1,VOCABULARY] where the model gives
// those of each row's last token alone, which saves most of them in prompts; a model with the input num_logits_to_keep or
// logits_to_keep (int64, rank 0) is asked for one.
//
// Batching is continuous: a prompt joins at the next step and leaves when its answer is complete, whatever the others do.
// A step takes one token of each running sequence; the prompts that joined run before it, and their first tokens are
// reported at once.
//
// In: tokens of prompts, tokens of answers. Out: tokenizers, and prompts' forms, which are the models' business; caches
// that outlive a sequence, which the rules forbid.
package generate
