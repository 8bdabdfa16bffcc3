package tinymodel

import "github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"

// The transducers of other toolkits read 80 filters, and their encoders pass every fourth frame.
const (
	transducerFilters = 80
	transducerStep    = 4
)

// NeMoTokens and IcefallTokens are the token files of the models, in the form of their toolkits. The models say "the".
const (
	NeMoTokens    = "\u2581t 0\nhe 1\n<unk> 2\n"
	IcefallTokens = "<blk> 0\n\u2581T 1\nHE 2\n<unk> 3\n"
)

// fourth adds nodes that pass every fourth frame of the input along an axis, and the lengths.
func fourth(g *onnxfile.Graph, x, lengths, frames, ends string, axis int64) {
	g.AddNamedNode([]string{frames}, "Slice", []string{x, g.AddInts([]int64{0}, 1), g.AddInts([]int64{1 << 40}, 1),
		g.AddInts([]int64{axis}, 1), g.AddInts([]int64{transducerStep}, 1)})
	rounded := g.AddNode("Add", []string{lengths, g.AddInts([]int64{transducerStep - 1})})
	g.AddNamedNode([]string{ends}, "Div", []string{rounded, g.AddInts([]int64{transducerStep})})
}

// NeMoEncoder returns a model with the tensors of an encoder exported by NeMo.
func NeMoEncoder() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	x := g.AddInput("audio_signal", onnxfile.Float, -1, transducerFilters, -1)
	fourth(g, x, g.AddInput("length", onnxfile.Int64, -1), "outputs", "encoded_lengths", 2)
	g.AddOutput("outputs", onnxfile.Float, -1, transducerFilters, -1)
	g.AddOutput("encoded_lengths", onnxfile.Int64, -1)
	return g
}

// NeMoDecoder returns a model with the tensors of the decoder with joint network exported by NeMo. It says both tokens
// in the first frame.
func NeMoDecoder() *onnxfile.Graph {
	const symbols = 4 // three tokens and the blank, which is the start
	g := &onnxfile.Graph{}
	g.AddInput("encoder_outputs", onnxfile.Float, -1, transducerFilters, 1)
	targets := g.AddInput("targets", onnxfile.Int32, -1, 1)
	lengths := g.AddInput("target_length", onnxfile.Int32, -1)
	next := []float32{0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0}
	scores := g.AddNode("Gather", []string{g.AddFloats(next, symbols, symbols), targets})
	g.AddNamedNode([]string{"outputs"}, "Unsqueeze", []string{scores, g.AddInts([]int64{1}, 1)})
	g.AddOutput("outputs", onnxfile.Float, -1, 1, 1, symbols)
	g.AddNamedNode([]string{"prednet_lengths"}, "Identity", []string{lengths})
	g.AddOutput("prednet_lengths", onnxfile.Int32, -1)
	for _, i := range []string{"1", "2"} {
		state := g.AddInput("input_states_"+i, onnxfile.Float, 1, -1, 2)
		g.AddNamedNode([]string{"output_states_" + i}, "Identity", []string{state})
		g.AddOutput("output_states_"+i, onnxfile.Float, 1, -1, 2)
	}
	return g
}

// IcefallEncoder returns a model with the tensors of an encoder exported by icefall.
func IcefallEncoder() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	x := g.AddInput("x", onnxfile.Float, -1, -1, transducerFilters)
	fourth(g, x, g.AddInput("x_lens", onnxfile.Int64, -1), "encoder_out", "encoder_out_lens", 1)
	g.AddOutput("encoder_out", onnxfile.Float, -1, -1, transducerFilters)
	g.AddOutput("encoder_out_lens", onnxfile.Int64, -1)
	return g
}

// icefallSymbols is the number of symbols: the blank and three tokens.
const icefallSymbols = 4

// IcefallDecoder returns a model with the tensors of the decoder exported by icefall. The last of two symbols
// determines the next one.
func IcefallDecoder() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	y := g.AddInput("y", onnxfile.Int64, -1, 2)
	last := g.AddNode("Gather", []string{y, g.AddInts([]int64{1})}, onnxfile.Int("axis", 1))
	next := []float32{0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0}
	g.AddNamedNode([]string{"decoder_out"}, "Gather", []string{g.AddFloats(next, icefallSymbols, icefallSymbols), last})
	g.AddOutput("decoder_out", onnxfile.Float, -1, icefallSymbols)
	return g
}

// IcefallJoiner returns a model with the tensors of the joiner exported by icefall.
func IcefallJoiner() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	g.AddInput("encoder_out", onnxfile.Float, -1, transducerFilters)
	g.AddNamedNode([]string{"logit"}, "Identity", []string{g.AddInput("decoder_out", onnxfile.Float, -1, icefallSymbols)})
	g.AddOutput("logit", onnxfile.Float, -1, icefallSymbols)
	return g
}
