package models

import (
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// classifierDoors are the doors of image classification.
func classifierDoors() []door {
	imageNet := func(dir string) error { return officialdata.ImageNet(filepath.Join(dir, "imagenet")) }
	layouts := []string{`a folder with val_map.txt (lines "NAME LABEL", label 0..999) and the pictures at FOLDER/NAME`}
	scores := map[string]float64{"accuracy": officialdata.ImageNetAccuracy}
	return []door{
		{
			model: "resnet50", data: imageNet, layouts: layouts, whole: true,
			files:  map[string]*onnxfile.Graph{".cache/plumbline/models/resnet50/resnet50_v1.onnx": tinymodel.ResNet50()},
			scores: map[string]map[string]float64{"out/resnet50-smoke": scores},
		},
		{
			model: "mobilenet", data: imageNet, layouts: layouts,
			files: map[string]*onnxfile.Graph{
				".cache/plumbline/models/mobilenet/mobilenet_v1_1.0_224.onnx": tinymodel.MobileNet(),
			},
			scores: map[string]map[string]float64{"out/mobilenet-smoke": scores},
		},
	}
}
