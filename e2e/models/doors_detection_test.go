package models

import (
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// detectionDoors are the doors of object detection.
func detectionDoors() []door {
	coco := func(dir string) error { return officialdata.COCO(filepath.Join(dir, "coco")) }
	openImages := func(dir string) error { return officialdata.OpenImages(filepath.Join(dir, "openimages")) }
	cocoLayout := []string{"a folder with annotations/instances_val2017.json and the pictures at FOLDER/val2017/NAME"}
	const mobileNet = ".cache/plumbline/models/ssd-mobilenet/ssd_mobilenet_v1_coco_2018_01_28.onnx"
	scores := map[string]float64{"mAP": officialdata.DetectionMAP}
	yolo := func(model string, also ...form) door {
		return door{
			model: model, data: func(dir string) error { return officialdata.COCOWithLicences(filepath.Join(dir, "coco")) },
			layouts: []string{"a folder with annotations/instances_val2017.json, or instances_val2017_safe.json, and the " +
				"pictures at FOLDER/val2017_safe/NAME"},
			files:  map[string]*onnxfile.Graph{"yolo11l.onnx": tinymodel.YOLO()},
			scores: map[string]map[string]float64{"out/" + model + "-smoke": scores}, also: also,
		}
	}
	rule := func(words string) form {
		return form{"--model yolo11l.onnx --dataset coco_safe --count 20 " + words, scores}
	}
	return []door{
		yolo("yolo-95"), yolo("yolo-99", rule("--param unletterbox=8.4"), rule("--param unletterbox=8.3")),
		{
			model: "retinanet", data: openImages,
			layouts: []string{"a folder with annotations/openimages-mlperf.json (COCO's form; category ids 0 to 263) and the " +
				"pictures at FOLDER/NAME or FOLDER/validation/data/NAME"},
			files: map[string]*onnxfile.Graph{
				".cache/plumbline/models/retinanet/resnext50_32x4d_fpn.onnx": tinymodel.RetinaNet(),
			},
			scores: map[string]map[string]float64{"out/retinanet-smoke": scores},
		},
		{
			model: "ssd-mobilenet", data: coco, layouts: cocoLayout,
			files: map[string]*onnxfile.Graph{
				mobileNet: tinymodel.SSDMobileNet(officialdata.COCOFirst, officialdata.COCOSecond),
			},
			scores: map[string]map[string]float64{"out/ssd-mobilenet-smoke": scores},
		},
		{
			model: "ssd-resnet34", data: coco, layouts: cocoLayout,
			files: map[string]*onnxfile.Graph{
				".cache/plumbline/models/ssd-resnet34/resnet34-ssd1200.onnx":      tinymodel.SSDResNet34(),
				".cache/plumbline/models/ssd-resnet34/ssd_resnet34_mAP_20.2.onnx": tinymodel.SSDResNet34TF(),
			},
			scores: map[string]map[string]float64{"out/ssd-resnet34-smoke": scores, "out/ssd-resnet34-tf-smoke": scores},
		},
	}
}

// pointpaintingDoors are the doors of 3D object detection.
func pointpaintingDoors() []door {
	const models = "models/pointpainting/"
	scores := map[string]float64{"mAP": officialdata.WaymoMAP}
	return []door{{
		model: "pointpainting",
		data:  func(dir string) error { return officialdata.Waymo(filepath.Join(dir, "waymo", "kitti_format")) },
		layouts: []string{"a folder (kitti_format, or its parent) with waymo_infos_val.pkl, read without Python, " +
			"training/velodyne/NAME.bin and training/image_0 to image_4/IMAGE.jpg"},
		files: map[string]*onnxfile.Graph{
			models + "deeplabv3+.onnx": tinymodel.DeepLab(), models + "pp.onnx": tinymodel.PointPillars(),
		},
		scores: map[string]map[string]float64{"out/pointpainting-smoke": scores},
		also:   []form{{"--model models/pointpainting --dataset waymo/kitti_format --param load=files", scores}},
	}}
}
