// Package kitti3d scores 3D object detection (pointpainting). It computes the KITTI benchmark's average precision of
// pedestrians, cyclists and cars at 11 recall values from the payloads of an accuracy log. The results equal those of
// the official script.
//
// In scope: payloads of an accuracy log, true boxes. Out of scope: reading logs and data sets.
package kitti3d
