package rag

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

// nobody has no server.
type nobody struct{ backend.Backend }

func (nobody) OpenGenerator(context.Context, backend.Model, backend.Config) (backend.Generator, error) {
	return nil, errors.New("there is no server")
}

func TestBenchmark(t *testing.T) {
	manifesttest.Run(t, New(nobody{}), "vocab=embedded", "reranker_vocab=embedded", "prompts=embedded", "llm=embedded",
		"judge=embedded")
}

// TestStandIn: where a script takes the place of the language models, a round counts the benchmark among the stand-ins.
func TestStandIn(t *testing.T) {
	want := map[string]string{questionsModel: "stand-in: scripted server", pagesModel: ""}
	info := New(nobody{}).Describe()
	for _, m := range info.Models {
		if got, has := want[m.Name]; !has || m.StandIn() != got {
			t.Errorf("%s: %q, want %q", m.Name, m.StandIn(), got)
		}
	}
	if len(info.Models) != len(want) {
		t.Errorf("%d models, want %d", len(info.Models), len(want))
	}
}

func TestGoldenMaxSim(t *testing.T) {
	type pair struct {
		Name            string
		Dim             int
		Tokens          int   `json:"query_length"`
		Lengths         []int `json:"passage_lengths"`
		Query, Passages []float32
		Scores          []any
		Order           []int
	}
	golden.Each(t, "rag/maxsim.json", func(t *testing.T, path string) {
		var all []pair
		golden.ReadJSON(t, path, &all)
		for _, c := range all {
			longest := slices.Max(c.Lengths)
			for i, n := range c.Lengths {
				got := maxSim(c.Query[:c.Tokens*c.Dim], c.Passages[i*longest*c.Dim:][:n*c.Dim], c.Dim)
				want, isNumber := c.Scores[i].(float64)
				if !isNumber {
					want = math.Inf(-1)
				}
				if float64(got) != want && math.Abs(float64(got)-want) > 1e-5*math.Abs(want)+1e-6 {
					t.Errorf("%s, passage %d: %v, want %v", c.Name, i, got, c.Scores[i])
				}
			}
		}
	})
}
