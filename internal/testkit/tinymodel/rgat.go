package tinymodel

import "github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"

// RGATClasses is how many classes the graph model knows, one for each feature of a node.
const RGATClasses = 8

// RGAT has the tensors of the graph benchmark, as far as it uses them: the class of a paper is its greatest feature,
// and edges, of which it takes those of citations, add nothing.
func RGAT() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	papers := g.Input("x_paper", onnxfile.Float, -1, RGATClasses)
	seeds := g.Input("seeds", onnxfile.Int64, -1)
	sources := g.Input("src_paper__cites__paper", onnxfile.Int64, -1)
	edges := g.Node("Cast", []string{g.Node("Size", []string{sources})}, onnxfile.Int("to", 1))
	nothing := g.Node("Mul", []string{edges, g.Floats([]float32{0})})
	g.Name([]string{"logits"}, "Add", []string{g.Node("Gather", []string{papers, seeds}), nothing})
	g.Output("logits", onnxfile.Float, -1, RGATClasses)
	return g
}
