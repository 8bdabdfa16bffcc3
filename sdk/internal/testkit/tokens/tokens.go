// Package tokens is a benchmark with prompts but without a model. The answer to the prompt of sample i consists of the
// numbers after i. A run of it measures the cost of tokens at the plugin boundary.
package tokens

import (
	"cmp"
	"context"
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

// datasetSize is the number of samples.
const datasetSize = 1 << 12

// Answers have MinTokens to MinTokens+VaryTokens-1 tokens.
const (
	MinTokens  = 2
	VaryTokens = 7
)

// Count returns the number of tokens in the answer to sample i.
func Count(i int) int { return MinTokens + i%VaryTokens }

// Benchmark is a benchmark whose answers are consecutive numbers.
type Benchmark struct{}

// Describe describes the only model, tokens.
func (Benchmark) Describe() sdk.Description {
	return sdk.Description{
		Name: "tokens", Version: "1", Summary: "no model: measures the way of tokens through the plugin boundary",
		Models: []sdk.ModelInfo{{
			Name: "tokens", Summary: "answers each prompt with the numbers that " +
				"follow", LoadGenKey: "tokens", RulesKey: "tokens", Scenarios: loadgen.Scenarios(),
			Files: []sdk.ModelFile{{Name: "tokens", Embedded: true, Precision: "fp32", Licence: "Apache-2.0",
				Reference: []sdk.Metric{{Name: "exact", Unit: "%", Value: 100}}}},
			Datasets: []sdk.DatasetInfo{{Name: "numbers", Embedded: true, Samples: datasetSize,
				PerformanceSampleCount: datasetSize}},
			Metrics: []sdk.MetricInfo{{Name: "exact", Unit: "%", Reference: 100, Target: 99, Share: 0.99}},
		}},
	}
}

// Open opens the prompts below o.Count, or all prompts if it is 0.
func (Benchmark) Open(_ context.Context, o sdk.Options) (sdk.Workload, error) {
	if o.Count < 0 || o.Count > datasetSize {
		return nil, sdk.Usage(fmt.Errorf("count %d, want 0 to %d", o.Count, datasetSize))
	}
	o.Count = cmp.Or(o.Count, datasetSize)
	return sdk.Prompts(&tokensWorkload{n: o.Count}), nil
}

// OpenScorer returns a scorer for the share of exactly correct answers.
func (Benchmark) OpenScorer(context.Context, sdk.ScoreOptions) (sdk.Scorer, error) {
	right := 0
	add := func(e mllog.AccuracyEntry) error {
		if len(e.Data)%4 != 0 {
			return fmt.Errorf("a payload of %d bytes, want a multiple of 4", len(e.Data))
		}
		if isRight(e) {
			right++
		}
		return nil
	}
	metric := scoring.OfEntries(add, func() (int, error) { return right, nil })
	return scoring.New(metric, scoring.Log{First: true}, scoreShare), nil
}

type tokensWorkload struct{ n int }

func (w *tokensWorkload) Len() int          { return w.n }
func (w *tokensWorkload) Close() error      { return nil }
func (w *tokensWorkload) WarmSample() int32 { return 0 }
func (w *tokensWorkload) Parts() []sdk.Part {
	return []sdk.Part{{Model: backend.Model{Name: "tokens"}}}
}
func (w *tokensWorkload) Load(_ context.Context, i int) (int32, error) { return int32(i), nil }

// Prompt returns the sample's number.
func (w *tokensWorkload) Prompt(i int32) (backend.Prompt, error) {
	return backend.Prompt{Tokens: []int32{i}, MaxNewTokens: Count(int(i))}, nil
}

// AppendTokens appends ids as little-endian int32.
func (w *tokensWorkload) AppendTokens(dst []byte, _ int32, t backend.Tokens) ([]byte, int, error) {
	return append(dst, backend.Bytes(t.IDs)...), t.N, nil
}

func isRight(e mllog.AccuracyEntry) bool {
	n := Count(int(e.QSLIndex))
	for k, id := range backend.View[int32](e.Data) {
		if uint64(id) != e.QSLIndex+uint64(k)+1 {
			return false
		}
	}
	return len(e.Data) == 4*n && (e.TokenCount < 0 || e.TokenCount == int64(n))
}

func scoreShare(right int, c scoring.Counts) (sdk.Score, error) {
	share := 100 * float64(right) / float64(max(c.Samples, 1))
	return sdk.Score{
		Metrics: []sdk.Metric{{Name: "exact", Unit: "%", Value: share}}, OfficialText: fmt.Sprintf("exact=%.3f%%", share),
	}, nil
}
