package librispeech

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/internal/parallel"
)

// Open reads the clips of a folder, in the benchmark's order of samples: the order of the manifest, or of the paths of
// the transcript files. The error is a [*FaultError] that lists every fault; it wraps ErrDataset.
func Open(ctx context.Context, dir string, o ClipOptions) ([]AudioClip, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%w: %s is not a folder: want one with %s, or with transcripts *.trans.txt", ErrDataset, dir,
			o.Manifest)
	}
	var faults fault.FaultList
	path := filepath.Join(dir, o.Manifest)
	clips, err := readManifest(path, &faults)
	stated := err == nil
	if errors.Is(err, fs.ErrNotExist) {
		path = dir
		clips, err = readTranscripts(dir, &faults)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDataset, err)
	}
	if !stated {
		clips = measureClips(ctx, dir, clips, o, &faults)
	}
	clips = selectClips(clips, o)
	if stated && o.Length != nil {
		checkLengths(ctx, dir, clips, o, &faults)
	}
	if len(clips) == 0 && faults.Len() == 0 {
		faults.Addf("", "it has no clip%s", describeLimit(o.MaxSeconds))
	}
	if err := errors.Join(ctx.Err(), faults.Err(ErrDataset, path)); err != nil {
		return nil, err
	}
	return clips, nil
}

func describeLimit(seconds float64) string {
	if seconds == 0 {
		return ""
	}
	return fmt.Sprintf(" of %v s or less", seconds)
}

// FilePath returns the path of the clip's file in the data set's folder dir.
func (c AudioClip) FilePath(dir string) string {
	if filepath.IsAbs(c.Path) {
		return c.Path
	}
	return filepath.Join(dir, filepath.FromSlash(c.Path))
}

// selectClips returns the first o.Count clips that belong to the data set.
func selectClips(clips []AudioClip, o ClipOptions) []AudioClip {
	var list []AudioClip
	for _, c := range clips {
		if o.Count > 0 && len(list) == o.Count {
			break
		}
		if (o.MaxSeconds == 0 || c.Seconds <= o.MaxSeconds) && (o.Keep == nil || o.Keep(c.Transcript)) {
			list = append(list, c)
		}
	}
	return list
}

// measureClips returns the clips with the length of their files. Clips with invalid files are left out and reported as
// faults.
func measureClips(ctx context.Context, dir string, clips []AudioClip, o ClipOptions,
	faults *fault.FaultList) []AudioClip {
	if o.Length == nil {
		faults.Addf("", "it has no %s, and the clips' lengths are not known without their files", o.Manifest)
		return nil
	}
	problems := make([]error, len(clips))
	parallel.Each(ctx, len(clips), func(i int) {
		clips[i].Samples, problems[i] = o.Length(clips[i].FilePath(dir))
		clips[i].Seconds = float64(clips[i].Samples) / SampleRate
	})
	var sound []AudioClip
	for i, c := range clips {
		if problems[i] != nil {
			faults.Addf(c.Path, "%v", problems[i])
			continue
		}
		sound = append(sound, c)
	}
	return sound
}

// checkLengths compares the lengths in a manifest with the files.
func checkLengths(ctx context.Context, dir string, clips []AudioClip, o ClipOptions, faults *fault.FaultList) {
	problems := make([]string, len(clips))
	parallel.Each(ctx, len(clips), func(i int) {
		samples, err := o.Length(clips[i].FilePath(dir))
		switch {
		case err != nil:
			problems[i] = err.Error()
		case clips[i].Samples != 0 && clips[i].Samples != samples:
			problems[i] = fmt.Sprintf("%d samples, the manifest says %d", samples, clips[i].Samples)
		case math.Abs(clips[i].Seconds-float64(samples)/SampleRate) > 0.01:
			problems[i] = fmt.Sprintf("%v s, the manifest says %v", float64(samples)/SampleRate, clips[i].Seconds)
		}
		clips[i].Samples = samples
	})
	for i, problem := range problems {
		if problem != "" {
			faults.Addf(clips[i].Path, "%s", problem)
		}
	}
}
