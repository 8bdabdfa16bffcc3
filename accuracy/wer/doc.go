// Package wer scores speech recognition. It computes the word error rate of RNN-T on LibriSpeech and of Whisper, equal
// to those of their official scripts, which clean and align words in different ways.
//
// In scope: payloads of an accuracy log, and the transcripts of the data set. Out of scope: reading logs and data sets
// (the caller).
package wer

import "errors"

// The errors that this package returns, for use with errors.Is.
var (
	ErrIndex      = errors.New("the accuracy log names a sample outside the data set")
	ErrPayload    = errors.New("the accuracy log holds a payload that is no text")
	ErrNoWords    = errors.New("the references hold no word")
	ErrTranscript = errors.New("a transcript that the official script drops")
)
