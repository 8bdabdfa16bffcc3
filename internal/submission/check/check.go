package check

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/plumbline-ml/plumbline/internal/parallel"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// Options selects the checks to omit and a receiver of progress. The zero value checks everything.
type Options struct {
	Submitter string // check only this submitter; empty: all
	// Only, if not nil, selects the results to check. Systems and submitters are always checked.
	Only func(tree.Place) bool
	Skip Skip
	// Progress, if not nil, is called after each result with the numbers of checked results and of all results. Calls are
	// never concurrent.
	Progress func(done, all int)
}

// Skip selects the checks that the official checker's flags disable.
type Skip struct {
	EmptyFields   bool // --skip-meaningful-fields-emptiness-check
	EmptyFiles    bool // --skip-empty-files-check
	AccuracyFiles bool // --skip-extra-accuracy-files-check
	DatasetSize   bool // --skip-dataset-size-check
	PowerFiles    bool // --skip-power-check: the content of the power meter's files
	Uncommitted   bool // --submission-exceptions: a LoadGen built from changed sources
}

// Run checks a tree by its round's rules. The report contains all faults of the tree. Run returns an error if ctx ends,
// or if there is nothing to check.
func Run(ctx context.Context, t *tree.Tree, o Options) (*Report, error) {
	rules, err := mlconf.Round(t.Layout.Round)
	if err != nil {
		return nil, err
	}
	c := &treeChecker{tree: t, rules: rules, features: rules.Checks(), options: o}
	if err := c.findWork(); err != nil {
		return nil, err
	}
	c.checkTree()
	for _, s := range c.systems {
		s.checkSystem()
	}
	if err := c.checkResults(ctx); err != nil {
		return nil, err
	}
	c.checkDuplicates()
	c.checkFiledTwice()
	return c.makeReport(), nil
}

// treeChecker is the state of a check.
type treeChecker struct {
	tree     *tree.Tree
	rules    *mlconf.Rules
	features mlconf.Checks // the round's properties for checks
	options  Options
	systems  []*systemFolder
	results  []*resultFolder

	findings []Finding // findings without a result
}

// findWork collects the submitters, systems and results to check.
func (c *treeChecker) findWork() error {
	submitters, err := c.tree.ChooseSubmitters(c.options.Submitter)
	for _, s := range submitters {
		c.addSubmitter(s)
	}
	return err
}

func (c *treeChecker) addSubmitter(s tree.Submitter) {
	sub := &submitterFolder{checker: c, Submitter: s}
	sub.readMapping()
	sub.checkSubmitter()
	for _, folder := range s.Systems {
		sys := newSystem(sub, folder)
		c.systems = append(c.systems, sys)
		c.results = append(c.results, slices.DeleteFunc(sys.resultFolders(), func(r *resultFolder) bool {
			return c.options.Only != nil && !c.options.Only(r.Place)
		})...)
	}
}

// checkResults checks the results on all cores, each result in one goroutine.
func (c *treeChecker) checkResults(ctx context.Context) error {
	var lock sync.Mutex
	done := 0
	parallel.Each(ctx, len(c.results), func(i int) {
		c.results[i].checkResult()
		lock.Lock()
		defer lock.Unlock()
		if done++; c.options.Progress != nil {
			c.options.Progress(done, len(c.results))
		}
	})
	if done < len(c.results) {
		return ctx.Err()
	}
	return nil
}

// makeReport returns the report with sorted findings.
func (c *treeChecker) makeReport() *Report {
	report := &Report{Rules: c.rules.Name, Results: []Result{}, Findings: append([]Finding{}, c.findings...),
		NotJudged: notJudged(c.rules)}
	for _, s := range c.systems {
		report.Findings = append(report.Findings, s.findings...)
	}
	for _, r := range c.results {
		report.Results = append(report.Results, r.toResult())
		report.Findings = append(report.Findings, r.findings...)
	}
	slices.SortStableFunc(report.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Result, b.Result), cmp.Compare(a.Path, b.Path))
	})
	report.judgeFindings()
	return report
}

// addFinding adds a finding without a result.
func (c *treeChecker) addFinding(s Severity, rule, path, what, found, expected, do string) {
	c.findings = append(c.findings, Finding{Severity: s, Rule: rule, Path: path, What: what, Found: found,
		Expected: expected, Source: ruleSource(rule), Do: do})
}
