// Package generate turns a session that holds a decoder into a generator: greedy and beam search, as transformers'
// generate does them with sampling off, over sequences that are decoded together.
//
// The decoder is the common export of a causal language model with its past: input_ids, attention_mask and position_ids
// (int64), past_key_values.N.key and .value; logits, present.N.key and .value. Layers, heads and widths are read from
// the session's tensors.
//
// Batching is continuous: a prompt joins at the next step and leaves when its answer is complete, whatever the others do.
// A step takes one token of each running sequence; the prompts that joined run before it, and their first tokens are
// reported at once. Sequences of different length lie right-aligned in one cache; what a step writes as present is what
// the next one reads as past, without a copy.
//
// In: tokens of prompts, tokens of answers. Out: tokenizers, and prompts' forms, which are the models' business; caches
// that outlive a sequence, which the rules forbid.
package generate
