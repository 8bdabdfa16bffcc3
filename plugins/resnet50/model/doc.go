// Package model holds the embedded model of the resnet50 benchmark: a small network of the ResNet family, trained by
// the script beside it on package datasets/synthetic, with the interface of the official resnet50_v1.onnx.
//
//	input   input_tensor:0    float32 N,3,224,224   RGB of 0 to 255, channel means 123.68, 116.78, 103.94 subtracted
//	output  ArgMax:0          int64   N             class + 1
//	output  softmax_tensor:0  float32 N,classes+1   probabilities; column 0, the background, is always 0
//
// README.md is the model card; [Card] is its figures.
//
// In: the bytes of the files and what is known of them.
// Out: running them.
package model
