// Package clip measures with a CLIP model how well generated pictures match their captions. The score equals the
// official script's CLIP_SCORE.
//
// In scope: features of pictures and captions from the two halves of a CLIP model. Out of scope: the model, and its
// inputs (preprocess/image's OpenCLIP and preprocess/text/clip).
package clip

import "errors"

// The errors that this package returns, for use with errors.Is.
var (
	ErrIndex     = errors.New("the accuracy log names a sample outside the data set")
	ErrFeatures  = errors.New("features that have no angle")
	ErrNoSamples = errors.New("the accuracy log holds no sample")
)
