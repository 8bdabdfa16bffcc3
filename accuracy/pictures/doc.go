// Package pictures scores generated pictures, from the features that networks computed of them. [Distance] is the
// Fréchet distance between the features of generated and real pictures; it equals the official script's FID_SCORE
// (Heusel and others, "GANs Trained by a Two Time-Scale Update Rule Converge to a Local Nash Equilibrium", 2017).
// [CaptionScorer] computes how well pictures fit their captions, by CLIP; its score equals the official script's
// CLIP_SCORE.
//
// In scope: features of pictures and captions, and the statistics of the real pictures. Out of scope: the networks,
// their inputs (preprocess/image's Inception and OpenCLIP, and preprocess/text/clip), and files of statistics.
package pictures

import "errors"

// The errors that this package returns, for use with errors.Is.
var (
	ErrFeatures   = errors.New("features of pictures")
	ErrStatistics = errors.New("statistics of features")
	ErrAngle      = errors.New("features that have no angle")
	ErrIndex      = errors.New("the accuracy log names a sample outside the data set")
	ErrNoSamples  = errors.New("the accuracy log holds no sample")
)
