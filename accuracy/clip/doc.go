// Package clip computes how well generated pictures fit their captions, by CLIP. The score equals the official script's
// CLIP_SCORE.
//
// In scope: features of pictures and captions from the two halves of a CLIP model. Out of scope: the model, and its
// inputs (preprocess/image's OpenCLIP and preprocess/text/clip).
package clip

import "errors"

// Errors of this package, found with errors.Is.
var (
	ErrIndex     = errors.New("the accuracy log names a sample outside the data set")
	ErrFeatures  = errors.New("features that have no angle")
	ErrNoSamples = errors.New("the accuracy log holds no sample")
)
