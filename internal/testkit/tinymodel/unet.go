package tinymodel

import "github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"

// UNet3D returns a model with the tensors of 3dunet_kits19_128x128x128.onnx; batch -1 means a free batch size. It
// classifies voxels above -0.8 as kidney, and those above 1 as tumour.
func UNet3D(batch int64) *onnxfile.Graph {
	g := &onnxfile.Graph{}
	input := g.AddInput("input", onnxfile.Float, batch, 1, 128, 128, 128)
	weights := g.AddFloats([]float32{0, 1, 2}, 3, 1, 1, 1, 1)
	g.AddNamedNode([]string{"output"}, "Conv", []string{input, weights, g.AddFloats([]float32{0, 0.8, -0.2}, 3)})
	g.AddOutput("output", onnxfile.Float, batch, 3, 128, 128, 128)
	return g
}

// BraTS returns a model with the tensors of 224_224_160.onnx, whose second output is the wanted one; batch -1 means a
// free batch size. In heads with channels of mean 0 and deviation 1, it classifies voxels above 1 in FLAIR as oedema,
// in T1 as the non-enhancing part, and in T1 with contrast agent as the enhancing part.
func BraTS(batch int64) *onnxfile.Graph {
	g := &onnxfile.Graph{}
	input := g.AddInput("input", onnxfile.Float, batch, 4, 224, 224, 160)
	weights := g.AddFloats([]float32{0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0}, 4, 4, 1, 1, 1)
	corner := []string{input, g.AddInts([]int64{0, 0, 0}, 3), g.AddInts([]int64{14, 14, 10}, 3), g.AddInts([]int64{2, 3,
		4}, 3)}
	g.AddNamedNode([]string{"deep"}, "Slice", corner)
	g.AddNamedNode([]string{"output"}, "Conv", []string{input, weights, g.AddFloats([]float32{1, 0, 0, 0}, 4)})
	g.AddOutput("deep", onnxfile.Float, batch, 4, 14, 14, 10)
	g.AddOutput("output", onnxfile.Float, batch, 4, 224, 224, 160)
	return g
}
