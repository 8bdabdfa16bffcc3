package tinymodel

import "github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"

// The sizes of Whisper large-v3's tensors, except for the width of the encoder's output and the numbers of layers and
// heads.
const (
	whisperFrames, whisperPositions, whisperTokens = 3000, 1500, 51866
	whisperWidth                                   = 2
)

// WhisperEncoder returns a model with the tensors of optimum's export.
func WhisperEncoder() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	in := g.AddInput("input_features", onnxfile.Float, -1, 128, whisperFrames)
	first := g.AddNode("Slice", []string{in, g.AddInts([]int64{0}, 1), g.AddInts([]int64{1}, 1), g.AddInts([]int64{1}, 1)})
	shape := g.AddInts([]int64{0, whisperPositions, whisperWidth}, 3)
	g.AddNamedNode([]string{"last_hidden_state"}, "Reshape", []string{first, shape})
	g.AddOutput("last_hidden_state", onnxfile.Float, -1, whisperPositions, whisperWidth)
	return g
}

// whisperSays adds logits after each token: those of the answer's tokens in turn, and after other tokens those of the
// first.
func whisperSays(g *onnxfile.Graph, ids string, a Answer) {
	is := func(token int64) string {
		return g.AddNode("Cast", []string{g.AddNode("Equal", []string{ids, g.AddInts([]int64{token})})},
			onnxfile.Int("to", int64(onnxfile.Int64)))
	}
	table := make([]float32, 3*whisperTokens) // scores of the next token: after other tokens, after First, after Second
	table[a.First], table[whisperTokens+a.Second], table[2*whisperTokens+a.End] = 20, 20, 20
	row := g.AddNode("Add", []string{is(a.First), g.AddNode("Mul", []string{is(a.Second), g.AddInts([]int64{2})})})
	g.AddNamedNode([]string{"logits"}, "Gather", []string{g.AddFloats(table, 3, whisperTokens), row})
	g.AddOutput("logits", onnxfile.Float, -1, -1, whisperTokens)
}

// WhisperDecoder returns the first of optimum's two decoders.
func WhisperDecoder(a Answer) *onnxfile.Graph {
	g := &onnxfile.Graph{}
	ids := g.AddInput("input_ids", onnxfile.Int64, -1, -1)
	sound := g.AddInput("encoder_hidden_states", onnxfile.Float, -1, whisperPositions, whisperWidth)
	whisperSays(g, ids, a)
	for _, name := range []string{"key", "value"} {
		g.AddNamedNode([]string{"present.0.decoder." + name}, "Unsqueeze", []string{
			g.AddNode("Cast", []string{ids}, onnxfile.Int("to", int64(onnxfile.Float))), g.AddInts([]int64{1, 3}, 2)})
		g.AddOutput("present.0.decoder."+name, onnxfile.Float, -1, 1, -1, 1)
		g.AddNamedNode([]string{"present.0.encoder." + name}, "Unsqueeze", []string{sound, g.AddInts([]int64{1}, 1)})
		g.AddOutput("present.0.encoder."+name, onnxfile.Float, -1, 1, whisperPositions, whisperWidth)
	}
	return g
}

// WhisperDecoderWithPast returns the second of optimum's two decoders.
func WhisperDecoderWithPast(a Answer) *onnxfile.Graph {
	g := &onnxfile.Graph{}
	ids := g.AddInput("input_ids", onnxfile.Int64, -1, 1)
	whisperSays(g, ids, a)
	added := g.AddNode("Unsqueeze", []string{
		g.AddNode("Cast", []string{ids}, onnxfile.Int("to", int64(onnxfile.Float))), g.AddInts([]int64{1, 3}, 2)})
	for _, name := range []string{"key", "value"} {
		past := g.AddInput("past_key_values.0.decoder."+name, onnxfile.Float, -1, 1, -1, 1)
		g.AddInput("past_key_values.0.encoder."+name, onnxfile.Float, -1, 1, whisperPositions, whisperWidth)
		g.AddNamedNode([]string{"present.0.decoder." + name}, "Concat", []string{past, added}, onnxfile.Int("axis", 2))
		g.AddOutput("present.0.decoder."+name, onnxfile.Float, -1, 1, -1, 1)
	}
	return g
}
