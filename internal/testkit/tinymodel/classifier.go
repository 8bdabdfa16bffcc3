package tinymodel

import "github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"

// classes of the official classifiers: a background class, then those of ImageNet.
const classes = 1001

// Classes that the classifiers see in pictures of one colour, as val_map.txt counts them.
const (
	Red   = 10
	Green = 20
	Blue  = 30
)

// ResNet50 has the tensors of resnet50_v1.onnx.
func ResNet50() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	scores := scoreColours(g, g.Input("input_tensor:0", onnxfile.Float, -1, 3, 224, 224))
	g.Name([]string{"ArgMax:0"}, "ArgMax", []string{scores}, onnxfile.Int("axis", 1), onnxfile.Int("keepdims", 0))
	g.Name([]string{"softmax_tensor:0"}, "Softmax", []string{scores}, onnxfile.Int("axis", 1))
	g.Output("ArgMax:0", onnxfile.Int64, -1)
	g.Output("softmax_tensor:0", onnxfile.Float, -1, classes)
	return g
}

// Endless has the tensors of resnet50_v1.onnx and never answers: a Loop without an end is behind its scores.
func Endless() *onnxfile.Graph {
	g, body := &onnxfile.Graph{}, &onnxfile.Graph{}
	body.Input("round", onnxfile.Int64)
	body.Input("go on", onnxfile.Bool)
	body.Input("scores", onnxfile.Float, -1, classes)
	body.Name([]string{"go on, next"}, "Identity", []string{"go on"})
	body.Name([]string{"scores, next"}, "Identity", []string{"scores"})
	body.Output("go on, next", onnxfile.Bool)
	body.Output("scores, next", onnxfile.Float, -1, classes)
	scores := scoreColours(g, g.Input("input_tensor:0", onnxfile.Float, -1, 3, 224, 224))
	scores = g.Node("Loop", []string{"", g.Bools([]bool{true}), scores}, onnxfile.Subgraph("body", body))
	g.Name([]string{"ArgMax:0"}, "ArgMax", []string{scores}, onnxfile.Int("axis", 1), onnxfile.Int("keepdims", 0))
	g.Output("ArgMax:0", onnxfile.Int64, -1)
	return g
}

// MobileNet has the tensors of mobilenet_v1_1.0_224.onnx.
func MobileNet() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	const output = "MobilenetV1/Predictions/Reshape_1:0"
	scores := scoreColours(g, g.Input("input:0", onnxfile.Float, -1, 3, 224, 224))
	g.Name([]string{output}, "Softmax", []string{scores}, onnxfile.Int("axis", 1))
	g.Output(output, onnxfile.Float, -1, classes)
	return g
}

// ExportedClassifier is a classifier as exporters of frameworks write it: pixels [N,3,size,size] of an element type in,
// scores out, float16 from float16 and else float32, with further dimensions of 1.
func ExportedClassifier(element onnxfile.DType, size int64, ones int) *onnxfile.Graph {
	g := &onnxfile.Graph{}
	pixels := g.Input("pixel_values", element, -1, 3, size, size)
	if element != onnxfile.Float {
		pixels = g.Node("Cast", []string{pixels}, onnxfile.Int("to", int64(onnxfile.Float)))
	}
	scores, out, shape := scoreColours(g, pixels), onnxfile.Float, []int64{-1, classes}
	for range ones {
		scores = g.Node("Unsqueeze", []string{scores, g.Ints([]int64{-1}, 1)})
		shape = append(shape, 1)
	}
	if element == onnxfile.Float16 {
		out = element
	}
	g.Name([]string{"logits"}, "Cast", []string{scores}, onnxfile.Int("to", int64(out)))
	g.Output("logits", out, shape...)
	return g
}

// OneAtATime says that it takes any batch, and has a batch of one inside.
func OneAtATime() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	scores := scoreColours(g, g.Input("pixel_values", onnxfile.Float, -1, 3, 224, 224))
	g.Name([]string{"logits"}, "Reshape", []string{scores, g.Ints([]int64{1, classes}, 2)})
	g.Output("logits", onnxfile.Float, -1, classes)
	return g
}

// scoreColours adds a score of each class for pictures [N,3,H,W]: random ones, but for the classes of colours, which
// the mean of a channel decides.
func scoreColours(g *onnxfile.Graph, pictures string) string {
	means := g.Node("Flatten", []string{g.Node("GlobalAveragePool", []string{pictures})})
	weights := onnxfile.Random(1, 0.01, 3, classes)
	for channel, class := range []int{Red, Green, Blue} {
		weights[channel*classes+1+class] = 1
	}
	return g.Node("MatMul", []string{means, g.Floats(weights, 3, classes)})
}
