// Package resnet50 is the image-classification benchmark: the models resnet50 and mobilenet on ImageNet, and an embedded
// network on pictures that the project draws.
//
// In: the manifest, which pictures and which model file a run uses, preprocessing into the model's input, the class
// that each output row stands for, and the labels to score against.
// Out: inference (a backend, linked by the plugin's main), image transforms (preprocess/image), the metric
// (accuracy/topk), downloads (fetch).
package resnet50
