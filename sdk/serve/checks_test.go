package serve

import (
	"context"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// core is a workload that does not determine how its samples run.
type core struct{ parts []sdk.Part }

func (core) Len() int                                                         { return 1 }
func (w core) Parts() []sdk.Part                                              { return w.parts }
func (core) Load(context.Context, int) (sdk.Sample, error)                    { return 0, nil }
func (core) Close() error                                                     { return nil }
func (core) Describe() sdk.Description                                        { return sdk.Description{} }
func (core) OpenScorer(context.Context, sdk.ScoreOptions) (sdk.Scorer, error) { return nil, nil }

type batches struct{ core }

func (batches) Collate([]sdk.Sample, *sdk.Batch) error                          { return nil }
func (batches) Postprocess([]backend.Tensor, []sdk.Sample, *sdk.Payloads) error { return nil }

type runs struct{ core }

func (runs) NewRun(sdk.Sessions) (sdk.Run, error) { return nil, nil }
func (runs) MaxBatch() int                        { return 0 }

type both struct {
	batches
	runs
}

func (both) Len() int                                      { return 1 }
func (both) Parts() []sdk.Part                             { return onePart() }
func (both) Load(context.Context, int) (sdk.Sample, error) { return 0, nil }
func (both) Close() error                                  { return nil }

// opens is a benchmark with one workload.
type opens struct {
	core
	workload sdk.Workload
}

func (b opens) Open(context.Context, sdk.Options) (sdk.Workload, error) { return b.workload, nil }

func onePart() []sdk.Part { return []sdk.Part{{Model: backend.Model{Name: "m"}}} }

func parts(names ...string) core {
	var c core
	for _, name := range names {
		c.parts = append(c.parts, sdk.Part{Name: name, Model: backend.Model{Name: "m", Path: name + ".onnx"}})
	}
	return c
}

func TestWhatAWorkloadMustBe(t *testing.T) {
	same := parts("a", "b")
	same.parts[1].Model.Path = "a.onnx"
	for name, c := range map[string]struct {
		workload sdk.Workload
		want     []string // empty: no error
	}{
		"batches":           {batches{core{onePart()}}, nil},
		"runs":              {runs{core{onePart()}}, nil},
		"runs of two parts": {runs{parts("encoder", "decoder")}, nil},
		"nothing":           {nil, []string{"neither a workload nor an error"}},
		"no way":            {core{onePart()}, []string{"in no way", "sdk.Batcher", "sdk.Runner", "sdk.Generative"}},
		"two ways": {both{}, []string{"in 2 ways", "sdk.Batcher (Collate, Postprocess) and sdk.Runner (NewRun, " +
			"MaxBatch)"}},
		"no part":          {runs{}, []string{"no part"}},
		"batches of parts": {batches{parts("a", "b")}, []string{"one part, this one has 2"}},
		"a name twice":     {runs{parts("a", "a")}, []string{`two parts are called "a"`}},
		"no name":          {runs{parts("a", "")}, []string{"without a name"}},
		"names of options": {runs{parts("config", "model", "provider")},
			[]string{`"config"`, `"model"`, `"provider"`, "choose another"}},
		"a dot":    {runs{parts("a.b")}, []string{`"a.b"`, "letters, digits"}},
		"one file": {runs{same}, []string{"parts a and b have one file, a.onnx"}},
		"left out": {runs{core{[]sdk.Part{{Optional: true}}}}, []string{"is left out"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(opens{workload: c.workload}, nil)
			_, _, err := s.openWorkload(t.Context(), sdk.Options{})
			if len(c.want) == 0 && err != nil {
				t.Fatal(err)
			}
			for _, part := range c.want {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("error %v, want %q", err, part)
				}
			}
		})
	}
}
