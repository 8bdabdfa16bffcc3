// Package sympy compares mathematical answers with SymPy, which the official grader uses. It keeps a Python process
// with SymPy loaded, which forks a process for each expression. The processes run in the sandbox of package
// internal/sandbox, because they evaluate a model's output.
//
// In scope: an interpreter, and expressions of package internal/reasoning/mathgrade. Out of scope: the choice of
// expressions, and the meaning of a verdict.
package sympy

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/reasoning/mathgrade"
	"github.com/plumbline-ml/plumbline/internal/sandbox"
	"github.com/plumbline-ml/plumbline/sdk"
)

// script reads expressions from standard input and prints for each whether it vanishes.
//
//go:embed vanishes.py
var script string

// Limits of an expression. An expression that exceeds its time is Bounded.
const (
	// CPU time per expression; also the total CPU time of the forking process, which is then replaced
	maxCPUTime      = 10 * time.Second
	maxWallTime     = 2 * time.Minute // time limit on a busy machine
	maxMemoryBytes  = 4 << 30         // bytes of address space
	maxOutputBytes  = 64 << 10        // bytes
	maxProcesses    = 16
	maxOpenFiles    = 256 // open files
	maxScratchBytes = 1 << 20

	idleTimeout    = 10 * time.Second // time until an idle Python ends
	maxProcessTime = 1000 * time.Hour // time limit of a Python; it ends earlier because of the limits above
)

// GraderChoice is the value of the parameter "grader" of models whose answers are mathematics.
type GraderChoice struct{ python string }

// IsExternal reports whether a Python interpreter grades.
func (g GraderChoice) IsExternal() bool { return g.python != "" }

// ParseGrader parses a choice: "own", or "python:PATH" for an interpreter with SymPy.
func ParseGrader(text string) (GraderChoice, error) {
	if text == "own" {
		return GraderChoice{}, nil
	}
	if python, ok := strings.CutPrefix(text, "python:"); ok && python != "" {
		return GraderChoice{python}, nil
	}
	return GraderChoice{}, errors.New("want own, or python: and the path of a Python that has SymPy")
}

// OpenAlgebra returns the chosen algebra: mathgrade.OwnAlgebra, or SymPy from Open. Its errors wrap sdk.ErrUsage.
func (g GraderChoice) OpenAlgebra(ctx context.Context, allowWeak bool) (mathgrade.Algebra, error) {
	if g.python == "" {
		return mathgrade.OwnAlgebra{}, nil
	}
	a, err := Open(ctx, g.python, allowWeak)
	switch {
	case errors.Is(err, sandbox.ErrRefused):
		return nil, sdk.Usage(fmt.Errorf("parameter grader = %q: %w; permit user name spaces, or let it run without a "+
			"sandbox by sandbox=weak (SECURITY.md)", "python:"+g.python, err))
	case err != nil:
		return nil, sdk.Usage(fmt.Errorf("parameter grader = %q: %w", "python:"+g.python, err))
	}
	return a, nil
}

// Algebra is a mathgrade.Algebra that uses SymPy. It is safe for concurrent use and keeps a Python process for each
// concurrent call.
type Algebra struct {
	python      *sandbox.Python
	version     string
	limits      sandbox.Limits
	maxWallTime time.Duration // time limit per expression
	idleTimeout time.Duration
	servers     serverPool
}

// Open finds an interpreter by its path, or by its name in PATH, and asks it for SymPy's version. An error that wraps
// sandbox.ErrRefused means that this machine permits no sandbox. If allowWeak is set, Open works without one.
func Open(ctx context.Context, python string, allowWeak bool) (*Algebra, error) {
	p, err := sandbox.FindPython(ctx, python, allowWeak)
	if err != nil {
		return nil, err
	}
	a := &Algebra{python: p, maxWallTime: maxWallTime, idleTimeout: idleTimeout, limits: sandbox.Limits{
		Wall: maxProcessTime, CPU: maxCPUTime, Memory: maxMemoryBytes, File: maxScratchBytes, Scratch: maxScratchBytes,
		Output: maxOutputBytes, Processes: maxProcesses,
		Files: maxOpenFiles,
	}}
	brief := a.limits
	brief.Wall = maxWallTime
	o, err := p.Run(ctx, "import sympy; print(sympy.__version__)", nil, brief)
	if err != nil {
		return nil, err
	}
	if a.version = strings.TrimSpace(string(o.Output)); o.Code != 0 || a.version == "" {
		said := strings.Split(strings.TrimSpace(string(o.Errors)), "\n")
		return nil, fmt.Errorf("%s (Python %s) has no SymPy: %s; install it there: pip install sympy==1.14.0",
			p.Path, p.Version, said[len(said)-1])
	}
	return a, nil
}

// Name returns "SymPy" with the version.
func (a *Algebra) Name() string { return "SymPy " + a.version }

// Vanishes implements mathgrade.Algebra.
func (a *Algebra) Vanishes(ctx context.Context, expression string) (step mathgrade.Step, numeric bool, err error) {
	for range 2 { // a Python that has ended, perhaps because of its own limits, is replaced once
		said, err := a.askPython(ctx, expression)
		switch {
		case ctx.Err() != nil:
			return 0, false, fmt.Errorf("SymPy: %w", context.Cause(ctx))
		case errors.Is(err, os.ErrDeadlineExceeded):
			return mathgrade.Bounded, false, nil
		case errors.Is(err, errEnded):
			continue
		case err != nil:
			return 0, false, fmt.Errorf("SymPy: %w", err)
		}
		switch said {
		case "0":
			return mathgrade.AlgebraEqual, false, nil
		case "not 0":
			return mathgrade.AlgebraDiffers, false, nil
		case "unreadable":
			return mathgrade.Unreadable, false, nil
		}
		return mathgrade.Bounded, false, nil // it was ended
	}
	return mathgrade.Bounded, false, nil // its successor ended, too
}

var errEnded = errors.New("the Python has ended")

// askPython asks an idle Python or a new one. It ends a Python that gives no answer.
func (a *Algebra) askPython(ctx context.Context, expression string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	s := a.servers.takeIdle()
	if s == nil {
		var err error
		if s, err = a.startServer(ctx); err != nil {
			return "", err
		}
	}
	said, err := s.askExpression(ctx, expression, a.maxWallTime)
	if err == nil {
		a.servers.putIdle(s, a.idleTimeout)
		return said, nil
	}
	if broken := s.closeServer(); broken != nil {
		return "", broken
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return "", err
	}
	return "", errEnded
}
