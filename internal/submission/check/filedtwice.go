package check

import (
	"slices"
	"strings"
)

// filedRun is a run as it lies in a result's folder.
type filedRun struct {
	of   *resultFolder
	path string // of its detail log
	main bool   // the performance run, which checkDuplicates looks at
}

// rememberRun remembers a run by what tells it from others, where its log has that.
func (r *resultFolder) rememberRun(l *runLog) {
	if l == nil {
		return
	}
	moment := l.runIdentity()
	if strings.Count(moment, " ") < 2 { // a date alone may be that of several runs
		return
	}
	if r.filed == nil {
		r.filed = map[string][]filedRun{}
	}
	r.filed[moment] = append(r.filed[moment], filedRun{r, l.logPath(), l.role == mainRun})
}

// checkFiledTwice looks for runs of audits and accuracy runs that are another result's. Results whose performance runs
// are one are told by that.
func (c *treeChecker) checkFiledTwice() {
	all := map[string][]filedRun{}
	for _, r := range c.results {
		for moment, list := range r.filed {
			all[moment] = append(all[moment], list...)
		}
	}
	for _, list := range all {
		for _, run := range list {
			if !run.main {
				run.checkAmong(list)
			}
		}
	}
}

// isAccused says whether the run was found to be another benchmark's: then the other that has it is right.
func (f filedRun) isAccused() bool {
	return slices.ContainsFunc(f.of.findings, func(o Finding) bool { return o.Kind == AuditOfAnother && o.Path == f.path })
}

func (f filedRun) checkAmong(list []filedRun) {
	for _, o := range list {
		if f.of.moment != "" && f.of.moment == o.of.moment || f.of.mayShare(o.of) || o.isAccused() && !f.isAccused() {
			continue
		}
		severity := Reject
		if f.of.System == o.of.System && f.of.Submitter == o.of.Submitter && f.of.model == o.of.model {
			severity = Warn // another scenario of the benchmark
		}
		f.of.addFinding(severity, ruleDuplicates, f.path, whatFiledTwice, o.path, "a run of its own",
			"file the run where it was made, and run again for the other").Other = o.path
		return
	}
}
