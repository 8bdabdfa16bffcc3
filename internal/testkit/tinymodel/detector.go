package tinymodel

import "github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"

// Box is a box that the detectors find in every picture that is not black, as shares of the picture.
type Box struct{ XMin, YMin, XMax, YMax float64 }

// FirstBox and SecondBox belong to the first and the second class. The score of a third box is below every threshold.
var (
	FirstBox  = Box{0.125, 0.25, 0.5, 0.75}
	SecondBox = Box{0.5, 0.5, 0.875, 1}
)

// detections is the number of detections for each picture.
const detections = 3

// detector contains the differences between the forms.
type detector struct {
	pictures   string  // input
	dark       float32 // mean of a black picture
	bright     float32 // distance from dark at which a mean counts as bright
	yFirst     bool
	sizeFactor float32 // unit of boxes: 1, or pixels of the input
	classes    [detections]float32
	batched    bool // outputs contain a row for each picture
}

// outputs adds boxes, scores and classes (float32), and the brightness of pictures, from 0 to 1.
func (d detector) outputs(g *onnxfile.Graph) (boxes, scores, classes, light string) {
	mean := g.AddNode("ReduceMean", []string{d.pictures}, onnxfile.IntList("axes", 1, 2, 3), onnxfile.Int("keepdims", 0))
	above := g.AddNode("Sub", []string{mean, g.AddFloats([]float32{d.dark})})
	scaled := g.AddNode("Mul", []string{above, g.AddFloats([]float32{1 / d.bright})})
	light = g.AddNode("Clip", []string{scaled, g.AddFloats([]float32{0}), g.AddFloats([]float32{1})})
	column := g.AddNode("Unsqueeze", []string{light, g.AddInts([]int64{1}, 1)})
	scores = g.AddNode("Mul", []string{column, g.AddFloats([]float32{0.9, 0.8, 0.01}, 1, detections)})
	ones := g.AddNode("Add", []string{g.AddNode("Mul", []string{column, g.AddFloats([]float32{0})}),
		g.AddFloats([]float32{1})})
	classes = g.AddNode("Mul", []string{ones, g.AddFloats(d.classes[:], 1, detections)})
	each := g.AddNode("Unsqueeze", []string{ones, g.AddInts([]int64{2}, 1)})
	boxes = g.AddNode("Mul", []string{each, g.AddFloats(d.corners(), 1, detections, 4)})
	if !d.batched {
		first := []string{g.AddInts([]int64{0}, 1)}
		boxes = g.AddNode("Squeeze", append([]string{boxes}, first...))
		scores = g.AddNode("Squeeze", append([]string{scores}, first...))
		classes = g.AddNode("Squeeze", append([]string{classes}, first...))
	}
	return boxes, scores, classes, light
}

// corners returns the corners of all boxes.
func (d detector) corners() []float32 {
	var all []float32
	for _, b := range []Box{FirstBox, SecondBox, FirstBox} {
		x1, y1, x2, y2 := float32(b.XMin), float32(b.YMin), float32(b.XMax), float32(b.YMax)
		if d.yFirst {
			x1, y1, x2, y2 = y1, x1, y2, x2
		}
		for _, v := range []float32{x1, y1, x2, y2} {
			all = append(all, v*d.sizeFactor)
		}
	}
	return all
}

// rename makes a value an output with a name and a type.
func rename(g *onnxfile.Graph, value, name string, t onnxfile.DType, shape ...int64) {
	g.AddNamedNode([]string{name}, "Cast", []string{value}, onnxfile.Int("to", int64(t)))
	g.AddOutput(name, t, shape...)
}

// RetinaNet returns a model with the tensors of resnext50_32x4d_fpn.onnx. It finds classes 0 and 1.
func RetinaNet() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	d := detector{
		pictures: g.AddInput("images", onnxfile.Float, 1, 3, 800, 800),
		bright:   0.1, sizeFactor: 800, classes: [detections]float32{0, 1, 2},
	}
	boxes, scores, classes, _ := d.outputs(g)
	rename(g, boxes, "boxes", onnxfile.Float, -1, 4)
	rename(g, classes, "labels", onnxfile.Int64, -1)
	rename(g, scores, "scores", onnxfile.Float, -1)
	return g
}

// SSDMobileNet returns a model with the tensors of ssd_mobilenet_v1_coco_2018_01_28.onnx. It finds the categories with
// these ids.
func SSDMobileNet(first, second float32) *onnxfile.Graph {
	g := &onnxfile.Graph{}
	bytes := g.AddInput("image_tensor:0", onnxfile.Uint8, -1, 300, 300, 3)
	d := detector{
		pictures: g.AddNode("Cast", []string{bytes}, onnxfile.Int("to", int64(onnxfile.Float))),
		bright:   20, yFirst: true, sizeFactor: 1, classes: [detections]float32{first, second, second}, batched: true,
	}
	boxes, scores, classes, light := d.outputs(g)
	rename(g, g.AddNode("Mul", []string{light, g.AddFloats([]float32{2})}), "num_detections:0", onnxfile.Float, -1)
	rename(g, boxes, "detection_boxes:0", onnxfile.Float, -1, -1, 4)
	rename(g, scores, "detection_scores:0", onnxfile.Float, -1, -1)
	rename(g, classes, "detection_classes:0", onnxfile.Float, -1, -1)
	return g
}

