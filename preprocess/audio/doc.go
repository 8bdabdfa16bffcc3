// Package audio converts sound files to samples, and samples to the input features of speech recognition models.
//
// Input: bytes of a WAV or FLAC file. Output: samples as float32 in -1..1, equal to libsndfile's, and their features
// for RNN-T ([RNNT]) and Whisper ([LogMel]), equal to the reference's within its rounding (sums are float64 here), and
// for transducers of other toolkits ([NeMo], [Kaldi]).
//
// The package does no I/O, starts no goroutine and keeps no global state. Functions are safe for concurrent use. An
// RNNT, LogMel, NeMo or Kaldi must not be shared by goroutines.
package audio

import "errors"

// SampleRate is the sample rate of all benchmarks' speech in Hz.
const SampleRate = 16000

// Kinds of errors; errors.Is finds them.
var (
	ErrFormat = errors.New("audio: not a WAV or FLAC file")
	// a variant of a known format that is not supported
	ErrUnsupported = errors.New("audio: unsupported kind of sound file")
	ErrDamaged     = errors.New("audio: damaged or cut off")
	ErrSpeech      = errors.New("audio: not speech as the benchmarks have it") // a different rate or number of channels
	ErrShort       = errors.New("audio: clip too short for features")
)
