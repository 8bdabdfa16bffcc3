package llm

import (
	"slices"

	"github.com/plumbline-ml/plumbline/accuracy/generation"
	"github.com/plumbline-ml/plumbline/accuracy/longcontext"
	"github.com/plumbline-ml/plumbline/accuracy/mixture"
	"github.com/plumbline-ml/plumbline/plugins/internal/coderun"
	"github.com/plumbline-ml/plumbline/preprocess/text/punkt"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

// textFigures contains the results of a scorer: metrics by name, and the official line of text.
type textFigures struct {
	values map[string]float64
	line   string
	notes  sdk.Notes
}

// scoringEngine scores a data set. Each sample has one answer.
type scoringEngine interface {
	Add(index uint64, payload []byte) error
	scoreFigures() (textFigures, error)
}

// newScoringEngine returns the engine for a data set. run executes the programs of MBXP; if it is nil, they are not
// executed.
func newScoringEngine(data textSet, s modelSettings, t textTokenizer, split *punkt.Splitter,
	run *coderun.ProgramRunner) scoringEngine {
	switch {
	case t == nil:
		return &textEngine{splitter: split, references: referenceTexts(data)}
	case data.kind == longContextData:
		refs := make([]longcontext.Reference, len(data.items))
		for i, item := range data.items {
			refs[i] = longcontext.Reference{Text: item.Output, Metric: longcontext.SampleMetric(item.Task)}
		}
		return contextEngine{
			longcontext.New(longcontext.CompareOptions{DType: s.DType, Decoder: t, Splitter: split, References: refs}),
		}
	case data.kind == mixedData:
		refs := make([]mixture.Reference, len(data.items))
		for i, item := range data.items {
			refs[i] = mixture.Reference{Task: mixture.Task(item.Task), ID: item.ID, Text: item.Output}
		}
		o := mixture.CompareOptions{DType: s.DType, Decoder: t, Splitter: split, References: refs}
		return mixedEngine{mixture.New(o), run}
	}
	return rougeEngine{
		generation.New(generation.CompareOptions{DType: s.DType, Decoder: t, Splitter: split,
			References: referenceTexts(data)}),
	}
}

func referenceTexts(data textSet) []string {
	outputs := make([]string, len(data.items))
	for i, item := range data.items {
		outputs[i] = item.Output
	}
	return outputs
}

// makeScore returns the score with the engine's metrics that occur in names.
func makeScore(f textFigures, names []string, c scoring.Counts) sdk.Score {
	score := sdk.Score{OfficialText: f.line}
	for _, m := range allMetrics() {
		value, ok := f.values[m.Name]
		if m.Value = value; ok && value == value && slices.Contains(names, m.Name) {
			score.Metrics = append(score.Metrics, m)
		}
	}
	score.Notes = append(f.notes, c.Notes("samples", "the metrics are those")...)
	return score
}

// allMetrics returns the names and units of all models' metrics.
func allMetrics() []sdk.Metric {
	return []sdk.Metric{
		{Name: "rouge1", Unit: "%"}, {Name: "rouge2", Unit: "%"}, {Name: "rougeL", Unit: "%"}, {Name: "rougeLsum", Unit: "%"},
		{Name: "exact_match", Unit: "%"}, {Name: "gsm8k", Unit: "%"}, {Name: "mbxp", Unit: "%"},
		{Name: "mbxp_python", Unit: "%"},
		{Name: "gen_len", Unit: "characters"}, {Name: "tokens_per_sample"},
	}
}
