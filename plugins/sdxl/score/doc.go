// Package score judges the pictures of an accuracy log as the official script does: CLIP_SCORE and FID_SCORE.
//
// In: entries one after the other, of which only the features are kept: 41 MB for 5,000 pictures, whatever the log's
// size. Out: running the networks (Networks), reading logs and the files of the data set.
package score

import "errors"

// ErrPayload is a payload that is no picture of the size wanted, found with errors.Is.
var ErrPayload = errors.New("the accuracy log holds a payload that is no picture")
