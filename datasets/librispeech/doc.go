// Package librispeech reads data sets of read speech in the layouts of the benchmarks' LibriSpeech:
//
//	DIR/NAME.json                    a manifest: clips with their files, durations and transcripts
//	DIR/.../SPEAKER-CHAPTER.trans.txt lines "ID TEXT", beside ID.wav or ID.flac: LibriSpeech as it is distributed
//
// and plans the repackaging of clips into longer ones.
//
// In scope: finding clips, their transcripts and lengths, writing manifests. Out of scope: decoding sound. The caller
// does that and reports a file's length.
package librispeech

import (
	"errors"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
)

// ErrDataset is wrapped by every error of this package. It means that a data set is missing or invalid.
var ErrDataset = errors.New("speech data set")

// FaultError contains all faults of a data set; errors.As finds it in the error of Open.
type FaultError = fault.DatasetError

// SampleRate is the sample rate of all clips in Hz.
const SampleRate = 16000

// AudioClip is a recording.
type AudioClip struct {
	Path       string  // path of the file, relative to the data set's folder or absolute
	Transcript string  // unchanged from the data set
	Seconds    float64 // duration in the manifest, to which limits apply
	Samples    int     // number of samples in the manifest; 0: unknown
}

// ClipOptions selects the clips to read.
type ClipOptions struct {
	// Manifest is the name of the manifest in the folder. If the file does not exist, the folder's transcripts are read
	// instead.
	Manifest string
	// MaxSeconds excludes longer clips, as the benchmarks do: 15 s for RNN-T, 30 s for Whisper. 0: no limit.
	MaxSeconds float64
	// Keep reports whether a clip with this transcript belongs to the data set. nil: all belong to it.
	Keep func(transcript string) bool
	// Length returns the number of samples of a one-channel sound file at SampleRate, or an error. It is called from
	// several goroutines. The lengths in a manifest must agree with it. If it is nil, files are not checked; a manifest's
	// transcripts are enough to score a finished run.
	Length func(path string) (samples int, err error)
	// Count limits the data set to its first Count clips. 0: all.
	Count int
}
