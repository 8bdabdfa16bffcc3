package whisper

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/datasets/librispeech"
	"github.com/plumbline-ml/plumbline/internal/parallel"
	"github.com/plumbline-ml/plumbline/sdk"
)

// Names of the conversion's parameters.
const (
	sourceParam = "manifest"
	folderParam = "folder"
)

// repackClips joins LibriSpeech's clips to the benchmark's clips of up to 30 s. Samples and manifest equal those of the
// official repackaging.
func repackClips(ctx context.Context, r sdk.DatasetRequest, progress func(line string)) (done string, err error) {
	folder := r.Params[folderParam]
	if !filepath.IsLocal(folder) || filepath.Clean(folder) == "." {
		return "", sdk.Usage(fmt.Errorf("parameter %s = %q, want a path below OUT", folderParam, folder))
	}
	in, manifest := r.Input, r.Params[sourceParam]
	if info, err := os.Stat(in); err == nil && !info.IsDir() {
		in, manifest = filepath.Split(in)
	}
	progress("reading " + r.Input)
	clips, err := librispeech.Open(ctx, in, librispeech.ClipOptions{Manifest: manifest, Length: readLength})
	if err != nil {
		return "", sdk.Data(err)
	}
	packs := librispeech.PackClips(clips, filepath.ToSlash(folder))
	if len(packs) == 0 {
		return "", sdk.Data(fmt.Errorf("%s: none of its %d clips has %d s or less", r.Input, len(clips), maxSeconds))
	}
	w := packWriter{inFolder: in, outFolder: r.Output, clips: clips, packs: packs, progress: progress}
	if err := w.writePacks(ctx, folder); err != nil {
		return "", err
	}
	return w.summaryText(), nil
}

// packWriter writes packs of clips.
type packWriter struct {
	inFolder, outFolder string // folders
	clips               []librispeech.AudioClip
	packs               []librispeech.ClipPack
	progress            func(line string)
	written             atomic.Int64
}

// writePacks writes the sound files in parallel, and then the manifest. It reports every fault.
func (w *packWriter) writePacks(ctx context.Context, folder string) error {
	if err := os.MkdirAll(filepath.Join(w.outFolder, folder), 0o777); err != nil {
		return err
	}
	faults := make([]error, len(w.packs))
	parallel.Each(ctx, len(w.packs), func(i int) { faults[i] = w.writePack(w.packs[i]) })
	if err := errors.Join(context.Cause(ctx), errors.Join(faults...)); err != nil {
		return err
	}
	made := make([]librispeech.AudioClip, len(w.packs))
	for i, p := range w.packs {
		made[i] = p.AudioClip
	}
	return librispeech.SaveManifest(filepath.Join(w.outFolder, officialManifest), made)
}

// progressInterval is the number of clips between two lines of progress.
const progressInterval = 200

func (w *packWriter) writePack(p librispeech.ClipPack) error {
	samples := make([]int16, 0, p.Samples)
	var faults []error
	for k, i := range p.ClipIndices {
		if k > 0 {
			samples = append(samples, make([]int16, librispeech.GapSamples)...)
		}
		var err error
		samples, err = appendSamples(samples, w.clips[i].FilePath(w.inFolder))
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return sdk.Data(err)
	}
	if n := w.written.Add(1); n%progressInterval == 0 {
		w.progress(fmt.Sprintf("%d of %d clips are written", n, len(w.packs)))
	}
	return os.WriteFile(filepath.Join(w.outFolder, filepath.FromSlash(p.Path)), librispeech.EncodeWAV(samples), 0o666)
}

// appendSamples appends the samples of a file, which must have 16 bits, because others would have to be rounded.
func appendSamples(dst []int16, path string) ([]int16, error) {
	samples, err := readSound(path)
	if err != nil {
		return dst, fmt.Errorf("%s: %w", path, err)
	}
	const full = 1 << 15
	for i, v := range samples {
		whole := int16(max(-full, min(full-1, v*full)))
		if float32(whole) != v*full {
			return dst, fmt.Errorf("%s: sample %d is %v, which is none of 16 bits: convert the file", path, i, v)
		}
		dst = append(dst, whole)
	}
	return dst, nil
}

// summaryText summarizes what was written.
func (w *packWriter) summaryText() string {
	used, seconds := 0, 0.
	for _, p := range w.packs {
		used += len(p.ClipIndices)
		seconds += p.Seconds
	}
	text := fmt.Sprintf("%d clips of %.2f h, made of %d", len(w.packs), seconds/3600, used)
	if left := len(w.clips) - used; left > 0 {
		text += fmt.Sprintf("; %d of more than %d s are left out", left, maxSeconds)
	}
	return text + "; the manifest is " + officialManifest
}
