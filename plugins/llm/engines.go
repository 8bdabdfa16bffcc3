package llm

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/accuracy/generation"
	"github.com/plumbline-ml/plumbline/accuracy/longcontext"
	"github.com/plumbline-ml/plumbline/accuracy/mixture"
	"github.com/plumbline-ml/plumbline/plugins/internal/coderun"
	"github.com/plumbline-ml/plumbline/preprocess/text/punkt"
)

type rougeEngine struct{ *generation.AnswerScorer }

func (e rougeEngine) scoreFigures() (textFigures, error) {
	r, err := e.Result()
	if err != nil {
		return textFigures{}, err
	}
	return rougeFigures(r), nil
}

func rougeFigures(r generation.RougeResult) textFigures {
	f := textFigures{
		values: map[string]float64{"rouge1": r.Rouge1, "rouge2": r.Rouge2, "rougeL": r.RougeL, "rougeLsum": r.RougeLsum},
		line:   r.String(),
	}
	return f.withLengths(r.Lengths)
}

// withLengths adds the lengths of the generated texts.
func (f textFigures) withLengths(l generation.Lengths) textFigures {
	f.values["gen_len"] = float64(l.Characters)
	f.values["tokens_per_sample"] = l.TokensPerSample()
	return f
}

type contextEngine struct{ *longcontext.AnswerScorer }

func (e contextEngine) scoreFigures() (textFigures, error) {
	r, err := e.Result()
	if err != nil {
		return textFigures{}, err
	}
	f := textFigures{
		values: map[string]float64{"rougeL": r.RougeL, "exact_match": r.ExactMatch}, line: r.String(),
	}
	return f.withLengths(r.Lengths), nil
}

// mixedEngine scores the samples of Mixtral. If run is not nil, it executes MBXP's programs in Python.
type mixedEngine struct {
	*mixture.TaskScorer
	runner *coderun.ProgramRunner
}

func (e mixedEngine) scoreFigures() (textFigures, error) {
	r, err := e.Result()
	if err != nil {
		return textFigures{}, err
	}
	if e.runner != nil {
		if err := r.ExecutePrograms(context.Background(), e.runner.Run, coderun.MaxConcurrent); err != nil {
			return textFigures{}, err
		}
	}
	f := textFigures{
		values: map[string]float64{"rouge1": r.Rouge1, "rouge2": r.Rouge2, "rougeL": r.RougeL, "gsm8k": r.GSM8K},
		line:   r.String(),
	}
	if mbxp, ok := r.MBXP(); ok {
		f.values["mbxp"] = mbxp
	}
	languages := r.Languages()
	if c := languages[mixture.Python]; c.All > 0 && c.Executed == c.All && e.runner != nil {
		f.values["mbxp_python"] = c.Share()
		f.notes = append(f.notes, fmt.Sprintf("MBXP: %d of %d programs in Python passed their tests; %s",
			c.Passed, c.All, e.runner.Note()))
	}
	if note := describeNotExecuted(languages); note != "" {
		f.notes = append(f.notes, note)
	}
	return f.withLengths(r.Lengths), nil
}

// describeNotExecuted describes how many programs, by language, were not executed. It returns "" if all were.
func describeNotExecuted(languages map[string]mixture.ProgramCount) string {
	var names []string
	how := "other languages than Python are not executed"
	for _, name := range slices.Sorted(maps.Keys(languages)) {
		if c := languages[name]; c.Executed < c.All {
			names = append(names, fmt.Sprintf("%d in %s", c.All-c.Executed, name))
			if name == mixture.Python {
				how = "--param execute=python3 executes those in Python"
			}
		}
	}
	if names == nil {
		return ""
	}
	return fmt.Sprintf("programs of MBXP were not executed, so that there is no figure of mbxp: %s; %s",
		strings.Join(names, ", "), how)
}

// textEngine scores text answers of servers whose tokenizer is unknown. It does not count tokens.
type textEngine struct {
	splitter   *punkt.Splitter
	pairs      []generation.TextPair
	references []string
}

func (p *textEngine) Add(index uint64, payload []byte) error {
	if index >= uint64(len(p.references)) {
		return fmt.Errorf("%w: %d, want one of [0, %d)", generation.ErrIndex, index, len(p.references))
	}
	p.pairs = append(p.pairs, generation.TextPair{Reference: p.references[index], Answer: string(payload)})
	return nil
}

func (p *textEngine) scoreFigures() (textFigures, error) {
	if len(p.pairs) == 0 {
		return textFigures{}, generation.ErrNoSamples
	}
	f := rougeFigures(generation.ComparePairs(p.splitter, p.pairs))
	delete(f.values, "tokens_per_sample")
	f.notes = []string{"answers are text, which says nothing of tokens: name the model's tokenizer for tokens_per_sample"}
	return f, nil
}
