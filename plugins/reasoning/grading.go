package reasoning

import (
	"context"
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/accuracy/reasoning"
	"github.com/plumbline-ml/plumbline/datasets/livecodebench"
	synthetic "github.com/plumbline-ml/plumbline/internal/synthetic/reasoning"
	"github.com/plumbline-ml/plumbline/plugins/internal/coderun"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// openGraders opens SymPy and Python if parameters request them. note describes the programs' environment after they
// have run; it is nil if no programs run.
func openGraders(ctx context.Context, s *modelSettings, r *manifest.Request) (o reasoning.GradingOptions,
	note func() string) {
	algebra, err := s.Algebra.OpenAlgebra(ctx, s.Programs.AllowWeak)
	r.AddFault(err)
	o.Algebra = algebra
	run, err := s.Programs.OpenRunner(ctx)
	r.AddFault(err)
	if run == nil {
		return o, nil
	}
	set, err := openProblems(s.Problems, r)
	r.AddFault(err)
	o.Programs, o.Workers = coderun.ProblemGrader{Runner: run, Set: set}, coderun.MaxConcurrent
	return o, run.Note
}

// openProblems opens the problems that test programs: those at path, or the embedded ones.
func openProblems(path string, r *manifest.Request) (coderun.ProblemSet, error) {
	switch {
	case path != "":
		set, err := livecodebench.Open(path)
		if err != nil {
			return nil, sdk.Data(fmt.Errorf("parameter problems: %w", err))
		}
		return set, nil
	case r.Dataset != "":
		return nil, sdk.Usage(errors.New("parameter problems is missing: programs are tested by the problems of " +
			"LiveCodeBench: give the folder with test.jsonl and so on, or leave execute out"))
	}
	return newEmbeddedProblems(modelFamilyOf(r.Model.Name).embeddedRows(r.Use)), nil
}

// embeddedProblems contains the embedded problems by ID.
type embeddedProblems map[string]livecodebench.CodeProblem

func newEmbeddedProblems(rows synthetic.Rows) embeddedProblems {
	all := embeddedProblems{}
	for _, p := range rows.Problems() {
		problem := livecodebench.CodeProblem{ID: p.ID, Function: p.Method}
		for _, tests := range [][]synthetic.Test{p.Public, p.Private} {
			for _, one := range tests {
				problem.Inputs = append(problem.Inputs, one.Input)
				problem.Outputs = append(problem.Outputs, one.Output)
			}
		}
		all[p.ID] = problem
	}
	return all
}

// Problem returns the problem with the given ID.
func (o embeddedProblems) Problem(id string) (livecodebench.CodeProblem, error) {
	p, ok := o[id]
	if !ok {
		return p, fmt.Errorf("%w: %q", livecodebench.ErrUnknown, id)
	}
	return p, nil
}
