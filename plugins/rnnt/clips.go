package rnnt

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/accuracy/wer"
	"github.com/plumbline-ml/plumbline/datasets/librispeech"
	"github.com/plumbline-ml/plumbline/internal/synthetic/speech"
	"github.com/plumbline-ml/plumbline/preprocess/audio"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// clipSet is a data set, generated or read. Its methods may be called concurrently.
type clipSet interface {
	Len() int
	Name(i int) string
	// Transcript returns the transcript of clip i, unchanged from the data set.
	Transcript(i int) string
	// Samples returns the samples of clip i at 16,000 Hz, in -1..1. The caller owns them.
	Samples(i int) ([]float32, error)
}

// drawnClips contains the embedded clips.
type drawnClips struct{ speech.Set }

func (d drawnClips) Samples(i int) ([]float32, error) {
	clip := d.Draw(i)
	samples := make([]float32, len(clip.Samples))
	for k, v := range clip.Samples {
		samples[k] = float32(v) / (1 << 15)
	}
	return samples, nil
}

// fileClips contains clips in files.
type fileClips struct {
	dir string
	all []librispeech.AudioClip
}

func (r fileClips) Len() int                { return len(r.all) }
func (r fileClips) Name(i int) string       { return r.all[i].Path }
func (r fileClips) Transcript(i int) string { return r.all[i].Transcript }

func (r fileClips) Samples(i int) ([]float32, error) { return readSpeech(r.all[i].FilePath(r.dir)) }

// maxFileBytes limits the size of a sound file; 15 s need half a megabyte.
const maxFileBytes = 64 << 20

// readSpeech reads a clip that is long enough to have features.
func readSpeech(path string) ([]float32, error) {
	file, err := backend.ReadFile(path, maxFileBytes)
	if err != nil {
		return nil, err
	}
	samples, err := audio.DecodeSpeech(file)
	if err != nil {
		return nil, err
	}
	if len(samples) < audio.RNNTMinSamples {
		return nil, fmt.Errorf("%w: %d samples, want %d or more; of fewer than 257 the reference fails, and of up to 480 "+
			"its features are NaN", audio.ErrShort, len(samples), audio.RNNTMinSamples)
	}
	return samples, nil
}

// clipSource contains the parameters of a data set.
type clipSource struct {
	Manifest    string  `param:"manifest"`
	MaxDuration float64 `param:"max_duration" min:"0" max:"2147483647"` // in seconds
}

// logSettings determines how payloads are read.
type logSettings struct {
	DType accuracy.DType `param:"dtype"`
}

// openClips opens the clips of a run. It checks the whole data set, and the fault lists every invalid file. For
// scoring, a manifest is enough.
func openClips(ctx context.Context, r *manifest.Request) clipSet {
	var s clipSource
	r.Bind(&s)
	if r.Dataset == "" {
		set := speech.Eval()
		set.N = r.SampleCount(set.N, "clips")
		return drawnClips{set}
	}
	o := librispeech.ClipOptions{Manifest: s.Manifest, MaxSeconds: s.MaxDuration, Keep: isKeptTranscript,
		Length: readLength,
		Count:  r.Count}
	if _, err := os.Stat(filepath.Join(r.Dataset, s.Manifest)); r.Scoring && err == nil {
		o.Length = nil
	}
	all, err := librispeech.Open(ctx, r.Dataset, o)
	if err != nil {
		r.AddFault(sdk.Data(err))
		return nil
	}
	r.SampleCount(len(all), "clips")
	return fileClips{r.Dataset, all}
}

// isKeptTranscript reports whether the official script keeps a clip with this transcript.
func isKeptTranscript(transcript string) bool {
	_, err := wer.CleanTranscript(transcript)
	return err == nil
}

func readLength(path string) (int, error) {
	samples, err := readSpeech(path)
	return len(samples), err
}