// SSDResNet34 returns a model with the tensors of resnet34-ssd1200.onnx, the export from PyTorch. It finds the first
// and the second category, counted from 1.
func SSDResNet34() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	d := detector{
		pictures: g.AddInput("image", onnxfile.Float, 1, 3, 1200, 1200),
		dark:     -1.99, bright: 0.5, sizeFactor: 1, classes: [detections]float32{1, 2, 3}, batched: true,
	}
	boxes, scores, classes, _ := d.outputs(g)
	rename(g, boxes, "bboxes", onnxfile.Float, 1, -1, 4)
	rename(g, classes, "labels", onnxfile.Int64, 1, -1)
	rename(g, scores, "scores", onnxfile.Float, 1, -1)
	return g
}

// SSDResNet34TF returns a model with the tensors of ssd_resnet34_mAP_20.2.onnx, the export from TensorFlow. It finds
// the same categories.
func SSDResNet34TF() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	d := detector{
		pictures: g.AddInput("image:0", onnxfile.Float, -1, 1200, 1200, 3),
		dark:     -114.8, bright: 20, yFirst: true, sizeFactor: 1, classes: [detections]float32{1, 2, 3}, batched: true,
	}
	boxes, scores, classes, _ := d.outputs(g)
	rename(g, boxes, "detection_bboxes:0", onnxfile.Float, -1, -1, 4)
	rename(g, classes, "detection_classes:0", onnxfile.Int64, -1, -1)
	rename(g, scores, "detection_scores:0", onnxfile.Float, -1, -1)
	return g
}

// YOLO returns a model with the tensors of an export of YOLOv11 at 640 x 640. It determines the picture within its grey
// border, and finds the first and the third of COCO's 80 classes. A third box overlaps the first one with a lower
// score.
func YOLO() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	const side, grey, columns, classes = 640, 114. / 255, 8400, 80
	scalar := func(v float32) string { return g.AddFloats([]float32{v}) }
	most := func(x string, keep int64, axes ...int64) string {
		return g.AddNode("ReduceMax", []string{x}, onnxfile.IntList("axes", axes...), onnxfile.Int("keepdims", keep))
	}
	share := func(x string, from, per float32) string {
		scaled := g.AddNode("Mul", []string{g.AddNode("Sub", []string{x, scalar(from)}), scalar(per)})
		return g.AddNode("Clip", []string{scaled, scalar(0), scalar(1)})
	}
	pictures := g.AddInput("images", onnxfile.Float, 1, 3, side, side)
	away := g.AddNode("Abs", []string{g.AddNode("Sub", []string{pictures, scalar(grey)})})
	inside := share(most(away, 1, 1), 0.02, 1000) // 1,1,side,side
	light := most(g.AddNode("Mul", []string{pictures, inside}), 0, 1, 2, 3)
	light = g.AddNode("Unsqueeze", []string{share(light, 0.2, 10), g.AddInts([]int64{1, 2}, 2)})
	up, down := make([]float32, side), make([]float32, side)
	for i := range side {
		up[i], down[i] = float32(i+1), float32(side-i)
	}
	bounds := func(axis int64) (low, length string) { // of the picture along the other axis, 1,1,1
		line := most(inside, 0, 1, axis)
		high := most(g.AddNode("Mul", []string{line, g.AddFloats(up, 1, side)}), 1, 1)
		low = g.AddNode("Sub", []string{scalar(side), most(g.AddNode("Mul", []string{line, g.AddFloats(down, 1, side)}), 1,
			1)})
		one := g.AddInts([]int64{2}, 1)
		return g.AddNode("Unsqueeze", []string{low, one}), g.AddNode("Unsqueeze", []string{g.AddNode("Sub", []string{high,
			low}), one})
	}
	var rows [4][]float32 // middles and sides of the boxes, as shares of the picture
	scores := make([]float32, classes*detections)
	for i, b := range []Box{FirstBox, SecondBox, FirstBox} {
		for k, v := range []float64{(b.XMin + b.XMax) / 2, (b.YMin + b.YMax) / 2, b.XMax - b.XMin, b.YMax - b.YMin} {
			rows[k] = append(rows[k], float32(v))
		}
		scores[[]int{0, 2, 0}[i]*detections+i] = []float32{0.9, 0.8, 0.01}[i]
	}
	left, width := bounds(2)
	top, height := bounds(3)
	part := func(length string, k int) string {
		return g.AddNode("Mul", []string{length, g.AddFloats(rows[k], 1, 1, detections)})
	}
	all := g.AddNode("Concat", []string{
		g.AddNode("Add", []string{left, part(width, 0)}), g.AddNode("Add", []string{top, part(height, 1)}),
		part(width, 2), part(height, 3), g.AddNode("Mul", []string{light, g.AddFloats(scores, 1, classes, detections)}),
	}, onnxfile.Int("axis", 1))
	padded := g.AddNode("Pad", []string{all, g.AddInts([]int64{0, 0, 0, 0, 0, columns - detections}, 6), scalar(0)})
	rename(g, padded, "output0", onnxfile.Float, 1, 4+classes, columns)
	return g
}
