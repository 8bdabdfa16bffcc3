// Package kitti3d scores the detection of objects in space (pointpainting): average precision of pedestrians, cyclists
// and cars at 11 recalls, as the KITTI benchmark has it, from the payloads of an accuracy log, equal to the official
// script.
//
// In: payloads of an accuracy log, true boxes. Out: reading logs and data sets.
package kitti3d
