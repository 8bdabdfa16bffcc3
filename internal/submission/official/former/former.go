package former

import (
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/official/checker"
	"github.com/plumbline-ml/plumbline/internal/submission/official/internal/python"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// Check judges the tree at root like the checker of o.Round. It passes rounds since v5.0 to package checker. It returns
// errors about the round, about root itself and about its listing. The report contains all other faults. Former rounds
// have no private ids and no sizes of data sets, so it ignores o's fields about them.
func Check(root string, o checker.Options) (*checker.Report, error) {
	rules, err := mlconf.Round(o.Round)
	if err != nil {
		return nil, err
	}
	b, known, err := bookOf(rules)
	if err != nil {
		return nil, err
	}
	if !known {
		return checker.Check(root, o)
	}
	layout, err := tree.LayoutOf(rules.Name)
	if err != nil {
		return nil, err
	}
	r, err := bounded.OpenRoot(root)
	if err != nil {
		return nil, fmt.Errorf("open the submission: %w", err)
	}
	defer r.Close()
	c := &formerChecker{Options: o, rules: rules, features: rules.Checks(), book: b, layout: layout,
		files:   python.Tree{Root: r},
		entries: map[string]*pathEntry{}, report: &checker.Report{Round: rules.Name, Form: b.Table}}
	if err := c.walkDivisions(); err != nil {
		return nil, err
	}
	c.countEntries()
	return c.report, nil
}

// formerChecker is the state of a check.
type formerChecker struct {
	checker.Options
	rules    *mlconf.Rules
	features mlconf.Checks
	book     checkerBook
	layout   tree.Layout
	files    python.Tree
	report   *checker.Report

	entries map[string]*pathEntry
}

// pathEntry is the checker's entry for a path: a result, or nil for none. The checker records only one of several
// faults.
type pathEntry struct {
	value  any
	faults []checker.Reason
}

// refusePath records that a path has no result, with a reason.
func (c *formerChecker) refusePath(name, group, format string, args ...any) {
	e := c.entries[name]
	if e == nil {
		e = &pathEntry{}
		c.entries[name] = e
	}
	e.value = nil
	e.addFault(group, format, args...)
}

func (e *pathEntry) addFault(group, format string, args ...any) {
	e.faults = append(e.faults, checker.Reason{Group: group, Text: fmt.Sprintf(format, args...)})
}

func (c *formerChecker) addCrash(at string, err error) {
	c.report.Crashes = append(c.report.Crashes, checker.CrashedPath{Path: path.Clean(at), Text: err.Error()})
}

// countEntries counts the entries and sets the verdict.
func (c *formerChecker) countEntries() {
	r := c.report
	for _, name := range slices.Sorted(maps.Keys(c.entries)) {
		e := c.entries[name]
		switch {
		case pyvalue.IsTrue(e.value):
			r.Results++
		case e.value == nil:
			r.Rejected = append(r.Rejected, checker.Rejection{Folder: name, Reasons: e.faults})
		default:
			r.Zero = append(r.Zero, name)
		}
	}
	r.Folders = len(c.entries)
	switch {
	case len(r.Crashes) > 0:
		r.Verdict = checker.Crash
	case r.Results < r.Folders:
		r.Verdict = checker.Errors
	default:
		r.Verdict = checker.OK
	}
}
