package tinymodel

import (
	"cmp"
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"
)

// classes is the number of classes of the official classifiers: a background class, and those of ImageNet.
const classes = 1001

// Classes that the classifiers find in pictures of one colour, numbered as in val_map.txt.
const (
	Red   = 10
	Green = 20
	Blue  = 30
)

// ResNet50 returns a model with the tensors of resnet50_v1.onnx.
func ResNet50() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	scores := scoreColours(g, g.AddInput("input_tensor:0", onnxfile.Float, -1, 3, 224, 224))
	g.AddNamedNode([]string{"ArgMax:0"}, "ArgMax", []string{scores}, onnxfile.Int("axis", 1), onnxfile.Int("keepdims", 0))
	g.AddNamedNode([]string{"softmax_tensor:0"}, "Softmax", []string{scores}, onnxfile.Int("axis", 1))
	g.AddOutput("ArgMax:0", onnxfile.Int64, -1)
	g.AddOutput("softmax_tensor:0", onnxfile.Float, -1, classes)
	return g
}

// Endless returns a model with the tensors of resnet50_v1.onnx that never answers, because its scores depend on an
// endless Loop.
func Endless() *onnxfile.Graph {
	g, body := &onnxfile.Graph{}, &onnxfile.Graph{}
	body.AddInput("round", onnxfile.Int64)
	body.AddInput("go on", onnxfile.Bool)
	body.AddInput("scores", onnxfile.Float, -1, classes)
	body.AddNamedNode([]string{"go on, next"}, "Identity", []string{"go on"})
	body.AddNamedNode([]string{"scores, next"}, "Identity", []string{"scores"})
	body.AddOutput("go on, next", onnxfile.Bool)
	body.AddOutput("scores, next", onnxfile.Float, -1, classes)
	scores := scoreColours(g, g.AddInput("input_tensor:0", onnxfile.Float, -1, 3, 224, 224))
	scores = g.AddNode("Loop", []string{"", g.AddBools([]bool{true}), scores}, onnxfile.Subgraph("body", body))
	g.AddNamedNode([]string{"ArgMax:0"}, "ArgMax", []string{scores}, onnxfile.Int("axis", 1), onnxfile.Int("keepdims", 0))
	g.AddOutput("ArgMax:0", onnxfile.Int64, -1)
	return g
}

// MobileNet returns a model with the tensors of mobilenet_v1_1.0_224.onnx.
func MobileNet() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	const output = "MobilenetV1/Predictions/Reshape_1:0"
	scores := scoreColours(g, g.AddInput("input:0", onnxfile.Float, -1, 3, 224, 224))
	g.AddNamedNode([]string{output}, "Softmax", []string{scores}, onnxfile.Int("axis", 1))
	g.AddOutput(output, onnxfile.Float, -1, classes)
	return g
}

// ClassifierForm describes a classifier in the form of framework exporters. Its zero value is invalid.
type ClassifierForm struct {
	Element onnxfile.DType // of the input; scores are float16 if it is, otherwise float32
	Size    int64          // of the pictures' sides
	NHWC    bool
	Batch   int64  // 0: free
	Classes int64  // 1001: with a background
	Answer  string // logits, softmax, class or both
	Ones    int    // number of further dimensions of 1 of scores
	Inputs  int    // number of inputs for pictures, whose mean is classified
}

// Graph returns the model. Its inputs are pixel_values, pixel_values_2, ..., its outputs logits (or probabilities) and
// class.
func (f ClassifierForm) Graph() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	batch, shape := cmp.Or(f.Batch, -1), []int64{-1, 3, f.Size, f.Size}
	if f.NHWC {
		shape = []int64{-1, f.Size, f.Size, 3}
	}
	shape[0] = batch
	pixels := f.asFloats(g, g.AddInput("pixel_values", f.Element, shape...))
	for i := range f.Inputs - 1 {
		more := f.asFloats(g, g.AddInput(fmt.Sprintf("pixel_values_%d", i+2), f.Element, shape...))
		pixels = g.AddNode("Add", []string{pixels, more})
	}
	scores := scoreColours(g, pixels)
	if f.Classes != classes {
		part := []string{scores, g.AddInts([]int64{1}, 1), g.AddInts([]int64{1 + f.Classes}, 1), g.AddInts([]int64{1}, 1)}
		scores = g.AddNode("Slice", part)
	}
	if f.Answer == "class" || f.Answer == "both" {
		g.AddNamedNode([]string{"class"}, "ArgMax", []string{scores}, onnxfile.Int("axis", 1), onnxfile.Int("keepdims", 0))
		g.AddOutput("class", onnxfile.Int64, batch)
	}
	if f.Answer != "class" {
		f.addScores(g, scores, batch)
	}
	return g
}

// asFloats converts an input to float32 [N,3,H,W].
func (f ClassifierForm) asFloats(g *onnxfile.Graph, pixels string) string {
	if f.Element != onnxfile.Float {
		pixels = g.AddNode("Cast", []string{pixels}, onnxfile.Int("to", int64(onnxfile.Float)))
	}
	if f.NHWC {
		pixels = g.AddNode("Transpose", []string{pixels}, onnxfile.IntList("perm", 0, 3, 1, 2))
	}
	return pixels
}

// addScores adds the output of scores.
func (f ClassifierForm) addScores(g *onnxfile.Graph, scores string, batch int64) {
	name, out, shape := "logits", onnxfile.Float, []int64{batch, f.Classes}
	if f.Answer == "softmax" {
		name, scores = "probabilities", g.AddNode("Softmax", []string{scores}, onnxfile.Int("axis", 1))
	}
	for range f.Ones {
		scores = g.AddNode("Unsqueeze", []string{scores, g.AddInts([]int64{-1}, 1)})
		shape = append(shape, 1)
	}
	if f.Element == onnxfile.Float16 {
		out = f.Element
	}
	g.AddNamedNode([]string{name}, "Cast", []string{scores}, onnxfile.Int("to", int64(out)))
	g.AddOutput(name, out, shape...)
}

// OneAtATime returns a model that declares a free batch size but only works with a batch of one.
func OneAtATime() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	scores := scoreColours(g, g.AddInput("pixel_values", onnxfile.Float, -1, 3, 224, 224))
	g.AddNamedNode([]string{"logits"}, "Reshape", []string{scores, g.AddInts([]int64{1, classes}, 2)})
	g.AddOutput("logits", onnxfile.Float, -1, classes)
	return g
}

// scoreColours adds a score of each class for pictures [N,3,H,W]. Scores of the colours' classes depend on the mean of
// a channel; the others are random.
func scoreColours(g *onnxfile.Graph, pictures string) string {
	means := g.AddNode("Flatten", []string{g.AddNode("GlobalAveragePool", []string{pictures})})
	weights := onnxfile.Random(1, 0.01, 3, classes)
	for channel, class := range []int{Red, Green, Blue} {
		weights[channel*classes+1+class] = 1
	}
	return g.AddNode("MatMul", []string{means, g.AddFloats(weights, 3, classes)})
}
