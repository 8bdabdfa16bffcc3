package export

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/librispeech"
	"github.com/plumbline-ml/plumbline/internal/synthetic/speech"
)

// TestSpeech reads back what it wrote.
func TestSpeech(t *testing.T) {
	dir, set := t.TempDir(), speech.Eval()
	if err := Speech(t.Context(), dir, set, 3, 6); err != nil {
		t.Fatal(err)
	}
	length := func(path string) (int, error) {
		info, err := os.Stat(path)
		if err != nil {
			return 0, err
		}
		return int(info.Size()-44) / 2, nil
	}
	clips, err := librispeech.Open(t.Context(), dir, librispeech.ClipOptions{Manifest: "dev-clean-wav.json",
		Length: length})
	if err != nil || len(clips) != 3 {
		t.Fatalf("%d clips, %v", len(clips), err)
	}
	for i, c := range clips {
		want := set.Draw(3 + i)
		file, err := os.ReadFile(c.FilePath(dir))
		if err != nil || string(file) != string(librispeech.EncodeWAV(want.Samples)) || c.Transcript != want.Transcript {
			t.Errorf("%s: %q, want %q; %v", c.Path, c.Transcript, want.Transcript, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "dev-clean-wav", "1000", "100000", "1000-100000-0003.wav")); err != nil {
		t.Error(err)
	}
	if err := Speech(t.Context(), dir, set, 0, 501); err == nil {
		t.Error("more clips than there are are written")
	}
}
