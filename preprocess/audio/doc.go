// Package audio turns sound files into samples, and samples into the input features of speech recognition models.
//
// Input: bytes of a WAV or FLAC file. Output: samples as float32 in -1..1, equal to libsndfile's, and their features
// for RNN-T ([RNNT]) and Whisper ([LogMel]), equal to the reference's within its rounding (sums are float64 here), and
// for transducers of other toolkits ([NeMo], [Kaldi]).
//
// The package does no I/O, starts no goroutine and keeps no global state. Functions are safe for concurrent use. An
// RNNT, LogMel, NeMo or Kaldi must not be shared by goroutines.
package audio

import "errors"

// SampleRate is the rate of every benchmark's speech, in samples per second.
const SampleRate = 16000

// The kinds of failure, found by errors.Is.
var (
	ErrFormat      = errors.New("audio: not a WAV or FLAC file")
	ErrUnsupported = errors.New("audio: unsupported kind of sound file") // a variant of a known format that is not read
	ErrDamaged     = errors.New("audio: damaged or cut off")
	ErrSpeech      = errors.New("audio: not speech as the benchmarks have it") // another rate, other channels
	ErrShort       = errors.New("audio: clip too short for features")
)
