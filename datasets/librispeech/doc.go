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

// ErrDataset is what every error of this package is: a data set that is missing or wrong.
var ErrDataset = errors.New("speech data set")

// FaultError contains all faults of a data set; errors.As finds it in the error of Open.
type FaultError = fault.DatasetError

// Rate is the number of samples per second of all clips.
const Rate = 16000

// AudioClip is one recording.
type AudioClip struct {
	Path       string  // of its file, below the data set's folder or absolute
	Transcript string  // as the data set has it
	Seconds    float64 // what the manifest says, and limits apply to
	Samples    int     // what the manifest says; 0: it does not say
}

// ClipOptions selects the clips to read.
type ClipOptions struct {
	// Manifest is the name of the manifest in the folder; where the folder does not have it, its transcripts are read.
	Manifest string
	// MostSeconds leaves out clips that are longer, as the benchmarks do: 15 of RNN-T, 30 of Whisper. 0: none.
	MostSeconds float64
	// Keep says of a transcript whether its clip is one of the data set; nil: all are.
	Keep func(transcript string) bool
	// Length is the number of samples of a sound file at Rate in one channel, or what is wrong with it. It is called
	// from many goroutines. Lengths that a manifest says are held to it; nil leaves the files unchecked: to score a
	// finished run, the transcripts are enough, of a manifest.
	Length func(path string) (samples int, err error)
	// Count uses only the first clips; 0: all.
	Count int
}
