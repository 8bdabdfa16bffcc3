// Package fid computes the Fréchet distance between the features of two sets of pictures. It equals the official
// script's FID_SCORE (Heusel and others, "GANs Trained by a Two Time-Scale Update Rule Converge to a Local Nash
// Equilibrium", 2017).
//
// In scope: features that a network computed from pictures, and the statistics of the real pictures. Out of scope: the
// network, its input (preprocess/image, Inception), and files of statistics.
package fid

import "errors"

// The errors that this package returns, for use with errors.Is.
var (
	ErrFeatures   = errors.New("features of pictures")
	ErrStatistics = errors.New("statistics of features")
)
