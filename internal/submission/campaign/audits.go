package campaign

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"

	"github.com/plumbline-ml/plumbline/internal/submission/audit"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// AuditResult is the result of one audit of a scenario.
type AuditResult struct {
	Model, Scenario, Test string
	Folder                string // folder of the test in the output folder
	Verdict               audit.Verdict
}

// verdictCode returns the exit code of a verdict.
func verdictCode(v audit.Verdict, err error) exitcode.Code {
	switch {
	case err != nil:
		return exitcode.Of(err)
	case v.LacksLog():
		return exitcode.Data
	case !v.Pass:
		return exitcode.Invalid
	}
	return exitcode.Valid
}

// AllTests is the word for all tests that the rules require for a model.
const AllTests = "all"

// SelectTests returns the audits that a word selects for a model, by the names in the rules' tables. The word is
// AllTests, or one of the round's tests for the model in any case of letters.
func SelectTests(rules *mlconf.Rules, rulesKey, word string) ([]string, error) {
	wanted := joinRuns(rules.Audits(rulesKey))
	if testOfRun(word) == tree.Caching {
		word = tree.Caching
	}
	at := slices.IndexFunc(wanted, func(test string) bool { return strings.EqualFold(test, word) })
	switch {
	case len(wanted) == 0 && !rules.Has(rulesKey):
		return nil, fmt.Errorf("rules %s do not list %s; name a round that does with --rules", rules.Name, rulesKey)
	case len(wanted) == 0:
		return nil, fmt.Errorf("rules %s ask no audit of %s", rules.Name, rulesKey)
	case word == AllTests:
		return wanted, nil
	case at < 0:
		wanted = slices.DeleteFunc(slices.Clone(wanted), func(test string) bool {
			return !slices.Contains(offeredTests,
				test)
		})
		return nil, fmt.Errorf("%s is not an audit of %s under rules %s; want one of %s, or %s",
			word, rulesKey, rules.Name, strings.Join(wanted, ", "), AllTests)
	}
	return wanted[at : at+1], nil
}

// joinRuns replaces the two runs that TEST04 was before v2.1 with the name of the test.
func joinRuns(tests []string) []string {
	var joined []string
	for _, test := range tests {
		joined = append(joined, testOfRun(test))
	}
	return slices.Compact(joined)
}

// testOfRun returns the test that a run belongs to.
func testOfRun(run string) string {
	if name := strings.ToUpper(run); name == tree.CachingUnique || name == tree.CachingSame {
		return tree.Caching
	}
	return run
}

// errNotOffered returns an error that states why this project does not run a test.
func errNotOffered(test string) error {
	return fmt.Errorf("%s is not run here: run it as its benchmark says, and judge it with `harness audit verify`", test)
}

// referenceModes returns the modes of the runs with which a test compares its own run.
func referenceModes(test string) []string {
	switch test {
	case "TEST01", "TEST08":
		return []string{bench.ModePerformance, bench.ModeAccuracy}
	case "TEST06", "TEST07", "TEST09":
		return nil
	}
	return []string{bench.ModePerformance}
}

// AuditSteps returns the runs of an audit of a scenario. The last one is the test's own run. It returns an error if the
// round has no settings for the test.
func AuditSteps(rules *mlconf.Rules, m Model, scenario, test string) ([]Step, error) {
	if !slices.Contains(offeredTests, test) {
		return nil, exitcode.Mark(exitcode.Usage, errNotOffered(test))
	}
	if test == tree.Caching && rules.AuditFeatures().CachingInTwo {
		return cachingSteps(rules, m, scenario)
	}
	config, err := audit.ConfigOf(rules, test, m.RulesKey)
	if err != nil {
		return nil, exitcode.Mark(exitcode.Usage, err)
	}
	own := m.ownData[test]
	config = config.ForOwnData(own)
	steps := []Step{}
	for _, mode := range referenceModes(test) {
		steps = append(steps, Step{Scenario: scenario, Mode: mode})
	}
	return append(steps, Step{
		Scenario: scenario, Mode: bench.ModePerformance,
		Test: bench.Test{Name: test, Config: config.ConfigText(), Judged: true}, config: config,
		// TEST06's hundred queries are too few for a percentile, as can be a plugin's own questions, each asked once.
		Unjudged: test == "TEST06" || len(steps) == 0 && own.Samples > 0,
		Settings: extraSettings(test, own),
	}), nil
}

// cachingSteps returns the two runs of TEST04 before v2.1. Each issues as many samples as are loaded.
func cachingSteps(rules *mlconf.Rules, m Model, scenario string) (steps []Step, err error) {
	for _, name := range []string{tree.CachingUnique, tree.CachingSame} {
		config, err := audit.ConfigOf(rules, name, m.RulesKey)
		if err != nil {
			return nil, exitcode.Mark(exitcode.Usage, err)
		}
		steps = append(steps, Step{
			Scenario: scenario, Mode: bench.ModePerformance, Unjudged: true, config: config,
			Test: bench.Test{Name: name, Config: config.ConfigText(), Judged: name == tree.CachingSame},
		})
	}
	return steps, nil
}

