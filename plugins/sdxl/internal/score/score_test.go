package score

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/accuracy/pictures"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/preprocess/text/clip"
)

// seeing are networks that see the first pixel alone.
type seeing struct {
	ids, mask []int64
	fault     error
	extra     []float32
}

func (n *seeing) CLIP(_ context.Context, pixels []float32, ids, mask []int64) (picture, caption []float32, err error) {
	n.ids, n.mask = ids, mask
	return []float32{pixels[0], 1}, []float32{1, 0}, n.fault
}

func (n *seeing) Inception(_ context.Context, values []float32) ([]float32, error) {
	return append([]float32{values[0], 2 * values[0]}, n.extra...), nil
}

// open is a scorer of three captions and pictures of 2 x 1 pixels.
func open(t *testing.T, n ScoreNetworks) *PictureScorer {
	t.Helper()
	vocab := `{"<|startoftext|>": 7, "<|endoftext|>": 8, "a</w>": 9}`
	tokenizer, err := clip.Parse([]byte(vocab), []byte("#\n"), clip.TokenizerOptions{Scorer: true, Context: 5})
	if err != nil {
		t.Fatal(err)
	}
	real, err := pictures.NewStatistics([]float64{0, 0}, []float64{1, 0, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	return NewPictureScorer(ScoreOptions{
		Captions: []string{"a", "A a", "a"}, Tokenizer: tokenizer, Real: real, Width: 2, Height: 1, Networks: n,
	})
}

func grey(level byte) []byte { return slices.Repeat([]byte{level}, 6) }

// TestScore reckons two pictures, black and white: the FID's values -1 and 1 have mean 0 and covariance (2, 4; 4, 8),
// whose root has the trace of the root of 10.
func TestScore(t *testing.T) {
	n := &seeing{}
	s := open(t, n)
	for index, payload := range map[uint64][]byte{2: grey(0), 1: grey(255)} {
		if err := s.Add(t.Context(), index, payload); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Add(t.Context(), 1, grey(7)); err != nil {
		t.Errorf("a sample that was seen: %v", err)
	}
	black, white := -0.48145466/0.26862954, (1-0.48145466)/0.26862954
	want := 50 * (black/math.Hypot(black, 1) + white/math.Hypot(white, 1))
	r, err := s.Result()
	if err != nil || math.Abs(r.CLIP-want) > 1e-4 || math.Abs(r.FID-(12-2*math.Sqrt(10))) > 1e-9 {
		t.Errorf("%+v, %v; want CLIP_SCORE %v", r, err, want)
	}
}

func TestTokens(t *testing.T) {
	n := &seeing{}
	if err := open(t, n).Add(t.Context(), 1, grey(1)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(n.ids, []int64{7, 9, 9, 8, 0}) || !slices.Equal(n.mask, []int64{1, 1, 1, 1, 0}) {
		t.Errorf("ids %v, mask %v", n.ids, n.mask)
	}
}

func TestRefuses(t *testing.T) {
	fault := errors.New("no memory")
	for _, tt := range []struct {
		name     string
		networks *seeing
		index    uint64
		payload  []byte
		want     error
		text     string
	}{
		{"outside", &seeing{}, 3, grey(0), pictures.ErrIndex, "sample 3"},
		{"another size", &seeing{}, 0, grey(0)[1:], ErrPayload, "5 bytes, want 6: 2x1 pixels"},
		{"a network", &seeing{fault: fault}, 0, grey(0), fault, "sample 0: clip"},
		{"another width", &seeing{extra: []float32{1}}, 0, grey(0), pictures.ErrFeatures, "has 3, the statistics"},
	} {
		s := open(t, tt.networks)
		err := s.Add(t.Context(), tt.index, tt.payload)
		if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.text)
		}
		if _, err := s.Result(); !errors.Is(err, pictures.ErrNoSamples) {
			t.Errorf("%s: it counts: %v", tt.name, err)
		}
	}
	s := open(t, &seeing{})
	if err := s.Add(t.Context(), 0, grey(9)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Result(); !errors.Is(err, pictures.ErrFeatures) {
		t.Errorf("one picture: %v", err)
	}
}

// TestGoldenLine writes the line of the reference's scores.
func TestGoldenLine(t *testing.T) {
	golden.Each(t, "text_to_image/e2e/expected.json", func(t *testing.T, path string) {
		var want struct {
			Scorer struct {
				CLIP float64 `json:"CLIP_SCORE"`
				FID  float64 `json:"FID_SCORE"`
				Line string  `json:"accuracy_line"`
			}
		}
		golden.ReadJSON(t, path, &want)
		s := want.Scorer
		if got := (PictureScores{CLIP: s.CLIP, FID: s.FID}).String(); got != s.Line {
			t.Errorf("%s, want %s", got, s.Line)
		}
	})
}

func TestLine(t *testing.T) {
	const want = "Accuracy Results: {'FID_SCORE': '23.5', 'CLIP_SCORE': '-3.032218897715211'}"
	if got := (PictureScores{CLIP: -3.032218897715211, FID: 23.5}).String(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
