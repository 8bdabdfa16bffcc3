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
	Language string // what stands before the first underscore of the ID
	Function string // what stands behind it: what the tests are called with
	Source   string
	Tests    string

	Executed bool // or it has no source, which no language lets pass
	Passed   bool
}

// Python is the one language whose programs package programs has the rules for.
const Python = "python"

// ProgramRunner runs a program with its tests. An error means that the program could not be run, and ends the scoring.
type ProgramRunner func(ctx context.Context, job programs.Job) (programs.TestVerdict, error)

// ExecutePrograms runs the programs of a result that are Python, atOnce at a time. The first error ends it.
func (r *TaskResult) ExecutePrograms(ctx context.Context, run ProgramRunner, atOnce int) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	free := make(chan struct{}, atOnce)
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

// Share is how many percent of the programs passed, not rounded. It is NaN where there are none, and only those that
// were executed can have passed.
func (c ProgramCount) Share() float64 { return 100 * float64(c.Passed) / float64(c.All) }

// Languages counts programs by language.
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

// MBXP is how many percent of the programs passed, not rounded. ok is false where there are none, or where some were
// not executed: there is no such figure then.
func (r *TaskResult) MBXP() (value float64, ok bool) {
	var sum ProgramCount
	for _, c := range r.Languages() {
		sum.All, sum.Executed, sum.Passed = sum.All+c.All, sum.Executed+c.Executed, sum.Passed+c.Passed
	}
	return sum.Share(), sum.All > 0 && sum.Executed == sum.All
}

// languages are those that the official script runs; programs in others do not count.
var languages = []string{"cpp", "python", "php", "javascript", "ruby", "typescript"}

// newProgram extracts the source from an answer: what stands before the end of the code block. ok is false for a
// language that does not count.
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
	}, slices.Contains(languages, language)
}
