package tinymodel

import "github.com/plumbline-ml/plumbline/e2e/internal/onnxfile"

// UNet3D has the tensors of 3dunet_kits19_128x128x128.onnx; batch -1 those of its form with a free batch. It takes
// voxels above -0.8 for kidney, and those above 1 for tumour.
func UNet3D(batch int64) *onnxfile.Graph {
	g := &onnxfile.Graph{}
	input := g.Input("input", onnxfile.Float, batch, 1, 128, 128, 128)
	weights := g.Floats([]float32{0, 1, 2}, 3, 1, 1, 1, 1)
	g.Name([]string{"output"}, "Conv", []string{input, weights, g.Floats([]float32{0, 0.8, -0.2}, 3)})
	g.Output("output", onnxfile.Float, batch, 3, 128, 128, 128)
	return g
}
