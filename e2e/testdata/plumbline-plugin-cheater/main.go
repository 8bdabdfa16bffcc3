// Command plumbline-plugin-cheater serves three benchmarks for the tests of audits. One is honest. One caches its
// answers and is fast for repeated samples. One returns arbitrary answers for repeated samples, which accuracy runs do
// not contain. Each answers a sample with its index after a delay.
package main

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/sdktest/null"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

// slowEnv makes each sample take as long as it says: tests that kill a run need a long one.
const slowEnv = "PLUMBLINE_CHEATER_TAKES"

// usually is how long a new sample takes. The model that keeps its answers takes longer, by far more than what a query
// takes on a busy machine: it is found out by its speed.
const (
	usually = 4 * time.Millisecond
	keeper  = 20 * time.Millisecond
)

func main() { serve.Main(benchmark{}, serve.Backend("null", null.Backend{})) }

// The models.
const (
	honest   = "honest"
	keeping  = "keeping"
	changing = "changing"
)

type benchmark struct{ null.Benchmark }

// Describe gives each model the name of resnet50 in the rules, for its audits.
func (b benchmark) Describe() sdk.Description {
	d := b.Benchmark.Describe()
	plain := d.Models[0]
	d.Name, d.Summary, d.Models = "cheater", "cheats in audits", nil
	for _, name := range []string{honest, keeping, changing} {
		m := plain
		m.Name, m.RulesKey, m.LoadGenKey = name, "resnet", "resnet50"
		m.Smoke, m.Params = smoke(), []sdk.ParamInfo{{Name: "dtype", Default: "float32"}}
		d.Models = append(d.Models, m)
	}
	return d
}

// smoke are settings for some hundred samples.
func smoke() []sdk.SmokeSetting {
	all := []sdk.SmokeSetting{
		{Scenario: loadgen.Server, Key: "min_duration", Value: "1"},
		{Scenario: loadgen.Server, Key: "target_qps", Value: "1000"},
	}
	for _, s := range loadgen.Scenarios() {
		for _, key := range []string{"min_query_count", "performance_sample_count_override"} {
			all = append(all, sdk.SmokeSetting{Scenario: s, Key: key, Value: "200"})
		}
	}
	return all
}

func (b benchmark) Open(ctx context.Context, o sdk.Options) (sdk.Workload, error) {
	model, takes := o.Model, usually
	if model == keeping {
		takes = keeper
	}
	if text := os.Getenv(slowEnv); text != "" {
		var err error
		if takes, err = time.ParseDuration(text); err != nil {
			return nil, err
		}
	}
	o.Model, o.Count = "", 200
	w, err := b.Benchmark.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	return &workload{batched: w.(batched), model: model, takes: takes, seen: map[uint32]bool{}}, nil
}

func (b benchmark) OpenScorer(ctx context.Context, o sdk.ScoreOptions) (sdk.Scorer, error) {
	o.Model, o.Count = "", 200
	return b.Benchmark.OpenScorer(ctx, o)
}

// batched is a workload of batches.
type batched interface {
	sdk.Workload
	sdk.Batcher
}

type workload struct {
	batched
	model string
	takes time.Duration
	mu    sync.Mutex
	seen  map[uint32]bool // samples that came before, by their first answer
	again int             // how many came again
}

// enough are so many samples that came again that this is no run for accuracy, whatever the warm-up ran.
const enough = 3

// Postprocess takes its time, and cheats.
func (w *workload) Postprocess(outputs []backend.Tensor, samples []sdk.Sample, p *sdk.Payloads) error {
	data := outputs[0].Data
	each := len(data) / max(len(samples), 1)
	for i := range samples {
		answer := data[i*each : (i+1)*each]
		again, timed := w.sees(binary.LittleEndian.Uint32(answer))
		if !again || w.model != keeping {
			time.Sleep(w.takes)
		}
		if timed && w.model == changing {
			binary.LittleEndian.PutUint32(answer, math.Float32bits(-1))
			answer[0] ^= 0xff
		}
	}
	return w.batched.Postprocess(outputs, samples, p)
}

// sees notes an answer, and says whether it was seen before, and whether so many were that this is a timed run.
func (w *workload) sees(answer uint32) (again, timed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	again = w.seen[answer]
	w.seen[answer] = true
	if again {
		w.again++
	}
	return again, w.again >= enough
}
