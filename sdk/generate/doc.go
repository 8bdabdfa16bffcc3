// Package generate turns a session that holds a decoder into a generator: greedy and beam search, as transformers'
// generate does them with sampling off, and sampling, over sequences that are decoded together.
//
// The decoder is a causal language model with its past: input_ids (int64[N,S]), past_key_values.N.key and .value;
// logits, present.N.key and .value. Layers, heads and widths are read from the session's tensors, and so is which of
// two forms it has:
//
// A cache that grows is the common export: past is [N,HEADS,P,DIM] and present [N,HEADS,P+S,DIM], and attention_mask
// (int64[N,P+S]) says which columns are tokens. The next run reads as past what a run writes as present. Sequences of
// different length lie right-aligned.
//
// A cache in place has the inputs write_indices and nonpad_kv_seqlen (int64[N] each), named as in ONNX's operators
// TensorScatter and Attention. Past and present are [N,HEADS,C,DIM], of any capacity C, and in the same memory: a run
// writes the keys and values of row r's new tokens into its columns from write_indices[r] on, and attends to the
// first nonpad_kv_seqlen[r], new ones included. New tokens are padded on the right; what a run writes and reads
// behind nonpad_kv_seqlen[r] does not matter. A run is one token of each row, or whole prompts, which begin at 0. A
// session whose outputs are in other memory works too, if they have all columns: only the copy is not saved.
//
// In both, position_ids (int64[N,S]) may be there. Logits are [N,S,VOCABULARY], or [N,1,VOCABULARY] where the model
// gives those of each row's last token alone, which saves most of them in prompts; a model with the input
// num_logits_to_keep or logits_to_keep (int64, rank 0) is asked for one.
//
// NewEncoderDecoder makes a generator of an encoder and a decoder. What their tensors are called says what they are:
//
//   - The encoder takes src or input_ids (int64[N,S]), with attention_mask (int64[N,S]) or src_len (int64[N]); or
//     features of audio, input_features or mel (float32[N,...]).
//   - The decoder takes token (int64[N]), tokens or input_ids (int64[N,T]), and gives logits (float32[N,V] or
//     [N,T,V]). Where it gives log_probs too, the logarithms of their softmax, a search takes these. It may take
//     position_ids, cache_position, offset (tokens so far, int64[1]), use_cache_branch (bool[1]) and attention_mask.
//   - An input X with an output X_out, in_X with out_X, or past_key_values.N.* with present.N.*, is a state. It begins
//     as the encoder's output X or X0, else as zeros, or empty where a dimension other than the rows is free.
//   - An input that is called like an output or an input of the encoder is the same for all of a sequence;
//     encoder_hidden_states is the encoder's last_hidden_state, encoder_attention_mask its attention_mask. So are
//     past_key_values.N.encoder.*, which the first run gives.
//
// A tensor's first free dimension is that of rows. So these forms fit: optimum's two decoders (decoder_model, and
// decoder_with_past_model as Step), its merged one (decoder_model_merged), and the first of the two alone, or another
// decoder that takes no past, which runs all tokens again at each step; the decoder of sherpa-onnx, whose cache has a
// fixed capacity; and recurrent decoders with states of fixed size. Optimum's two decoders, its first one alone and the
// recurrent ones are held to what their reference implementations gave, as is the merged form of a translation model
// that optimum exported; all forms to a small network that runs without cache. No published file of sherpa-onnx's form
// or of a decoder without a past was tried.
//
// Tensors that the sessions keep in their own memory (backend.OutputCache) do not come out of them at each step.
// Describe reports how many bytes still do; for sessions in this process the number is 0.
//
// Batching is continuous: a prompt joins at the next step and leaves when its answer is complete, whatever the others
// do. A step takes one token of each running sequence; the prompts that joined run before it, and their first tokens
// are reported at once.
//
// Sampling follows our own rule and gives other tokens than other programs do. At step n, from 0, an answer's logits
// lose their penalties, and what it cannot hold is left out. They are divided by the temperature; of the others TopK
// stay, the greatest, then as few of the greatest as have the probability TopP among those. The token is the first by
// id up to which the probabilities of what is left add up to more than a number of [0,1): the first of the generator
// PCG(Seed, n) of math/rand/v2. So an answer depends on its prompt, its seed and the logits alone, whatever is decoded
// at the same time. At temperature 0 it is the greatest logit, the first of equal ones.
//
// In: tokens of prompts, tokens of answers. Out: tokenizers and prompts' forms (the models), and caches that outlive a
// sequence (the rules forbid them).
package generate
