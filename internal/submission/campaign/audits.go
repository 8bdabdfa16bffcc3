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
	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"

	"github.com/plumbline-ml/plumbline/internal/submission/audit"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// Audited is the result of one audit of a scenario.
type Audited struct {
	Model, Scenario, Test string
	Folder                string // of the test, in the output folder
	Verdict               audit.Verdict
}

// verdictCode is the class of a verdict.
func verdictCode(v audit.Verdict, err error) exitcode.Code {
	switch {
	case err != nil:
		return exitcode.Of(err)
	case v.Missing():
		return exitcode.Data
	case !v.Pass:
		return exitcode.Invalid
	}
	return exitcode.Valid
}

// AllTests is the word for all tests that the rules ask of a model.
const AllTests = "all"

// Tests are the audits that a word means for a model, named as in the rules' tables, in any case of letters: one of
// the round's for it, or AllTests.
func Tests(rules *mlconf.Rules, rulesKey, word string) ([]string, error) {
	wanted := rules.Audits(rulesKey)
	at := slices.IndexFunc(wanted, func(test string) bool { return strings.EqualFold(test, word) })
	switch {
	case len(wanted) == 0 && !rules.Has(rulesKey):
		return nil, fmt.Errorf("rules %s do not list %s; name a round that does with --rules", rules.Name, rulesKey)
	case len(wanted) == 0:
		return nil, fmt.Errorf("rules %s ask no audit of %s", rules.Name, rulesKey)
	case word == AllTests:
		return wanted, nil
	case at < 0 && strings.EqualFold(word, "TEST04") && slices.Contains(wanted, tree.CachingUnique):
		return nil, notRun(rules, tree.CachingUnique)
	case at < 0:
		wanted = slices.DeleteFunc(slices.Clone(wanted), func(test string) bool { return !slices.Contains(offered, test) })
		return nil, fmt.Errorf("%s is not an audit of %s under rules %s; want one of %s, or %s",
			word, rulesKey, rules.Name, strings.Join(wanted, ", "), AllTests)
	}
	return wanted[at : at+1], nil
}

// notRun says why the runs of a test are not made here.
func notRun(rules *mlconf.Rules, test string) error {
	if test == tree.CachingUnique || test == tree.CachingSame {
		return fmt.Errorf("TEST04 of rules %s compares two runs, %s and %s, and audit neither makes nor judges them; make "+
			"them by --set performance_issue_unique=1 and --set performance_issue_same=1 and compare them with that round's "+
			"script, or give --rules v2.1 or newer", rules.Name, tree.CachingUnique, tree.CachingSame)
	}
	return fmt.Errorf("%s is not run here: run it as its benchmark says, and judge it with `harness audit verify`", test)
}

// referenceModes are the modes of the runs that a test compares its own with.
func referenceModes(test string) []string {
	switch test {
	case "TEST01", "TEST08":
		return []string{bench.ModePerformance, bench.ModeAccuracy}
	case "TEST06", "TEST07", "TEST09":
		return nil
	}
	return []string{bench.ModePerformance}
}

// Steps are the runs of an audit of a scenario of a model, the test's own last. An error says that the round has no
// settings for it.
func Steps(rules *mlconf.Rules, m Model, scenario, test string) ([]Step, error) {
	if !slices.Contains(offered, test) {
		return nil, exitcode.Mark(exitcode.Usage, notRun(rules, test))
	}
	config, err := audit.ConfigOf(rules, test, m.RulesKey)
	if err != nil {
		return nil, exitcode.Mark(exitcode.Usage, err)
	}
	own := m.own[test]
	config = config.On(own)
	steps := lists.Map(referenceModes(test), func(mode string) Step { return Step{Scenario: scenario, Mode: mode} })
	return append(steps, Step{
		Scenario: scenario, Mode: bench.ModePerformance,
		Test: bench.Test{Name: test, Config: config.Text(), Judged: true}, config: config,
		// A hundred queries are too few for a percentile, as are a plugin's own questions where each is asked once.
		Unjudged: test == "TEST06" || len(steps) == 0 && own.Samples > 0,
		Set:      settingsOf(test, own),
	}), nil
}

