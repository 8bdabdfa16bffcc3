package whisper

import (
	"context"
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/datasets/librispeech"
	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/internal/synthetic/speech"
	"github.com/plumbline-ml/plumbline/preprocess/audio"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// clips are a data set: recordings, and what is said in them. They are read-only.
type clips interface {
	Len() int
	Transcript(i int) string
	// Sound is clip i: 16 kHz, one channel, from -1 to 1. The caller owns it.
	Sound(i int) ([]float32, error)
}

const (
	officialManifest = "dev-all-repack.json"
	mostSeconds      = 30 // of a clip
)

// openClips opens the data set of a request: LibriSpeech, or the synthetic one. To score a finished run, transcripts
// are enough.
func openClips(ctx context.Context, r *manifest.Request) clips {
	if r.Dataset == "" {
		all := pack()
		return all[:r.First(len(all), "clips")]
	}
	o := librispeech.Options{Manifest: officialManifest, MostSeconds: mostSeconds, Length: length, Count: r.Count}
	list, err := librispeech.Open(ctx, r.Dataset, o)
	if err != nil && r.Scoring && !errors.Is(err, context.Canceled) {
		o.Length = nil
		if known, again := librispeech.Open(ctx, r.Dataset, o); again == nil {
			list, err = known, nil
		}
	}
	if err != nil {
		r.Fault(sdk.Data(err))
		return nil
	}
	r.First(len(list), "clips")
	return &recorded{r.Dataset, list}
}

// length is the number of samples of a file, which is read for it.
func length(path string) (int, error) {
	samples, err := read(path)
	return len(samples), err
}

// mostFile bounds a sound file: 30 s need 1 MB.
const mostFile = 64 << 20

// read is the sound of a file.
func read(path string) ([]float32, error) {
	data, err := backend.ReadFile(path, mostFile)
	if err != nil {
		return nil, err
	}
	samples, err := audio.Speech(data)
	if err != nil {
		return nil, err
	}
	if len(samples) == 0 {
		return nil, errors.New("it has no samples")
	}
	return samples, nil
}

// recorded are the clips of a folder.
type recorded struct {
	folder string
	list   []librispeech.Clip
}

func (r *recorded) Len() int                { return len(r.list) }
func (r *recorded) Transcript(i int) string { return r.list[i].Transcript }

func (r *recorded) Sound(i int) ([]float32, error) {
	path := r.list[i].File(r.folder)
	samples, err := read(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return samples, nil
}

// drawn are clips of the synthetic set, packed as LibriSpeech's are: those of a chapter one after the other, as many as
// 30 s hold.
type drawn []librispeech.Pack

// drawnClips is how many packs the evaluation set makes.
const drawnClips = 50

// pack plans all packs.
func pack() drawn {
	set := speech.Eval()
	return librispeech.Repack(lists.Make(set.Len(), func(i int) librispeech.Clip {
		return librispeech.Clip{Path: set.Name(i), Transcript: set.Transcript(i), Samples: set.Length(i)}
	}), "")
}

func (d drawn) Len() int                { return len(d) }
func (d drawn) Transcript(i int) string { return d[i].Transcript }

// Sound draws the clips of a pack, with silence between them.
func (d drawn) Sound(i int) ([]float32, error) {
	samples := make([]float32, 0, d[i].Samples)
	for k, clip := range d[i].Of {
		if k > 0 {
			samples = append(samples, make([]float32, librispeech.GapSamples)...)
		}
		for _, v := range speech.Eval().Draw(clip).Samples {
			samples = append(samples, float32(v)/(1<<15))
		}
	}
	return samples, nil
}
