package results

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/judge"
	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/record/results"
	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// readRuns reads the recorded runs and the bare logs below paths. For bare logs in a submission's tree, it judges the
// accuracy.txt in their folder by the rules of the round.
func readRuns(paths ...string) (results.Set, error) {
	s, err := results.ReadLogs(paths...)
	rounds := roundsOfTrees{}
	for i := range s.Runs {
		if r := &s.Runs[i]; r.Place != nil {
			r.Rules = rounds.roundOf(*r)
			judgeText(r)
		}
	}
	return s, err
}

// byBenchmark groups the runs of bare logs by benchmark, because paths order them by system. They follow the other
// runs, whose order is unchanged.
func byBenchmark(s results.Set) {
	slices.SortStableFunc(s.Runs, func(a, b results.FoundRun) int {
		if a.Place == nil || b.Place == nil {
			return cmp.Compare(placeCount(a), placeCount(b))
		}
		return cmp.Or(strings.Compare(a.Model, b.Model), strings.Compare(a.Rules, b.Rules))
	})
}

func placeCount(f results.FoundRun) int {
	if f.Place == nil {
		return 0
	}
	return 1
}

// roundsOfTrees maps the roots of trees to their rounds; empty: unknown.
type roundsOfTrees map[string]string

// roundOf returns the round of a bare run, from its seeds or from its tree. Some audits have their own seeds.
func (t roundsOfTrees) roundOf(f results.FoundRun) string {
	if f.Rules != "" || f.Place.Division == "" {
		return f.Rules
	}
	root, _, ok := tree.RootOf(f.LogFolder())
	if !ok {
		return ""
	}
	round, known := t[root]
	if !known {
		if found, err := tree.FindRound(root); err == nil {
			round = found.Name
		}
		t[root] = round
	}
	return round
}

// maxText limits the size of an accuracy.txt. Those of large language models contain thousands of lines before the
// figures.
const maxText = 16 << 20

// judgeText judges the accuracy.txt in the folder of an accuracy run's log.
func judgeText(f *results.FoundRun) {
	if f.Mode != "accuracy" || f.Accuracy != nil || f.Status != record.Complete {
		return
	}
	note := func(text string) {
		f.Notes = append(f.Notes, record.Finding{About: tree.AccuracyText, Text: text})
	}
	rules, err := mlconf.Round(f.Rules)
	if err != nil || f.Rules == "" {
		note("not judged: no known round has the seeds of the log")
		return
	}
	text, err := bounded.ReadFile(filepath.Join(f.LogFolder(), tree.AccuracyText), maxText)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		note("it is missing in the log's folder: the accuracy is not known")
		return
	case err != nil:
		note(fmt.Sprintf("not judged: %v", err))
		return
	}
	model, _ := rules.ModelOf(f.Place.Benchmark, nil)
	v, err := result.JudgeAccuracy(rules, model, f.Scenario, string(text))
	if err != nil {
		note(fmt.Sprintf("not judged: %v", err))
		return
	}
	if f.Place.Division == tree.DivisionOpen {
		v = withoutTarget(v)
	}
	f.Accuracy = &record.Accuracy{Verdict: v, OfficialText: lastLines(string(text))}
	f.Verdict = string(v.Outcome)
}

// withoutTarget returns a verdict of the open division, which has no targets.
func withoutTarget(v judge.Verdict) judge.Verdict {
	v.Outcome, v.Basis = judge.Informational, "no target: the open division has none"
	for i := range v.Metrics {
		v.Metrics[i].Outcome, v.Metrics[i].Target, v.Metrics[i].Upper, v.Metrics[i].Text = judge.Informational, 0, 0, ""
	}
	return v
}

// lastLines returns the last lines of a script's output.
func lastLines(text string) string {
	const most = 10
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n") + "\n"
}
