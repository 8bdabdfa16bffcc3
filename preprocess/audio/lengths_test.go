package audio

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLengths reads WAV files whose lengths are not known, or stand elsewhere, and compares them with what libsndfile
// reads: testdata/make_lengths.py.
func TestLengths(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "lengths.json"))
	if err != nil {
		t.Fatal(err)
	}
	var files []struct {
		Name, Error    string
		File           []byte
		Rate, Channels int
		Samples        []float32
	}
	if err := json.Unmarshal(text, &files); err != nil {
		t.Fatal(err)
	}
	refused := map[string]string{"W64": "it is Wave64 (W64)", "AIFF": "it is AIFF"}
	like := map[string]int{"zero": 0, "zero, and the whole length right": 0, "BW64": 0} // read here alone: as the first
	for i, f := range files {
		got, err := Decode(f.File)
		if says := refused[f.Name]; says != "" {
			if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v, want %q", f.Name, err, says)
			}
			continue
		}
		want := files[i]
		if of, ok := like[f.Name]; ok {
			want = files[of]
		}
		if err != nil || got.Rate != want.Rate || got.Channels != want.Channels || !slices.Equal(got.Samples, want.Samples) {
			t.Errorf("%s: %d samples, want %d: %v", f.Name, len(got.Samples), len(want.Samples), err)
		}
	}
	if len(files) != 22 {
		t.Errorf("%d files, want 22", len(files))
	}
	whole := files[0].File
	for name, change := range map[string]func(b []byte) []byte{
		"known, and cut": func(b []byte) []byte {
			b[40], b[41], b[42], b[43] = 74, 0, 0, 0
			return b[:len(b)-1]
		},
		"1 GiB": func(b []byte) []byte { b[40], b[41], b[42], b[43] = 0, 0, 0, 64; return b },
	} {
		if _, err := Decode(change(slices.Clone(whole))); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v, want it to be damaged", name, err)
		}
	}
	for _, begin := range []string{"RIFX", "FORM", "OggS", "ID3\x04", "caff"} {
		if _, err := Decode([]byte(begin + "..........")); !errors.Is(err, ErrFormat) ||
			!strings.Contains(err.Error(), "convert it to WAV or FLAC") {
			t.Errorf("%s: %v", begin, err)
		}
	}
}
