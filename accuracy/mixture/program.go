package mixture

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/plumbline-ml/plumbline/internal/programs"
	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// Program is the source that a model wrote for a task of MBXP.
type Program struct {
	Sample   int
	ID       string // of the task: language_function
	Language string // the part of the ID before the first underscore
	Function string // the part of the ID after it: the name that the tests call
	Source   string
	Tests    string

	Executed bool // also true if Source is empty, which fails in every language
	Passed   bool
}

// Python is the language that package programs can check; it has no rules for others.
const Python = "python"

// ProgramRunner runs a program with its tests. An error means that the program could not be run, and ends the scoring.
type ProgramRunner func(ctx context.Context, job programs.Job) (programs.TestVerdict, error)

// ExecutePrograms runs the Python programs of a result, maxParallel at a time. It stops at the first error and returns
// it.
func (r *TaskResult) ExecutePrograms(ctx context.Context, run ProgramRunner, maxParallel int) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	free := make(chan struct{}, maxParallel)
	var all sync.WaitGroup
	for i := range r.Programs {
		p := &r.Programs[i]
		if p.Executed || p.Language != Python {
			continue
		}
		free <- struct{}{}
		all.Go(func() {
			defer func() { <-free }()
			if ctx.Err() != nil {
				return
			}
			v, err := run(ctx, programs.MXEval(p.Source, p.Tests, p.Function))
			if err != nil {
				end(fmt.Errorf("the program of sample %d could not be executed: %w", p.Sample, err))
				return
			}
			p.Executed, p.Passed = true, v.Passed
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// ProgramCount contains the numbers of programs in one language or in all languages.
type ProgramCount struct{ All, Executed, Passed int }

// Share returns the percentage of programs that passed, not rounded, or NaN if there are no programs. Programs that
// were not executed count as not passed.
func (c ProgramCount) Share() float64 { return 100 * float64(c.Passed) / float64(c.All) }

// Languages returns the program counts by language.
func (r *TaskResult) Languages() map[string]ProgramCount {
	all := map[string]ProgramCount{}
	for _, p := range r.Programs {
		c := all[p.Language]
		c.All++
		if p.Executed {
			c.Executed++
		}
		if p.Passed {
			c.Passed++
		}
		all[p.Language] = c
	}
	return all
}

// MBXP returns the percentage of programs that passed, not rounded. ok is false if there are no programs or some were
// not executed, because the metric then does not exist.
func (r *TaskResult) MBXP() (value float64, ok bool) {
	var sum ProgramCount
	for _, c := range r.Languages() {
		sum.All, sum.Executed, sum.Passed = sum.All+c.All, sum.Executed+c.Executed, sum.Passed+c.Passed
	}
	return sum.Share(), sum.All > 0 && sum.Executed == sum.All
}

// scoredLanguages contains the languages that the official script runs. Programs in other languages do not count.
var scoredLanguages = []string{"cpp", "python", "php", "javascript", "ruby", "typescript"}

// newProgram extracts the source from an answer: the text before the end of the code block. ok is false if the language
// does not count.
func newProgram(sample int, id, answer string) (p Program, ok bool) {
	language, function, _ := strings.Cut(id, "_")
	source, _, _ := strings.Cut(answer, "```")
	if language == Python {
		source = strings.TrimLeftFunc(source, pystr.IsSpace)
	}
	source = strings.ReplaceAll(source, `\_`, "_") // the model escapes underscores, as in Markdown
	return Program{
		Sample: sample, ID: id, Language: language, Function: function, Source: source,
		Executed: strings.TrimFunc(source, unicode.IsSpace) == "",
	}, slices.Contains(scoredLanguages, language)
}
