package main

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/backends/ort/ortlib"
	"github.com/plumbline-ml/plumbline/internal/parallel"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/plugins/vl"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

var findLibrary = sync.OnceValues(func() (string, error) {
	return ortlib.FindLibrary(context.Background(), runtime.GOOS, runtime.GOARCH)
})

// answer is a sink that stores an answer.
type answer struct{ text string }

func (a *answer) FirstToken(backend.Tokens) {}
func (a *answer) Complete(t backend.Tokens) { a.text = t.Text }

// measure runs the embedded model with a precision on all its products and scores the answers. It skips the test on a
// platform without a library.
func measure(t *testing.T, precision, hide string) map[string]float64 {
	t.Helper()
	path, err := findLibrary()
	if errors.Is(err, ortlib.ErrPlatform) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	params := map[string]string{"hide": hide}
	w, err := vl.New().Open(t.Context(), sdk.Options{Precision: precision, Params: params})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	c := backend.Config{Concurrency: runtime.GOMAXPROCS(0), LowLatency: true}
	session, err := ort.Backend{Library: path}.Open(t.Context(), w.Parts()[0].Model, c)
	if err != nil {
		t.Fatal(err)
	}
	maker, _ := sdk.As[sdk.SessionGenerator](w)
	g, err := maker.NewGenerator(sdk.Sessions{"": session}, c)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	answers, faults := make([]answer, w.Len()), make([]error, w.Len())
	parallel.Each(t.Context(), w.Len(), func(i int) {
		s, err := w.Load(t.Context(), i)
		if err == nil {
			var p backend.Prompt
			if p, err = w.(sdk.Generative).Prompt(s); err == nil {
				err = g.Generate(t.Context(), p, &answers[i])
			}
		}
		faults[i] = err
	})
	if err := errors.Join(faults...); err != nil {
		t.Fatal(err)
	}
	s, err := vl.New().OpenScorer(t.Context(), sdk.ScoreOptions{Embedded: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range answers {
		if err := s.Add(mllog.AccuracyEntry{QSLIndex: uint64(i), Data: []byte(a.text)}); err != nil {
			t.Fatal(err)
		}
	}
	score, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]float64{}
	for _, m := range score.Metrics {
		found[m.Name] = m.Value
	}
	return found
}

// hidden contains the card's figures of a model that cannot see a part of a product, and of one that sees nothing.
type card struct {
	Floor         map[string]float64
	PictureHidden map[string]float64 `json:"picture_hidden"`
	TitleHidden   map[string]float64 `json:"title_hidden"`
	Files         []struct {
		Precision string
		Metrics   []struct {
			Name  string
			Value float64
		}
	}
}

func readCard(t *testing.T) (c card) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "plugins", "vl", "model", "card.json"))
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestModelLooks checks that the model recognizes no category without the picture and no brand without the title, that
// each part does not help with the other's task, and that the remaining scores equal those on the card, down to the
// scorer's minimum.
func TestModelLooks(t *testing.T) {
	c := readCard(t)
	whole, blind, untitled := measure(t, "fp32", "nothing"), measure(t, "fp32", "picture"), measure(t, "fp32", "title")
	near := func(what string, got, want, within float64) {
		if math.Abs(got-want) > within {
			t.Errorf("%s is %v, the card says %v", what, got, want)
		}
	}
	near("category_f1", whole["category_f1"], c.Files[0].Metrics[0].Value, 0.005)
	near("category_f1 without pictures", blind["category_f1"], c.PictureHidden["category_f1"], 0.02)
	near("brand without titles", untitled["brand"], c.TitleHidden["brand"], 1)
	if blind["category_f1"] > c.Floor["category_f1"]+0.1 || whole["category_f1"] < 2*blind["category_f1"] {
		t.Errorf("category_f1 is %v, without pictures %v, and the floor %v", whole["category_f1"], blind["category_f1"],
			c.Floor["category_f1"])
	}
	if untitled["brand"] > 1 || whole["brand"] < 80 {
		t.Errorf("brand is %v %%, without titles %v %%", whole["brand"], untitled["brand"])
	}
	near("brand without pictures", blind["brand"], whole["brand"], 1e-9)
	near("category_f1 without titles", untitled["category_f1"], whole["category_f1"], 1e-9)
}

// TestINT8 requires the quantised model to reach 99 % of the figures of the other one, which are on the card.
func TestINT8(t *testing.T) {
	small := measure(t, "int8", "nothing")
	for _, m := range readCard(t).Files[0].Metrics {
		if small[m.Name] < 0.99*m.Value {
			t.Errorf("%s is %v in INT8 and %v in FP32", m.Name, small[m.Name], m.Value)
		}
	}
}

// TestCardNamesTheScorersMetrics checks that the card uses the names by which a run compares.
func TestCardNamesTheScorersMetrics(t *testing.T) {
	for _, f := range readCard(t).Files {
		var names []string
		for _, m := range f.Metrics {
			names = append(names, m.Name)
		}
		if got := strings.Join(names, " "); got != "category_f1 brand second_hand_f1" {
			t.Errorf("%s: metrics %s", f.Precision, got)
		}
	}
}
