package tinymodel

import "github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"

// TextEncoder returns a model with the tensors of a BERT without a head, like exports of e5-base-v2 and ColBERTv2.0.
// The state of a token is drawn by its id, so texts with common words have similar states.
func TextEncoder(words, dim int64) *onnxfile.Graph {
	g := &onnxfile.Graph{}
	for _, name := range []string{"input_ids", "attention_mask", "token_type_ids"} {
		g.AddInput(name, onnxfile.Int64, -1, -1)
	}
	states := g.AddFloats(onnxfile.Random(uint64(dim), 1, words, dim), words, dim)
	g.AddNamedNode([]string{"last_hidden_state"}, "Gather", []string{states, "input_ids"})
	g.AddOutput("last_hidden_state", onnxfile.Float, -1, -1, dim)
	return g
}
