// Package model holds the embedded model of the retinanet benchmark: a small network of the RetinaNet family, trained by
// the script beside it on package datasets/synthetic/scenes, with the interface of the official RetinaNet.
//
//	input   images  float32 1,3,160,160  RGB of 0 to 1
//	output  boxes   float32 N,4          xmin, ymin, xmax, ymax in pixels of the input
//	output  scores  float32 N            of 0.05 to 1, falling; N is at most 100, and may be 0
//	output  labels  int64   N            class
//
// README.md is the model card; [Card] is its figures.
//
// In: the bytes of the files and what is known of them.
// Out: running them.
package model
