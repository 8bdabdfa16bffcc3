package retinanet

import "github.com/plumbline-ml/plumbline/preprocess/image"

// form is how an exported network takes pictures and gives detections.
type form struct {
	preprocess string
	layout     image.Layout
	size       int // height and width of the input, in pixels
	input      string
	// Names of the outputs. An empty count means that there is none: all detections of the others are meant.
	boxes, scores, labels, count string
	corners                      corners
	threshold                    float64 // detections end at the first score below
}

// corners is what the four values of a box are.
type corners struct {
	yFirst bool // ymin, xmin, ymax, xmax instead of xmin, ymin, xmax, ymax
	pixels bool // of the input, instead of shares of its sides
}

// forms are the official exports by name.
func forms() map[string]form {
	return map[string]form{
		"retinanet": {
			preprocess: "retinanet", layout: image.NCHW, size: 800, input: "images",
			boxes: "boxes", scores: "scores", labels: "labels",
			corners: corners{pixels: true}, threshold: 0.05,
		},
		"ssd-mobilenet": {
			preprocess: "coco_mobilenet", layout: image.NHWC, size: 300, input: "image_tensor:0",
			boxes: "detection_boxes:0", scores: "detection_scores:0", labels: "detection_classes:0", count: "num_detections:0",
			corners: corners{yFirst: true}, // no threshold: the model counts its detections
		},
		"ssd-resnet34": {
			preprocess: "coco_resnet34", layout: image.NCHW, size: 1200, input: "image",
			boxes: "bboxes", scores: "scores", labels: "labels",
			threshold: 0.5,
		},
		"ssd-resnet34-tf": {
			preprocess: "coco_resnet34_tf", layout: image.NHWC, size: 1200, input: "image:0",
			boxes: "detection_bboxes:0", scores: "detection_scores:0", labels: "detection_classes:0",
			corners: corners{yFirst: true}, threshold: 0.05,
		},
	}
}
