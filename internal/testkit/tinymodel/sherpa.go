package tinymodel

import "github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"

// sherpaCapacity is the number of tokens in the caches of sherpa-onnx's form.
const sherpaCapacity = 448

// SherpaEncoder returns a model with the tensors of the encoder in sherpa-onnx's export of Whisper large-v3, with one
// layer.
func SherpaEncoder() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	in := g.AddInput("mel", onnxfile.Float, -1, 128, -1)
	first := g.AddNode("Slice", []string{in, g.AddInts([]int64{0}, 1), g.AddInts([]int64{1}, 1), g.AddInts([]int64{1}, 1)})
	shape := g.AddInts([]int64{1, -1, whisperPositions, whisperWidth}, 4)
	for _, name := range []string{"n_layer_cross_k", "n_layer_cross_v"} {
		g.AddNamedNode([]string{name}, "Reshape", []string{first, shape})
		g.AddOutput(name, onnxfile.Float, 1, -1, -1, whisperWidth)
	}
	return g
}

// SherpaDecoder returns a model with the tensors of the decoder in that export. It does not change its caches.
func SherpaDecoder(a Answer) *onnxfile.Graph {
	g := &onnxfile.Graph{}
	ids := g.AddInput("tokens", onnxfile.Int64, -1, -1)
	for _, name := range []string{"n_layer_self_k_cache", "n_layer_self_v_cache"} {
		g.AddInput("in_"+name, onnxfile.Float, 1, -1, sherpaCapacity, whisperWidth)
	}
	for _, name := range []string{"n_layer_cross_k", "n_layer_cross_v"} {
		g.AddInput(name, onnxfile.Float, 1, -1, -1, whisperWidth)
	}
	g.AddInput("offset", onnxfile.Int64, 1)
	whisperSays(g, ids, a)
	for _, name := range []string{"n_layer_self_k_cache", "n_layer_self_v_cache"} {
		g.AddNamedNode([]string{"out_" + name}, "Identity", []string{"in_" + name})
		g.AddOutput("out_"+name, onnxfile.Float, 1, -1, sherpaCapacity, whisperWidth)
	}
	return g
}
