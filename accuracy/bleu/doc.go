// Package bleu scores translations with two metrics: BLEU of GNMT's reference script, and sacreBLEU.
//
// GNMT's script splits words at single spaces and does not smooth. sacreBLEU has its own tokenization and smooths
// orders without a match. Both follow Papineni et al., BLEU: a Method for Automatic Evaluation of Machine Translation,
// 2002, with one reference for each translation.
//
// In scope: texts, and payloads of an accuracy log. Out of scope: reading logs and data sets (the caller).
package bleu

import "errors"

// The errors that this package returns, for use with errors.Is.
var (
	ErrIndex     = errors.New("the accuracy log names a sample outside the data set")
	ErrPayload   = errors.New("the accuracy log holds payloads that are not text")
	ErrNoSamples = errors.New("the accuracy log holds no sample")
	ErrLines     = errors.New("translations and references are not equally many")
	ErrOption    = errors.New("unknown option of sacreBLEU")
)
