package check

import (
	"slices"
	"strings"
)

// filedRun is a run in a result's folder.
type filedRun struct {
	result        *resultFolder
	path          string // path of its detail log
	isPerformance bool   // a performance run, which checkDuplicates checks
}

// recordRun records a run by its identity, if its log contains one.
func (r *resultFolder) recordRun(l *runLog) {
	if l == nil {
		return
	}
	moment := l.runIdentity()
	if strings.Count(moment, " ") < 2 { // several runs can have the same date
		return
	}
	if r.filedRuns == nil {
		r.filedRuns = map[string][]filedRun{}
	}
	r.filedRuns[moment] = append(r.filedRuns[moment], filedRun{r, l.logPath(), l.role == mainRun})
}

// checkFiledTwice checks for runs of audits and accuracy runs that also belong to another result. It skips results with
// a common performance run, which checkDuplicates reports.
func (c *treeChecker) checkFiledTwice() {
	all := map[string][]filedRun{}
	for _, r := range c.results {
		for moment, list := range r.filedRuns {
			all[moment] = append(all[moment], list...)
		}
	}
	for _, list := range all {
		for _, run := range list {
			if !run.isPerformance {
				run.checkOtherResults(list)
			}
		}
	}
}

// isAccused reports whether the run was found to belong to another benchmark. The other result with the same run is
// then correct.
func (f filedRun) isAccused() bool {
	return slices.ContainsFunc(f.result.findings, func(o Finding) bool {
		return o.Kind == AuditOfAnother &&
			o.Path == f.path
	})
}

func (f filedRun) checkOtherResults(list []filedRun) {
	for _, o := range list {
		if f.result.identity != "" && f.result.identity == o.result.identity || f.result.mayShare(o.result) ||
			o.isAccused() && !f.isAccused() {
			continue
		}
		severity := Reject
		if f.result.System == o.result.System && f.result.Submitter == o.result.Submitter &&
			f.result.model == o.result.model {
			severity = Warn // another scenario of the same benchmark
		}
		f.result.addFinding(severity, ruleDuplicates, f.path, whatFiledTwice, o.path, "a run of its own",
			"file the run where it was made, and run again for the other").Other = o.path
		return
	}
}
