// Package retinanet is the object-detection benchmark: the models retinanet on OpenImages, ssd-mobilenet and ssd-resnet34
// on COCO, and an embedded network on scenes that the project draws.
//
// In: the manifest, which pictures and which model file a run uses, preprocessing into the model's input, the detections
// that its outputs stand for, and the true boxes to score against.
// Out: inference (a backend, linked by the plugin's main), image transforms (preprocess/image), the metric
// (accuracy/coco), downloads (fetch).
package retinanet
