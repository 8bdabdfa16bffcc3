package tinymodel

import "github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"

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
	scores := scoreColours(g, g.Input("input_tensor:0", onnxfile.Float, -1, 3, 224, 224))
	g.Name([]string{"ArgMax:0"}, "ArgMax", []string{scores}, onnxfile.Int("axis", 1), onnxfile.Int("keepdims", 0))
	g.Name([]string{"softmax_tensor:0"}, "Softmax", []string{scores}, onnxfile.Int("axis", 1))
	g.Output("ArgMax:0", onnxfile.Int64, -1)
	g.Output("softmax_tensor:0", onnxfile.Float, -1, classes)
	return g
}

// Endless returns a model with the tensors of resnet50_v1.onnx that never answers, because its scores depend on an
// endless Loop.
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

// MobileNet returns a model with the tensors of mobilenet_v1_1.0_224.onnx.
func MobileNet() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	const output = "MobilenetV1/Predictions/Reshape_1:0"
	scores := scoreColours(g, g.Input("input:0", onnxfile.Float, -1, 3, 224, 224))
	g.Name([]string{output}, "Softmax", []string{scores}, onnxfile.Int("axis", 1))
	g.Output(output, onnxfile.Float, -1, classes)
	return g
}

// ExportedClassifier returns a classifier in the form of framework exporters. Its input is pixels [N,3,size,size] of an
// element type. Its output is scores with further dimensions of 1, float16 for float16 input and otherwise float32.
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

// OneAtATime returns a model that declares a free batch size but only works with a batch of one.
func OneAtATime() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	scores := scoreColours(g, g.Input("pixel_values", onnxfile.Float, -1, 3, 224, 224))
	g.Name([]string{"logits"}, "Reshape", []string{scores, g.Ints([]int64{1, classes}, 2)})
	g.Output("logits", onnxfile.Float, -1, classes)
	return g
}

// scoreColours adds a score of each class for pictures [N,3,H,W]. Scores of the colours' classes depend on the mean of
// a channel; the others are random.
func scoreColours(g *onnxfile.Graph, pictures string) string {
	means := g.Node("Flatten", []string{g.Node("GlobalAveragePool", []string{pictures})})
	weights := onnxfile.Random(1, 0.01, 3, classes)
	for channel, class := range []int{Red, Green, Blue} {
		weights[channel*classes+1+class] = 1
	}
	return g.Node("MatMul", []string{means, g.Floats(weights, 3, classes)})
}
