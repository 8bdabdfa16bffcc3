package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/librispeech"
	"github.com/plumbline-ml/plumbline/internal/synthetic/speech"
)

// speechName is the name of the manifest and of the folder of clips in RNN-T's data set.
const speechName = "dev-clean-wav"

// Speech writes clips to the folder dir as RNN-T's data set: dev-clean-wav.json, and the clips as WAV files below
// dev-clean-wav.
func Speech(ctx context.Context, dir string, set speech.Set, first, end int) error {
	if err := inRange(first, end, set.Len()); err != nil {
		return err
	}
	clips := make([]librispeech.AudioClip, end-first)
	err := onAllCores(ctx, first, end, func(i int) error {
		c := set.Draw(i)
		part := strings.Split(set.Name(i), "-")
		name := path.Join(speechName, part[0], part[1], set.Name(i)+".wav")
		clips[i-first] = librispeech.AudioClip{Path: name, Transcript: c.Transcript, Samples: len(c.Samples)}
		file := filepath.Join(dir, filepath.FromSlash(name))
		return errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, librispeech.EncodeWAV(c.Samples),
			0o666))
	})
	if err != nil {
		return fmt.Errorf("write the clips: %w", err)
	}
	return writeFile(filepath.Join(dir, speechName+".json"), func(w io.Writer) error {
		return librispeech.WriteManifest(w, clips)
	})
}
