// Package kitti3d scores the detection of objects in space (pointpainting). It computes the KITTI benchmark's average
// precision of pedestrians, cyclists and cars at 11 recalls from the payloads of an accuracy log, equal to the official
// script.
//
// In scope: payloads of an accuracy log, true boxes. Out of scope: reading logs and data sets.
package kitti3d
