package coderun

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/plumbline-ml/plumbline/accuracy/reasoning"
	"github.com/plumbline-ml/plumbline/datasets/livecodebench"
	"github.com/plumbline-ml/plumbline/internal/programs"
)

// testTimeLimit is the time limit of a test in the official scripts of the reasoning models.
const testTimeLimit = time.Minute

// ProblemGrader is a [reasoning.ProgramGrader] that tests programs with LiveCodeBench problems.
type ProblemGrader struct {
	Runner *ProgramRunner
	Set    ProblemSet
}

// ProblemSet finds problems by ID. It is a [*livecodebench.ProblemSet] or a plugin's own set. Its error for an unknown
// ID wraps livecodebench.ErrUnknown.
type ProblemSet interface {
	Problem(id string) (livecodebench.CodeProblem, error)
}

// GradeProgram runs a program with the tests of a problem. If a problem has no tests, every program that can be parsed
// passes, as in the official scorer.
func (p ProblemGrader) GradeProgram(ctx context.Context, question, source string) (pass bool, how string, err error) {
	problem, err := p.Set.Problem(question)
	if errors.Is(err, livecodebench.ErrUnknown) {
		return false, "", fmt.Errorf("%w: %w", reasoning.ErrProblem, err)
	}
	if err != nil {
		return false, "", err
	}
	v, err := p.Runner.Run(ctx, programs.LiveCodeBench(source, programs.TestCases{
		Function: problem.Function, Inputs: problem.Inputs, Outputs: problem.Outputs,
	}, testTimeLimit))
	return v.Passed, v.String(), err
}
