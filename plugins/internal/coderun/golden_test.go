package coderun

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/accuracy/reasoning"
	"github.com/plumbline-ml/plumbline/datasets/livecodebench"
	"github.com/plumbline-ml/plumbline/internal/programs"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// goldenCase is a program with what the official checker said of it.
type goldenCase struct {
	ID              string
	Code            string
	Function        string `json:"fn_name"`
	Inputs, Outputs []string
	Timeout         int
	Passed          bool
	Results         []any
	ErrorCode       int `json:"error_code"`
}

// TestGoldenPythonPrograms runs the programs of the reference cases in the sandbox.
func TestGoldenPythonPrograms(t *testing.T) {
	r := runner(t, false)
	golden.Each(t, "reasoning/code/cases.jsonl", func(t *testing.T, path string) {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }() // opened for reading
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<26)
		var all sync.WaitGroup
		free := make(chan struct{}, MaxConcurrent)
		for lines.Scan() {
			var c goldenCase
			if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
				t.Fatal(err)
			}
			free <- struct{}{}
			all.Go(func() {
				defer func() { <-free }()
				c.check(t, r)
			})
		}
		all.Wait()
		if lines.Err() != nil {
			t.Error(lines.Err())
		}
	})
}

// TestPythonProblems grades programs by the problems of the reference cases.
func TestPythonProblems(t *testing.T) {
	r := runner(t, false)
	const cases = "../../../datasets/livecodebench/testdata/golden"
	golden.EachBelow(t, cases, "reasoning/code/problems.jsonl", func(t *testing.T, path string) {
		set, err := livecodebench.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		p := ProblemGrader{r, set}
		for _, x := range []struct {
			question, source string
			want             bool
		}{
			{"made_a", "print(sum(map(int, input().split())))", true},
			{"made_a", "print(3)", false},
			{"2728", "class Solution:\n  def least(self, a, k): return sorted(a)[:k]", true},
			{"2728", "class Solution:\n  def least(self, a, k): return a[:k]", false},
			{"no_tests", "pass", true},
			{"no_tests", "no Python", false},
		} {
			if pass, _, err := p.GradeProgram(t.Context(), x.question, x.source); pass != x.want || err != nil {
				t.Errorf("%s, %q: %v, %v, want %v", x.question, x.source, pass, err, x.want)
			}
		}
		if _, _, err := p.GradeProgram(t.Context(), "none", ""); !errors.Is(err, reasoning.ErrProblem) {
			t.Errorf("%v, want %v", err, reasoning.ErrProblem)
		}
	})
}

func (c goldenCase) check(t *testing.T, r *ProgramRunner) {
	perTest := time.Duration(c.Timeout) * time.Second
	if c.ErrorCode != programs.TimedOut {
		perTest = time.Minute // the machine may be busy, and the limit is not what the case is about
	}
	j := programs.LiveCodeBench(c.Code, programs.TestCases{
		Function: c.Function, Inputs: c.Inputs, Outputs: c.Outputs,
	}, perTest)
	v, err := r.Run(t.Context(), j)
	if err != nil {
		t.Errorf("%s: %v", c.ID, err)
		return
	}
	if v.Passed != c.Passed || !reflect.DeepEqual(v.Results, c.Results) || v.Code != c.ErrorCode {
		t.Errorf("%s: %v, %v, code %d (%v), want %v, %v, code %d",
			c.ID, v.Passed, v.Results, v.Code, v, c.Passed, c.Results, c.ErrorCode)
	}
	if v.Own != (c.Passed && strings.Contains(c.Code, "__eq__")) {
		t.Errorf("%s: %v: a pass by an == of its own is said, and no other", c.ID, v)
	}
}