// settingsOf are settings of a test's run that are not the test's: the data set that TEST07 has alone is smaller than
// what the rules' settings have the library of samples hold, and so may a plugin's own be than settings for seconds.
func settingsOf(test string, own audit.Own) []string {
	if test == "TEST07" || test == "TEST09" && own.Samples > 0 {
		return []string{"performance_sample_count_override=0"}
	}
	return nil
}

// offered are the tests whose runs are made here.
var offered = []string{"TEST01", "TEST04", "TEST05", "TEST06", "TEST07", "TEST08", "TEST09"}

// Audits makes tests of each scenario of a model, and tells of each. An error says what kept it from beginning, or that
// ctx ended before all was made; what became of each audit, done hears.
func (c *Campaign) Audits(ctx context.Context, rules *mlconf.Rules, m Model, tests []string,
	done func(Audited, error)) error {
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
	return inTurn(ctx, pieces)
}

// planAudit is the piece of one test of a scenario.
func (c *Campaign) planAudit(rules *mlconf.Rules, m Model, scenario, test string,
	done func(Audited, error)) (workPiece, error) {
	steps, err := Steps(rules, m, scenario, test)
	return workPiece{c, steps, func(ctx context.Context) exitcode.Code {
		a, err := c.Audit(ctx, rules, m, scenario, test)
		done(a, err)
		return verdictCode(a.Verdict, err)
	}}, err
}

// Audit makes what is missing of the runs of an audit, judges their logs, and writes the verdict into the test's folder
// and into result.json. An audit whose runs are not good is one that fails. The error says why there is no verdict.
func (c *Campaign) Audit(ctx context.Context, rules *mlconf.Rules, m Model, scenario, test string) (Audited, error) {
	a := Audited{
		Model: m.Name, Scenario: scenario, Test: test, Folder: filepath.Join(c.scenarioFolder(m.Name, scenario), test),
	}
	steps, err := Steps(rules, m, scenario, test)
	if err != nil {
		return a, err
	}
	own := steps[len(steps)-1]
	for _, s := range steps {
		rec, err := c.Make(ctx, s)
		if err != nil {
			return a, err
		}
		if !rec.Good() && s.Mode == bench.ModePerformance && !s.Unjudged {
			a.Verdict = notGood(test, rec)
			return a, c.recordVerdict(own, false)
		}
	}
	a.Verdict, err = audit.Verify(ctx, audit.Request{
		Test: test, Rules: rules, Model: m.RulesKey, Scenario: scenario, DType: m.element, Config: &own.config,
		Reference: audit.ResultLogs(c.scenarioFolder(m.Name, scenario)),
		Run:       audit.RunLogs(filepath.Join(a.Folder, tree.PerformanceDir, tree.RunDir)),
		Score:     c.newScorer(rules, m.RulesKey, own), EOS: m.ends,
	})
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return a, fmt.Errorf("%s %s is not judged: %w", scenario, test, err)
	}
	return a, errors.Join(c.placeVerdict(a), c.recordVerdict(own, a.Verdict.Pass))
}

// recordVerdict writes what a test found into the record of its run, if that was made.
func (c *Campaign) recordVerdict(own Step, passed bool) error {
	rec, made := c.given[own.keyOf()]
	if !made {
		return nil
	}
	rec.Judge(passed)
	c.giveRecord(own, rec)
	return bench.Record(c.Request.Output.Dir, rec)
}

// notGood is the verdict where a run that is needed has no result.
func notGood(test string, rec record.Run) audit.Verdict {
	return audit.Verdict{Test: test, Reasons: []audit.Reason{{
		Check: "run", File: rec.Dir, Found: fmt.Sprintf("the %s run is %s", rec.Kind(), rec.Verdict),
		Want: "a VALID one",
		Do:   "see why it is not, mend that, and give the same command again: it is made anew",
	}}}
}

// placeVerdict places the verdict and the logs. Those that the run wrote where they belong stay as they are.
func (c *Campaign) placeVerdict(a Audited) error {
	v := a.Verdict
	v.Copies = maps.Clone(v.Copies)
	maps.DeleteFunc(v.Copies, func(to, from string) bool {
		return filepath.Join(a.Folder, filepath.FromSlash(to)) == filepath.Clean(from)
	})
	return audit.Write(v, filepath.Dir(a.Folder))
}
