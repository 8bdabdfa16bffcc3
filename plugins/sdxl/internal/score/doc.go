// Package score computes CLIP_SCORE and FID_SCORE of the pictures in an accuracy log, like the official script.
//
// In scope: entries one after the other. Only their features are kept, 41 MB for 5,000 pictures whatever the log's
// size. Out of scope: running the networks (Networks), reading logs and the files of the data set.
package score

import "errors"

// ErrPayload means that a payload is not a picture of the required size; errors.Is finds it.
var ErrPayload = errors.New("the accuracy log holds a payload that is no picture")
