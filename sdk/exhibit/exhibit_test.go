package exhibit

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
)

// inner is a scorer that counts entries.
type inner struct{ added, closed int }

func (s *inner) Add(mllog.AccuracyEntry) error { s.added++; return nil }
func (s *inner) Result() (sdk.Score, error)    { return sdk.Score{Samples: s.added}, nil }
func (s *inner) Close() error                  { s.closed++; return nil }

// gallery rates an answer by its first byte. The value 255 is not shown.
func gallery(fault error) Gallery {
	return func(e mllog.AccuracyEntry) (float64, ShowFunc) {
		if e.Data[0] == 255 {
			return 0, nil
		}
		return float64(e.Data[0]), func() (sdk.Exhibit, error) { return sdk.Exhibit{Text: fmt.Sprint(e.QSLIndex)}, fault }
	}
}

func TestScorer(t *testing.T) {
	of := &inner{}
	s := NewScorer(of, 3, gallery(nil))
	data := make([]byte, 1)
	for _, e := range [][2]int{{9, 5}, {1, 7}, {4, 5}, {2, 5}, {8, 255}, {1, 250}, {3, 0}} { // sample, badness
		data[0] = byte(e[1])
		if err := s.Add(mllog.AccuracyEntry{QSLIndex: uint64(e[0]), Data: data}); err != nil {
			t.Fatal(err)
		}
	}
	score, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range score.Exhibits {
		got = append(got, e.Text)
	}
	if text := strings.Join(got, " "); text != "1 2 4" || score.Samples != 7 {
		t.Errorf("exhibits %s, of %d entries", text, score.Samples)
	}
	if err := s.(interface{ Close() error }).Close(); err != nil || of.closed != 1 {
		t.Errorf("closed %d times, %v", of.closed, err)
	}
	if NewScorer(of, 0, gallery(nil)) != sdk.Scorer(of) || NewScorer(of, 3, nil) != sdk.Scorer(of) {
		t.Error("without exhibits the scorer is another one")
	}
}

// A sample that cannot be shown causes a note and not a failure.
func TestScorerThatCannotShow(t *testing.T) {
	s := NewScorer(&inner{}, 3, gallery(errors.New("no picture")))
	for i := range uint64(5) {
		if err := s.Add(mllog.AccuracyEntry{QSLIndex: i, Data: []byte{1}}); err != nil {
			t.Fatal(err)
		}
	}
	score, err := s.Result()
	if err != nil || len(score.Exhibits) != 0 || len(score.Notes) != 1 {
		t.Errorf("%+v, %v", score, err)
	}
}

func TestPNGStaysSmall(t *testing.T) {
	p := image.NewNRGBA(image.Rect(0, 0, 400, 300))
	for i := range p.Pix {
		p.Pix[i] = byte(rand.Uint32()) | 1
	}
	text, err := PNG(p)
	if err != nil || len(text) > sdk.MaxExhibitBytes {
		t.Fatalf("%d bytes, %v", len(text), err)
	}
	if _, err := png.Decode(bytes.NewReader(text)); err != nil {
		t.Error(err)
	}
}

func TestThumbnail(t *testing.T) {
	for _, c := range [][4]int{{32, 32, 192, 192}, {400, 200, 200, 100}, {100, 300, 67, 200}, {1, 1, 200, 200}} {
		got := Thumbnail(image.NewGray(image.Rect(0, 0, c[0], c[1])), 200).Bounds()
		if got.Dx() != c[2] || got.Dy() != c[3] {
			t.Errorf("%v becomes %v", c, got)
		}
	}
	p := image.NewNRGBA(image.Rect(0, 0, 10, 10))
	Outline(p, -1, 0, 2, .5, Truth) // beyond the picture: drawn at its edges
	if p.NRGBAAt(0, 0) != Truth || p.NRGBAAt(9, 3) != Truth || p.NRGBAAt(5, 7) != (color.NRGBA{}) {
		t.Error("the outline is elsewhere")
	}
	if b := SideBySide(p, p).Bounds(); b.Dx() != 24 || b.Dy() != 10 {
		t.Errorf("side by side %v", b)
	}
}

func TestWorst(t *testing.T) {
	shown := func(n, most int, badness func(i int) float64) string {
		var all []string
		for _, x := range WorstSamples(n, most, func(i int) (float64, func() sdk.Exhibit) {
			return badness(i), func() sdk.Exhibit { return sdk.Exhibit{Text: fmt.Sprint(i)} }
		}) {
			all = append(all, x.Text)
		}
		return strings.Join(all, " ")
	}
	even := func(int) float64 { return 0 }
	if got := shown(5, 3, func(i int) float64 { return []float64{1, 5, 2, 5, 0}[i] }); got != "1 3 2" {
		t.Error(got)
	}
	if n := len(strings.Fields(shown(100, 50, even))); n != 24 || shown(3, 0, even) != "" || shown(2, 5, even) != "0 1" {
		t.Error(n, shown(3, 0, even), shown(2, 5, even))
	}
}

func TestTexts(t *testing.T) {
	if n := WordErrors("a b c d", "a x c d e"); n != 2 {
		t.Errorf("%d errors, want 2", n)
	}
	if n := WordErrors("", "a b"); n != 2 {
		t.Errorf("%d errors, want 2", n)
	}
	if u := TextDistance("a b c", "c b a"); u != 0 {
		t.Errorf("unlike by %g", u)
	}
	if u := TextDistance("a b", "c"); u != 1 {
		t.Errorf("unlike by %g", u)
	}
	if got := Paragraphs("question", "why\xff?", "answer", strings.Repeat("ä", 3000)); len(got) > 3*2600 ||
		!strings.HasPrefix(got, "question\nwhy\uFFFD?\n\nanswer\nä") {
		t.Errorf("%.80s", got)
	}
}
