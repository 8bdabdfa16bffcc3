package generate

import (
	"slices"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// tensorUse is the use of a tensor of an encoder or a decoder.
type tensorUse uint8

const (
	unused        tensorUse = iota
	stored                  // value of a slot
	tokens                  // int64[N] or int64[N,T]: input tokens of the decoder
	positions               // int64[N,T]: number of tokens before each of them
	positionsOnce           // int64[T]: the same for all rows
	offset                  // int64[1] or int64[]: number of tokens in the cache
	mask                    // int64[N,P+T]: mask of the decoder's tokens, all ones
	cached                  // bool[1]: there is a past
	logits                  // float32[N,V] or float32[N,T,V]
	sourceTokens            // float32[N,V] or float32[N,T,V]
	sourceMask              // int64[N,S]: input tokens of the encoder
	sourceLength            // int64[N,S]: 1 for its tokens, 0 for padding
	features                // float32[N,...]: audio input of the encoder
)

// graphPort is one input or output of a graph. slot is the index of its stored value, or -1.
type graphPort struct {
	use  tensorUse
	slot int
}

// modelGraph is one of a model's networks.
type modelGraph struct {
	name    string
	session backend.Session
	in, out []graphPort
}

// hasUse reports whether an input has a use.
func (g *modelGraph) hasUse(u tensorUse) bool {
	return slices.ContainsFunc(g.in, func(p graphPort) bool { return p.use == u })
}

// decoderUses maps the names of decoder inputs in exports to their uses, except for states and values of the encoder.
var decoderUses = map[string]tensorUse{
	"input_ids": tokens, "decoder_input_ids": tokens, "token": tokens, "tokens": tokens,
	"position_ids": positions, "decoder_position_ids": positions, "cache_position": positionsOnce,
	"offset": offset, "use_cache_branch": cached,
	"attention_mask": mask, "decoder_attention_mask": mask,
}

// encoderUses maps the names of encoder inputs to their uses.
var encoderUses = map[string]tensorUse{
	"input_ids": sourceTokens, "src": sourceTokens, "attention_mask": sourceMask, "src_len": sourceLength,
	"input_features": features, "mel": features,
}

// constantNames maps the decoder's names to those of the encoder's inputs or outputs if they differ.
var constantNames = map[string]string{
	"encoder_hidden_states": "last_hidden_state", "encoder_attention_mask": "attention_mask",
}

// requiredShapes contains the required type and the possible numbers of dimensions of each use.
var requiredShapes = map[tensorUse]struct {
	dtype backend.DType
	ranks [2]int
	text  string
}{
	tokens:        {backend.Int64, [2]int{1, 2}, "int64[N] or int64[N,N]"},
	positions:     {backend.Int64, [2]int{2, 2}, "int64[N,N]"},
	positionsOnce: {backend.Int64, [2]int{1, 1}, "int64[N]"}, offset: {backend.Int64, [2]int{0, 1}, "int64[1]"},
	mask: {backend.Int64, [2]int{2, 2}, "int64[N,N]"}, cached: {backend.Bool, [2]int{1, 1}, "bool[1]"},
	logits:       {backend.Float32, [2]int{2, 3}, "float32[N,VOCABULARY] or float32[N,N,VOCABULARY]"},
	sourceTokens: {backend.Int64, [2]int{2, 2}, "int64[N,N]"}, sourceMask: {backend.Int64, [2]int{2, 2}, "int64[N,N]"},
	sourceLength: {backend.Int64, [2]int{1, 1}, "int64[N]"}, features: {backend.Float32, [2]int{2, 4}, "float32[N,...]"},
}
