// Package unet3d is the medical-segmentation benchmark.
package unet3d
