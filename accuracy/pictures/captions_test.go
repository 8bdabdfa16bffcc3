package pictures

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

func TestScorer(t *testing.T) {
	s := NewCaptionScorer(3)
	if _, err := s.Result(); !errors.Is(err, ErrNoSamples) {
		t.Errorf("of nothing: %v", err)
	}
	add := func(index uint64, picture, caption []float32) {
		t.Helper()
		if wants, err := s.NeedsScore(index); !wants || err != nil {
			t.Fatalf("sample %d is not wanted: %v", index, err)
		}
		if err := s.Add(index, picture, caption); err != nil {
			t.Fatal(err)
		}
	}
	add(2, []float32{3, 4}, []float32{3e10, 4e10})
	add(0, []float32{1, 0}, []float32{-2, 0})
	if wants, err := s.NeedsScore(2); wants || err != nil {
		t.Errorf("the second entry is wanted: %v", err)
	}
	if r, err := s.Result(); err != nil || math.Abs(r.Score) > 1e-12 || r.Samples != 2 || r.Duplicates != 1 {
		t.Errorf("%+v, %v; want 0 of 2 samples and a duplicate", r, err)
	}
	if err := s.Add(2, []float32{1}, []float32{1}); !errors.Is(err, ErrIndex) {
		t.Errorf("twice: %v", err)
	}
	if _, err := s.NeedsScore(3); !errors.Is(err, ErrIndex) {
		t.Errorf("outside: %v", err)
	}
}

func TestScoreRefuses(t *testing.T) {
	nan := float32(math.NaN())
	for _, f := range [][2][]float32{{}, {{1}, {1, 2}}, {{0, 0}, {1, 1}}, {{nan}, {1}}, {{float32(math.Inf(1))}, {1}}} {
		if score, err := CaptionScore(f[0], f[1]); !errors.Is(err, ErrAngle) {
			t.Errorf("%v: %v, %v; want ErrAngle", f, score, err)
		}
	}
	if err := NewCaptionScorer(1).Add(0, nil, nil); !errors.Is(err, ErrAngle) {
		t.Errorf("no features: %v", err)
	}
}

// TestGoldenScores compares scores of given features with NumPy's results.
func TestGoldenScores(t *testing.T) {
	golden.Each(t, "scorers/clip_score/*/expected.json", func(t *testing.T, path string) {
		var want struct {
			Scores    []float64 `json:"per_sample"`
			Mean      float64   `json:"CLIP_SCORE"`
			Tolerance float64
		}
		golden.ReadJSON(t, path, &want)
		n := len(want.Scores)
		pictures := readRows(t, filepath.Join(filepath.Dir(path), "image_features.npy"), n)
		captions := readRows(t, filepath.Join(filepath.Dir(path), "text_features.npy"), n)
		s := NewCaptionScorer(n)
		for i := range n {
			if err := s.Add(uint64(i), pictures[i], captions[i]); err != nil {
				t.Fatal(err)
			}
			if got := s.scores[i]; math.Abs(got-want.Scores[i]) > want.Tolerance {
				t.Errorf("sample %d: %v, want %v", i, got, want.Scores[i])
			}
		}
		if r, err := s.Result(); err != nil || math.Abs(r.Score-want.Mean) > want.Tolerance || n == 0 {
			t.Errorf("%+v, %v; want %v", r, err, want.Mean)
		}
	})
}

// readRows reads n rows of float32 after a NumPy header.
func readRows(t *testing.T, path string, n int) [][]float32 {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data = data[10+int(binary.LittleEndian.Uint16(data[8:])):]
	rows, width := make([][]float32, n), len(data)/4/n
	for i := range n * width {
		rows[i/width] = append(rows[i/width], math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])))
	}
	return rows
}
