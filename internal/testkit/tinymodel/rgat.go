package tinymodel

import "github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"

// RGATClasses is the number of classes of the graph model, one for each feature of a node.
const RGATClasses = 8

// RGAT returns a model with those tensors of the graph benchmark that it uses. The class of a paper is its largest
// feature. The edges, of which it reads those of citations, have no effect.
func RGAT() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	papers := g.AddInput("x_paper", onnxfile.Float, -1, RGATClasses)
	seeds := g.AddInput("seeds", onnxfile.Int64, -1)
	sources := g.AddInput("src_paper__cites__paper", onnxfile.Int64, -1)
	edges := g.AddNode("Cast", []string{g.AddNode("Size", []string{sources})}, onnxfile.Int("to", 1))
	nothing := g.AddNode("Mul", []string{edges, g.AddFloats([]float32{0})})
	g.AddNamedNode([]string{"logits"}, "Add", []string{g.AddNode("Gather", []string{papers, seeds}), nothing})
	g.AddOutput("logits", onnxfile.Float, -1, RGATClasses)
	return g
}
