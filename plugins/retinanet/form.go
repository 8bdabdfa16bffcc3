package retinanet

import (
	"github.com/plumbline-ml/plumbline/plugins/internal/detection"
	"github.com/plumbline-ml/plumbline/preprocess/image"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// formChoice selects the form of a model file.
type formChoice struct {
	Form exportForm `param:"form"`
}

// exportForm describes the inputs and outputs of an exported network. Parameters may override its fields.
type exportForm struct {
	Recipe recipeMaker  `param:"preprocess,optional"`
	Layout image.Layout `param:"layout,optional" choices:"nchw,nhwc"`
	// of each side, in pixels; at the maximum, a picture has 200 MB of float32
	Size        int           `param:"size,optional" min:"1" max:"4096"`
	Input       string        `param:"input,optional"`
	ElementType backend.DType `param:"input_type"` // type of the input
	OutputNames string        `param:"outputs"`    // names of the outputs, separated by commas; empty: the form's names
	pixels      bool          // boxes are in pixels of the input instead of fractions of its sides
	detection.ModelOutputs
}

// recipeMaker returns the preprocessing for pictures of a size.
type recipeMaker func(size int, l image.Layout) image.Stretch

// exportForms returns the official exports by name.
func exportForms() map[string]exportForm {
	return map[string]exportForm{
		"retinanet": {
			Recipe: image.Retinanet, Layout: image.NCHW, Size: 800, Input: "images",
			ModelOutputs: detection.ModelOutputs{Boxes: "boxes", Scores: "scores", Labels: "labels", Threshold: 0.05},
			pixels:       true,
		},
		"ssd-mobilenet": {
			Recipe: namedRecipes()["coco_mobilenet"], Layout: image.NHWC, Size: 300, Input: "image_tensor:0",
			ModelOutputs: detection.ModelOutputs{ // no threshold, because the model counts its detections
				Boxes: "detection_boxes:0", Scores: "detection_scores:0", Labels: "detection_classes:0",
				Count: "num_detections:0", YFirst: true,
			},
		},
		"ssd-resnet34": {
			Recipe: image.CocoResnet34, Layout: image.NCHW, Size: 1200, Input: "image",
			ModelOutputs: detection.ModelOutputs{Boxes: "bboxes", Scores: "scores", Labels: "labels", Threshold: 0.5},
		},
		"ssd-resnet34-tf": {
			Recipe: image.CocoResnet34TF, Layout: image.NHWC, Size: 1200, Input: "image:0",
			ModelOutputs: detection.ModelOutputs{
				Boxes: "detection_bboxes:0", Scores: "detection_scores:0", Labels: "detection_classes:0",
				YFirst: true, Threshold: 0.05,
			},
		},
	}
}
