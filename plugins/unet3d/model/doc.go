// Package model holds the embedded model of the unet3d benchmark: a small 3D U-Net, trained by the script beside it on
// package datasets/synthetic/volumes, with the tensors of the official 3dunet_kits19_128x128x128.onnx at a smaller size.
//
//	input   input   float32 N,1,32,32,32   Hounsfield units clipped to -79..304, less 101, divided by 76.9
//	output  output  float32 N,3,32,32,32   scores of background, kidney and tumour
//
// README.md is the model card; [Card] is its figures.
//
// In: the bytes of the files and what is known of them.
// Out: running them.
package model
