package check

import (
	"slices"
	"strings"
)

// filedRun is a run in a result's folder.
type filedRun struct {
	of   *resultFolder
	path string // path of its detail log
	main bool   // a performance run, which checkDuplicates checks
}

// rememberRun records a run by its identity, if its log contains one.
func (r *resultFolder) rememberRun(l *runLog) {
	if l == nil {
		return
	}
	moment := l.runIdentity()
	if strings.Count(moment, " ") < 2 { // several runs can have the same date
		return
	}
	if r.filed == nil {
		r.filed = map[string][]filedRun{}
	}
	r.filed[moment] = append(r.filed[moment], filedRun{r, l.logPath(), l.role == mainRun})
}

// checkFiledTwice checks for runs of audits and accuracy runs that also belong to another result. It skips results with
// a common performance run, which checkDuplicates reports.
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

// isAccused reports whether the run was found to belong to another benchmark. The other result with the same run is
// then correct.
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
			severity = Warn // another scenario of the same benchmark
		}
		f.of.addFinding(severity, ruleDuplicates, f.path, whatFiledTwice, o.path, "a run of its own",
			"file the run where it was made, and run again for the other").Other = o.path
		return
	}
}
