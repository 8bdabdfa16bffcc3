// Package coderun runs programs that models wrote, for the scorers of plugins. It applies the rules of package
// internal/programs in the sandbox of package internal/sandbox.
//
// In scope: two parameters of a model, the permissions of programs, the conversion of exit states to verdicts, programs
// for LiveCodeBench problems. Out of scope: rules of tests, reading problems, the sandbox.
package coderun

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/plumbline-ml/plumbline/internal/programs"
	"github.com/plumbline-ml/plumbline/internal/sandbox"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// MaxConcurrent is the number of programs that a scorer runs concurrently.
const MaxConcurrent = 4

// Limits of a program in addition to its time. They apply per process unless stated otherwise.
const (
	maxMemoryBytes = 4 << 30  // bytes of address space
	maxFileBytes   = 64 << 20 // bytes per file, and of all files in /tmp
	maxOutputBytes = 16 << 20 // bytes of the driver's output streams
	maxProcesses   = 64       // per program
	maxOpenFiles   = 256      // open files
)

// interpreterTime is the additional time for the interpreter to start and to end.
const interpreterTime = time.Minute

// ProgramRunner runs programs in Python. It is safe for concurrent use.
type ProgramRunner struct {
	python            *sandbox.Python
	ownEqualityPasses atomic.Int64 // number of programs that passed because of their own ==
}

// ProgramSettings contains the parameters of a model whose answers are programs.
type ProgramSettings struct {
	Python    string `param:"execute"`                     // path of an interpreter; empty: execute nothing
	AllowWeak bool   `param:"sandbox" choices:"full,weak"` // allow programs to run without a sandbox
}

// CheckNeeded adds a fault to p if a parameter of the sandbox is given although nothing runs in it. otherUse reports
// whether anything except programs runs in it.
func (s ProgramSettings) CheckNeeded(p *option.Params, otherUse bool) {
	if s.AllowWeak && !s.RunsPrograms() && !otherUse {
		p.AddFault(sdk.SandboxParam, errors.New("it says how programs run, and execute names no interpreter that runs them"))
	}
}

// RunsPrograms reports whether programs are executed.
func (s ProgramSettings) RunsPrograms() bool { return s.Python != "" }

// OpenRunner finds and tests the interpreter. It returns nil if programs are not executed.
func (s ProgramSettings) OpenRunner(ctx context.Context) (*ProgramRunner, error) {
	if s.Python == "" {
		return nil, nil
	}
	python, err := sandbox.FindPython(ctx, s.Python, s.AllowWeak)
	switch {
	case errors.Is(err, sandbox.ErrRefused):
		return nil, sdk.Usage(fmt.Errorf("parameter execute = %q: %w; permit user name spaces (a container's settings may "+
			"refuse them), or run programs without a sandbox by sandbox=weak: SECURITY.md says what they can do then",
			s.Python, err))
	case err != nil:
		return nil, sdk.Usage(fmt.Errorf("parameter execute = %q: %w", s.Python, err))
	}
	return &ProgramRunner{python: python}, nil
}

// Run runs a program with its tests. Errors concern this machine or ctx, never the program.
func (r *ProgramRunner) Run(ctx context.Context, j programs.Job) (programs.TestVerdict, error) {
	wall := j.TimeLimit() + interpreterTime
	o, err := r.python.Run(ctx, programs.Driver, j.DriverInput(), sandbox.Limits{
		Wall: wall, CPU: 2 * wall, Memory: maxMemoryBytes, File: maxFileBytes, Scratch: maxFileBytes, Output: maxOutputBytes,
		Processes: maxProcesses,
		Files:     maxOpenFiles,
	})
	if err != nil {
		return programs.TestVerdict{}, err
	}
	v := programs.ReadVerdict(o.Output, o.Code, endingText(o))
	if v.Passed && v.Own {
		r.ownEqualityPasses.Add(1)
	}
	return v, nil
}

// endingText describes how a driver ended that printed no verdict.
func endingText(o sandbox.Outcome) string {
	switch {
	case o.Ending == sandbox.TimeUp:
		return "it was killed when its time was up"
	case o.Ending == sandbox.TooMuchOutput:
		return fmt.Sprintf("it was killed after %d bytes of output", maxOutputBytes)
	case o.Code == -1:
		return "its interpreter was killed"
	}
	return fmt.Sprintf("its interpreter ended with code %d", o.Code)
}

// Note describes the interpreter and the sandbox, and the programs that passed because of their own ==.
func (r *ProgramRunner) Note() string {
	where := "in a sandbox"
	if r.python.Box.Weak {
		where = "without a sandbox (sandbox=weak)"
	}
	note := fmt.Sprintf("programs ran by Python %s %s", r.python.Version, where)
	if n := r.ownEqualityPasses.Load(); n > 0 {
		note += fmt.Sprintf("; %d passed only because a value that they returned calls itself equal to everything, which "+
			"the official checker believes: look at them", n)
	}
	return note
}
