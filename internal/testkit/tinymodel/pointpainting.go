package tinymodel

import "github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"

// DeepLab returns a model with the tensors of deeplabv3+.onnx and free sides. Red pixels are persons, green ones cars,
// blue ones bicycles, and all others road.
func DeepLab() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	const classes, person, car, bicycle = 19, 11, 13, 18
	weights, bias := make([]float32, classes*3), make([]float32, classes)
	for class, c := range map[int][2]int{person: {0, 1}, car: {1, 2}, bicycle: {2, 0}} { // channels, the larger first
		weights[class*3+c[0]], weights[class*3+c[1]] = 20, -20
	}
	bias[0] = 30
	pictures := g.AddInput("input", onnxfile.Float, -1, 3, -1, -1)
	g.AddNamedNode([]string{"output"}, "Conv", []string{pictures, g.AddFloats(weights, classes, 3, 1, 1),
		g.AddFloats(bias, classes)})
	g.AddOutput("output", onnxfile.Float, -1, classes, -1, -1)
	return g
}

// PointPillars returns a model with the tensors of pp.onnx. It finds a box in the middle of each pillar whose first
// point is painted with a class that counts.
func PointPillars() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	const points, values, lidar = 20, 11, 5
	pillars := g.AddInput("pillars", onnxfile.Float, -1, points, values)
	coordinates := g.AddInput("coors_batch", onnxfile.Int64, -1, 4)
	counts := g.AddInput("npoints_per_pillar", onnxfile.Int32, -1)
	cut := func(x string, axis, from, to int64) string {
		return g.AddNode("Slice", []string{x, g.AddInts([]int64{from}, 1), g.AddInts([]int64{to}, 1),
			g.AddInts([]int64{axis}, 1)})
	}
	float := func(x string) string {
		return g.AddNode("Cast", []string{x}, onnxfile.Int("to", int64(onnxfile.Float)))
	}
	clip := func(x string) string {
		return g.AddNode("Clip", []string{x, g.AddFloats([]float32{0}), g.AddFloats([]float32{1})})
	}
	add := func(x string, to ...float32) string {
		return g.AddNode("Add", []string{x, g.AddFloats(to, int64(len(to)))})
	}
	first := g.AddNode("Squeeze", []string{cut(pillars, 1, 0, 1), g.AddInts([]int64{1}, 1)})
	cells := g.AddNode("Mul", []string{float(cut(coordinates, 1, 1, 3)), g.AddFloats([]float32{0.32})})
	place, z := add(cells, -74.72, -74.72), cut(first, 1, 2, 3)
	scores := g.AddNode("MatMul", []string{cut(first, 1, lidar, values), g.AddFloats([]float32{
		0, 0, 0, // road
		0, 2, 0, // bicycle
		0, 0, 2, // vehicles
		2, 0, 0, // person: if two cameras see a point, half comes from the other camera
		0, 2, 0, // rider
		0, 0, 0,
	}, values-lidar, 3)})
	some := g.AddNode("Unsqueeze", []string{clip(float(counts)), g.AddInts([]int64{1}, 1)})
	scores = clip(g.AddNode("Mul", []string{scores, some}))
	more := g.AddNode("MatMul", []string{scores, g.AddFloats([]float32{0, 0, 0, 0, 0.9, 0.03, 1.24, 3.82, 0.03}, 3, 3)})
	zero := g.AddNode("Mul", []string{z, g.AddFloats([]float32{0})})
	rows := []string{place, z, add(more, 0.84, 0.91, 1.74), zero, scores, add(zero, 1)}
	g.AddNamedNode([]string{"boxes"}, "Concat", rows, onnxfile.Int("axis", 1))
	g.AddOutput("boxes", onnxfile.Float, -1, values)
	return g
}
