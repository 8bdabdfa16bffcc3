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
	pictures := g.Input("input", onnxfile.Float, -1, 3, -1, -1)
	g.Name([]string{"output"}, "Conv", []string{pictures, g.Floats(weights, classes, 3, 1, 1), g.Floats(bias, classes)})
	g.Output("output", onnxfile.Float, -1, classes, -1, -1)
	return g
}

// PointPillars returns a model with the tensors of pp.onnx. It finds a box in the middle of each pillar whose first
// point is painted with a class that counts.
func PointPillars() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	const points, values, lidar = 20, 11, 5
	pillars := g.Input("pillars", onnxfile.Float, -1, points, values)
	coordinates := g.Input("coors_batch", onnxfile.Int64, -1, 4)
	counts := g.Input("npoints_per_pillar", onnxfile.Int32, -1)
	cut := func(x string, axis, from, to int64) string {
		return g.Node("Slice", []string{x, g.Ints([]int64{from}, 1), g.Ints([]int64{to}, 1), g.Ints([]int64{axis}, 1)})
	}
	float := func(x string) string { return g.Node("Cast", []string{x}, onnxfile.Int("to", int64(onnxfile.Float))) }
	clip := func(x string) string {
		return g.Node("Clip", []string{x, g.Floats([]float32{0}), g.Floats([]float32{1})})
	}
	add := func(x string, to ...float32) string {
		return g.Node("Add", []string{x, g.Floats(to, int64(len(to)))})
	}
	first := g.Node("Squeeze", []string{cut(pillars, 1, 0, 1), g.Ints([]int64{1}, 1)})
	cells := g.Node("Mul", []string{float(cut(coordinates, 1, 1, 3)), g.Floats([]float32{0.32})})
	place, z := add(cells, -74.72, -74.72), cut(first, 1, 2, 3)
	scores := g.Node("MatMul", []string{cut(first, 1, lidar, values), g.Floats([]float32{
		0, 0, 0, // road
		0, 2, 0, // bicycle
		0, 0, 2, // vehicles
		2, 0, 0, // person: if two cameras see a point, half comes from the other camera
		0, 2, 0, // rider
		0, 0, 0,
	}, values-lidar, 3)})
	some := g.Node("Unsqueeze", []string{clip(float(counts)), g.Ints([]int64{1}, 1)})
	scores = clip(g.Node("Mul", []string{scores, some}))
	more := g.Node("MatMul", []string{scores, g.Floats([]float32{0, 0, 0, 0, 0.9, 0.03, 1.24, 3.82, 0.03}, 3, 3)})
	zero := g.Node("Mul", []string{z, g.Floats([]float32{0})})
	rows := []string{place, z, add(more, 0.84, 0.91, 1.74), zero, scores, add(zero, 1)}
	g.Name([]string{"boxes"}, "Concat", rows, onnxfile.Int("axis", 1))
	g.Output("boxes", onnxfile.Float, -1, values)
	return g
}
