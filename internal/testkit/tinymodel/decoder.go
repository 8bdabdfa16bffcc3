package tinymodel

import "github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"

// Answer is the decoders' answer to all prompts: two tokens and the end token.
type Answer struct{ First, Second, End int64 }

// Decoder returns a model with the tensors of a causal language model with its past, as exported by optimum. If it must
// not end, it repeats its first token.
func Decoder(words int64, a Answer) *onnxfile.Graph {
	g := &onnxfile.Graph{}
	ids := g.AddInput("input_ids", onnxfile.Int64, -1, -1)
	g.AddInput("attention_mask", onnxfile.Int64, -1, -1)
	g.AddInput("position_ids", onnxfile.Int64, -1, -1)
	is := func(token int64) string {
		return g.AddNode("Cast", []string{g.AddNode("Equal", []string{ids, g.AddInts([]int64{token})})},
			onnxfile.Int("to", int64(onnxfile.Int64)))
	}
	table := make([]float32, 3*words) // scores of the next token: after other tokens, after First, after Second
	table[a.First], table[words+a.Second], table[2*words+a.End], table[2*words+a.First] = 20, 20, 20, 10
	row := g.AddNode("Add", []string{is(a.First), g.AddNode("Mul", []string{is(a.Second), g.AddInts([]int64{2})})})
	g.AddNamedNode([]string{"logits"}, "Gather", []string{g.AddFloats(table, 3, words), row})
	g.AddOutput("logits", onnxfile.Float, -1, -1, words)
	states := g.AddNode("Unsqueeze", []string{g.AddNode("Cast", []string{ids}, onnxfile.Int("to", int64(onnxfile.Float))),
		g.AddInts([]int64{1, 3}, 2)})
	for _, name := range []string{"key", "value"} {
		past := g.AddInput("past_key_values.0."+name, onnxfile.Float, -1, 1, -1, 1)
		present := "present.0." + name
		g.AddNamedNode([]string{present}, "Concat", []string{past, states}, onnxfile.Int("axis", 2))
		g.AddOutput(present, onnxfile.Float, -1, 1, -1, 1)
	}
	return g
}
