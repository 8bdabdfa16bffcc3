package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/backends/ort/ortlib"
	"github.com/plumbline-ml/plumbline/internal/testkit/slow"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/plugins/rag"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// nobody has no server: embedded runs use only the stand-in.
type nobody struct{ backend.Backend }

func (nobody) OpenGenerator(context.Context, backend.Model, backend.Config) (backend.Generator, error) {
	return nil, errors.New("there is no server")
}

// library finds ONNX Runtime. It skips the test on a platform without a library.
func library(t *testing.T) string {
	t.Helper()
	path, err := ortlib.FindLibrary(t.Context(), runtime.GOOS, runtime.GOARCH)
	if errors.Is(err, ortlib.ErrPlatform) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// opened is a workload with the parts that answer its samples.
func opened(t *testing.T, b sdk.Benchmark, o sdk.Options) (sdk.Workload, sdk.Run) {
	t.Helper()
	path := library(t)
	w, err := b.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	sessions := sdk.Sessions{}
	for _, p := range w.Parts() {
		s, err := ort.Backend{Library: path}.Open(t.Context(), p.Model, backend.Config{Concurrency: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		sessions[p.Name] = s
	}
	run, err := w.(sdk.Runner).NewRun(sessions)
	if err != nil {
		t.Fatal(err)
	}
	return w, run
}

// accuracy answers all questions of the embedded encyclopedia with a maximum number of rounds, and scores the answers.
func accuracy(t *testing.T, precision string, rounds int) float64 {
	t.Helper()
	b := rag.New(nobody{})
	params := map[string]string{"rounds": strconv.Itoa(rounds)}
	w, run := opened(t, b, sdk.Options{Use: sdk.UseAccuracy, Precision: precision, Params: params})
	scorer, err := b.OpenScorer(t.Context(), sdk.ScoreOptions{Embedded: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range w.Len() {
		s, err := w.Load(t.Context(), i)
		var p sdk.Payloads
		if err == nil {
			err = run.Run(t.Context(), []sdk.Sample{s}, &p)
		}
		if err == nil {
			err = scorer.Add(mllog.AccuracyEntry{QSLIndex: uint64(i), Data: p.At(0)})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	score, err := scorer.Result()
	if err != nil {
		t.Fatal(err)
	}
	return score.Metrics[0].Value
}

// TestTheLoopIsNeeded checks that no question is answered without a search, less than 30 % with one search, and more
// than 90 % (the card's figure) with the rounds of the official scripts, as the model's README states.
func TestTheLoopIsNeeded(t *testing.T) {
	slow.Skip(t) // plugins/rag/internal/standin has the same checks for the rules that replace its models
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "plugins", "rag", "model", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		rounds int
		most   float64
	}{{1, 0}, {2, 30}} {
		got := accuracy(t, "fp32", tt.rounds)
		if got > tt.most {
			t.Errorf("%v %% in %d rounds, want at most %v", got, tt.rounds, tt.most)
		}
		if row := fmt.Sprintf("| %d | %d | %.2f |", tt.rounds, tt.rounds-1, got); !strings.Contains(string(text), row) {
			t.Errorf("README.md lacks the row %s", row)
		}
	}
}
