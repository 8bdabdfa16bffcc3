package librispeech

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// readTranscripts reads the files of transcripts below a folder, in the order of their paths, and finds the sound
// files. It converts transcripts to lower case, as in the benchmarks' manifests.
func readTranscripts(dir string, faults *fault.FaultList) ([]AudioClip, error) {
	var clips []AudioClip
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".trans.txt") {
			return err
		}
		text, err := bounded.ReadFile(path, maxBytes)
		if err != nil {
			return err
		}
		clips = append(clips, readLines(dir, path, string(text), faults)...)
		return nil
	})
	if err == nil && len(clips) == 0 && faults.Len() == 0 {
		err = fmt.Errorf("%s has neither a manifest nor transcripts *.trans.txt", dir)
	}
	return clips, err
}

func readLines(dir, path, text string, faults *fault.FaultList) []AudioClip {
	var clips []AudioClip
	seen := make(map[string]bool)
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		id, words, _ := strings.Cut(line, " ")
		where := fmt.Sprintf("%s line %d", relativePath(dir, path), n)
		sound, err := soundFile(filepath.Dir(path), id)
		switch {
		case seen[id]:
			faults.Addf(where, "%q is there twice", id)
		case err != nil:
			faults.Addf(where, "%v", err)
		default:
			clips = append(clips, AudioClip{Path: relativePath(dir, sound),
				Transcript: strings.ToLower(strings.TrimSpace(words))})
		}
		seen[id] = true
	}
	return clips
}

// soundFile returns the path of a clip's file.
func soundFile(dir, id string) (string, error) {
	if id != filepath.Base(id) {
		return "", fmt.Errorf("%q is no name of a clip", id)
	}
	for _, suffix := range []string{".wav", ".flac"} {
		path := filepath.Join(dir, id+suffix)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, nil
		}
	}
	return "", fmt.Errorf("there is neither %s.wav nor %s.flac beside it", id, id)
}

// relativePath returns path relative to the data set's folder, with slashes.
func relativePath(dir, path string) string {
	below, err := filepath.Rel(dir, path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(below)
}
