package whisper

import (
	"context"
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/datasets/librispeech"
	"github.com/plumbline-ml/plumbline/internal/synthetic/speech"
	"github.com/plumbline-ml/plumbline/preprocess/audio"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// clipSet is a data set of recordings with their transcripts. It is read-only.
type clipSet interface {
	Len() int
	Transcript(i int) string
	// Sound returns clip i: 16 kHz, one channel, from -1 to 1. The caller owns it.
	Sound(i int) ([]float32, error)
}

const (
	officialManifest = "dev-all-repack.json"
	maxSeconds       = 30 // per clip
)

// openClips opens LibriSpeech or the synthetic data set. Scoring a finished run needs only the transcripts.
func openClips(ctx context.Context, r *manifest.Request) clipSet {
	if r.Dataset == "" {
		all := planPacks()
		return all[:r.SampleCount(len(all), "clips")]
	}
	o := librispeech.ClipOptions{Manifest: officialManifest, MaxSeconds: maxSeconds, Length: readLength, Count: r.Count}
	list, err := librispeech.Open(ctx, r.Dataset, o)
	if err != nil && r.Scoring && !errors.Is(err, context.Canceled) {
		o.Length = nil
		if known, again := librispeech.Open(ctx, r.Dataset, o); again == nil {
			list, err = known, nil
		}
	}
	if err != nil {
		r.AddFault(sdk.Data(err))
		return nil
	}
	r.SampleCount(len(list), "clips")
	return &folderClips{r.Dataset, list}
}

// readLength returns the number of samples in a file.
func readLength(path string) (int, error) {
	samples, err := readSound(path)
	return len(samples), err
}

// maxFileBytes limits the size of a sound file; 30 s need 1 MB.
const maxFileBytes = 64 << 20

// readSound reads the samples of a file.
func readSound(path string) ([]float32, error) {
	data, err := backend.ReadFile(path, maxFileBytes)
	if err != nil {
		return nil, err
	}
	samples, err := audio.DecodeSpeech(data)
	if err != nil {
		return nil, err
	}
	if len(samples) == 0 {
		return nil, errors.New("it has no samples")
	}
	return samples, nil
}

// folderClips contains the clips of a folder.
type folderClips struct {
	folder string
	list   []librispeech.AudioClip
}

func (r *folderClips) Len() int                { return len(r.list) }
func (r *folderClips) Transcript(i int) string { return r.list[i].Transcript }

func (r *folderClips) Sound(i int) ([]float32, error) {
	path := r.list[i].FilePath(r.folder)
	samples, err := readSound(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return samples, nil
}

// drawnPacks contains packs of synthetic clips, made like LibriSpeech's: consecutive clips of a chapter, up to 30 s.
type drawnPacks []librispeech.ClipPack

// drawnPackCount is the number of packs in the synthetic evaluation set.
const drawnPackCount = 50

// planPacks plans all packs.
func planPacks() drawnPacks {
	set := speech.Eval()
	clips := make([]librispeech.AudioClip, set.Len())
	for i := range clips {
		clips[i] = librispeech.AudioClip{Path: set.Name(i), Transcript: set.Transcript(i), Samples: set.Length(i)}
	}
	return librispeech.PackClips(clips, "")
}

func (d drawnPacks) Len() int                { return len(d) }
func (d drawnPacks) Transcript(i int) string { return d[i].Transcript }

// Sound generates the clips of a pack, with silence between them.
func (d drawnPacks) Sound(i int) ([]float32, error) {
	samples := make([]float32, 0, d[i].Samples)
	for k, clip := range d[i].ClipIndices {
		if k > 0 {
			samples = append(samples, make([]float32, librispeech.GapSamples)...)
		}
		for _, v := range speech.Eval().Draw(clip).Samples {
			samples = append(samples, float32(v)/(1<<15))
		}
	}
	return samples, nil
}