// extraSettings returns additional settings for a test's run. They reset the size of the sample library, because
// TEST07's data set and a plugin's own data can be smaller than the rules' size.
func extraSettings(test string, own audit.OwnData) []string {
	if test == "TEST07" || test == "TEST09" && own.Samples > 0 {
		return []string{"performance_sample_count_override=0"}
	}
	return nil
}

// offeredTests lists the tests that this project runs.
var offeredTests = []string{"TEST01", "TEST04", "TEST05", "TEST06", "TEST07", "TEST08", "TEST09"}

// RunAudits runs tests for each scenario of a model and passes each result to done. It returns an error if it could not
// begin, or if ctx ended before all tests were complete.
func (c *Campaign) RunAudits(ctx context.Context, rules *mlconf.Rules, m Model, tests []string,
	done func(AuditResult, error)) error {
	var pieces []workPiece
	for _, scenario := range m.Scenarios {
		for _, test := range tests {
			p, err := c.planAudit(rules, m, scenario, test, done)
			if err != nil {
				return err
			}
			pieces = append(pieces, p)
		}
	}
	return executePieces(ctx, pieces)
}

// planAudit returns the piece of work for one test of a scenario.
func (c *Campaign) planAudit(rules *mlconf.Rules, m Model, scenario, test string,
	done func(AuditResult, error)) (workPiece, error) {
	steps, err := AuditSteps(rules, m, scenario, test)
	return workPiece{c, steps, func(ctx context.Context) exitcode.Code {
		a, err := c.RunAudit(ctx, rules, m, scenario, test)
		done(a, err)
		return verdictCode(a.Verdict, err)
	}}, err
}

// Audit makes the missing runs of an audit and judges their logs. It writes the verdict into the test's folder and
// result.json. An audit fails if one of its runs is not good. Audit returns an error if there is no verdict.
func (c *Campaign) RunAudit(ctx context.Context, rules *mlconf.Rules, m Model, scenario, test string) (AuditResult,
	error) {
	a := AuditResult{
		Model: m.Name, Scenario: scenario, Test: test, Folder: filepath.Join(c.scenarioFolder(m.Name, scenario), test),
	}
	steps, err := AuditSteps(rules, m, scenario, test)
	if err != nil {
		return a, err
	}
	own := steps[len(steps)-1]
	folder := c.scenarioFolder(m.Name, scenario)
	reference := audit.ResultLogs(folder)
	if first := steps[0].Test.Name; own.Test.Name != test { // the first of two runs of the test
		a.Folder = filepath.Join(folder, first)
		reference = audit.RunLogs(filepath.Join(a.Folder, tree.PerformanceDir, tree.RunDir))
	}
	for _, s := range steps {
		rec, err := c.MakeRun(ctx, s)
		if err != nil {
			return a, err
		}
		if !rec.Good() && s.Mode == bench.ModePerformance && !s.Unjudged {
			a.Verdict = verdictOnBadRun(test, rec)
			return a, c.recordVerdict(own, false)
		}
	}
	a.Verdict, err = audit.Verify(ctx, audit.Request{
		Test: test, Rules: rules, Model: m.RulesKey, Scenario: scenario, DType: m.elementType, Config: &own.config,
		Reference: reference,
		Run:       audit.RunLogs(filepath.Join(folder, own.Test.Name, tree.PerformanceDir, tree.RunDir)),
		Score:     c.newScorer(rules, m.RulesKey, own), EOS: m.endTokens,
	})
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return a, fmt.Errorf("%s %s is not judged: %w", scenario, test, err)
	}
	return a, errors.Join(c.placeVerdict(a), c.recordVerdict(own, a.Verdict.Pass))
}

// recordVerdict writes the verdict into the record of the test's run, if that exists.
func (c *Campaign) recordVerdict(own Step, passed bool) error {
	rec, made := c.completeRuns[own.runKey()]
	if !made {
		return nil
	}
	rec.Judge(passed)
	c.keepRecord(own, rec)
	return bench.Record(c.Request.Output.Dir, rec)
}

// verdictOnBadRun returns the verdict for an audit with a required run that has no valid result.
func verdictOnBadRun(test string, rec record.Run) audit.Verdict {
	return audit.Verdict{Test: test, Reasons: []audit.Reason{{
		Check: "run", File: rec.Dir, Found: fmt.Sprintf("the %s run is %s", rec.Kind(), rec.Verdict),
		Want:   "a VALID one",
		Advice: "see why it is not, mend that, and give the same command again: it is made anew",
	}}}
}

// placeVerdict writes the verdict and copies the logs. It leaves logs unchanged that are already in their place.
func (c *Campaign) placeVerdict(a AuditResult) error {
	v := a.Verdict
	v.Copies = maps.Clone(v.Copies)
	maps.DeleteFunc(v.Copies, func(to, from string) bool {
		return filepath.Join(a.Folder, filepath.FromSlash(to)) == filepath.Clean(from)
	})
	return audit.WriteVerdict(v, filepath.Dir(a.Folder))
}
