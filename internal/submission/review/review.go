package review

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/check"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// Review lists the findings to act on in a round, or in one submitter's part of it.
type Review struct {
	Round     string `json:"round"`
	Submitter string `json:"submitter,omitempty"` // only this submitter; empty: all
	Results   int    `json:"results"`             // number of checked results
	ToActOn   int    `json:"results_to_act_on"`
	// ForForms is the number of results rejected only because of files and forms, without a finding to act on.
	ForForms int `json:"results_rejected_for_forms"`
	// Kinds contains the kinds with findings, by weight.
	Kinds []Kind `json:"kinds"`
	// Folded contains the findings that are not handled individually, by severity and then by number.
	Folded []Fold `json:"folded"`
	// Against compares with another round's results of the same systems; nil: not requested.
	Against *Against `json:"against,omitempty"`

	scope Scope
}

// Kind contains the findings of one kind.
type Kind struct {
	ID         string      `json:"kind"`
	Title      string      `json:"title"`
	Ask        string      `json:"ask"`     // question to the submitter
	Results    int         `json:"results"` // number of results with the kind
	Submitters []Submitter `json:"submitters"`
}

// Submitter contains the findings of one kind in one submitter's folder.
type Submitter struct {
	Folder  string `json:"folder"` // such as "closed/Toylab"; empty: the tree itself
	Results int    `json:"results"`
	Cases   []Case `json:"cases"`
}

// Case is a run, or a file outside of runs, with findings of one kind.
type Case struct {
	Result   string          `json:"result,omitempty"` // folder of the result; empty: none
	Run      string          `json:"run"`              // "performance", "accuracy", or the name of the audit
	Findings []check.Finding `json:"findings"`
	// Follow contains findings on the same run that follow from these.
	Follow []check.Finding `json:"follow,omitempty"`
}

// Fold counts findings that are not handled individually.
type Fold struct {
	Severity check.Severity `json:"severity"`
	Rule     string         `json:"rule"`
	What     string         `json:"what"`
	Count    int            `json:"count"`
	First    string         `json:"first"` // path of the first one
}

// Scope is a part of a tree. The zero value is the whole tree.
type Scope struct {
	Submitter string // name in any division; empty: all
	Folder    string // relative to the tree, with slashes; empty or ".": all
}

// contains reports whether a file or folder is in the scope.
func (s Scope) contains(name string) bool {
	within := s.Folder == "" || s.Folder == "." || name == s.Folder || strings.HasPrefix(name, s.Folder+"/")
	return within && (s.Submitter == "" || path.Base(submitterFolder(name)) == s.Submitter)
}

// concerns reports whether a finding is in the scope. Audits can be in other folders than their results.
func (s Scope) concerns(f check.Finding) bool {
	return s.contains(f.Path) || f.Result != "" && s.contains(f.Result)
}

// Make sorts the findings of a check within a part of the tree.
func Make(report *check.Report, scope Scope) *Review {
	r := &Review{Round: report.Rules, Submitter: scope.Submitter, Kinds: []Kind{}, Folded: []Fold{}, scope: scope}
	for _, result := range report.Results {
		if scope.contains(result.Path) {
			r.Results++
		}
	}
	byRun, order := map[findingRun][]check.Finding{}, []findingRun{}
	var folded []check.Finding
	for _, f := range report.Findings {
		if !scope.concerns(f) {
			continue
		}
		if _, acted := kindOf(f); !acted {
			folded = append(folded, f)
			continue
		}
		at := runOf(f)
		if byRun[at] == nil {
			order = append(order, at)
		}
		byRun[at] = append(byRun[at], f)
	}
	byKind := map[string][]Case{}
	for _, at := range order {
		for id, c := range groupByKind(at, byRun[at]) {
			byKind[id] = append(byKind[id], c)
		}
	}
	acted := r.groupCases(byKind)
	r.ToActOn, r.ForForms = len(acted), countRejectedByFolded(folded, acted)
	r.Folded = foldFindings(folded)
	return r
}

// countRejectedByFolded returns the number of results that only folded findings reject.
func countRejectedByFolded(folded []check.Finding, acted map[string]bool) int {
	alone := map[string]bool{}
	for _, f := range folded {
		if f.Severity == check.Reject && f.Result != "" && !acted[f.Result] {
			alone[f.Result] = true
		}
	}
	return len(alone)
}

// Clean reports whether there is nothing to act on and nothing is rejected.
func (r *Review) Clean() bool {
	rejects := func(f Fold) bool { return f.Severity == check.Reject }
	return len(r.Kinds) == 0 && !slices.ContainsFunc(r.Folded, rejects)
}

// findingRun identifies the run of findings.
type findingRun struct{ result, part string }

// runOf returns the run of a finding. The folder's name identifies audits and accuracy runs. A finding without a result
// has its own run.
func runOf(f check.Finding) findingRun {
	if f.Result == "" {
		return findingRun{"", f.Path}
	}
	parts := strings.Split(f.Path, "/")
	for _, test := range tree.AuditTests() {
		if slices.Contains(parts, test) {
			return findingRun{f.Result, test}
		}
	}
	if strings.HasPrefix(f.Path, f.Result+"/"+tree.AccuracyDir+"/") {
		return findingRun{f.Result, tree.AccuracyDir}
	}
	return findingRun{f.Result, tree.PerformanceDir}
}

// groupByKind groups the findings on a run by kind. If one is a cause, the others follow from it.
func groupByKind(at findingRun, list []check.Finding) map[string]Case {
	rank := func(f check.Finding) int {
		k, _ := kindOf(f)
		i := slices.IndexFunc(kindsInOrder, func(o kind) bool { return o.id == k.id })
		return cmp.Or(i+1, len(kindsInOrder)+1)
	}
	slices.SortStableFunc(list, func(a, b check.Finding) int { return rank(a) - rank(b) })
	first, _ := kindOf(list[0])
	cases := map[string]Case{}
	for _, f := range list {
		k, _ := kindOf(f)
		follows := first.cause && k.id != first.id
		if follows {
			k = first
		}
		c, has := cases[k.id]
		if !has {
			c = Case{Result: at.result, Run: at.part}
		}
		if follows {
			c.Follow = append(c.Follow, f)
		} else {
			c.Findings = append(c.Findings, f)
		}
		cases[k.id] = c
	}
	return cases
}

// groupCases adds the cases in order of kinds and submitters, and returns their results.
func (r *Review) groupCases(byKind map[string][]Case) (acted map[string]bool) {
	ids := slices.Clone(kindsInOrder)
	for _, id := range slices.Sorted(maps.Keys(byKind)) {
		if !slices.ContainsFunc(ids, func(k kind) bool { return k.id == id }) {
			k, _ := kindOf(byKind[id][0].Findings[0])
			ids = append(ids, k)
		}
	}
	acted = map[string]bool{}
	for _, known := range ids {
		cases := byKind[known.id]
		if len(cases) == 0 {
			continue
		}
		k, at := Kind{ID: known.id, Title: known.title, Ask: known.ask, Results: countResults(cases)}, map[string]int{}
		for _, c := range cases {
			if c.Result != "" {
				acted[c.Result] = true
			}
			folder := submitterFolder(c.Findings[0].Path)
			i, has := at[folder]
			if !has {
				i, at[folder] = len(k.Submitters), len(k.Submitters)
				k.Submitters = append(k.Submitters, Submitter{Folder: folder})
			}
			k.Submitters[i].Cases = append(k.Submitters[i].Cases, c)
		}
		for i := range k.Submitters {
			k.Submitters[i].Results = countResults(k.Submitters[i].Cases)
		}
		slices.SortFunc(k.Submitters, func(a, b Submitter) int { return cmp.Compare(a.Folder, b.Folder) })
		r.Kinds = append(r.Kinds, k)
	}
	return acted
}

// countResults returns the number of results with cases.
func countResults(cases []Case) int {
	all := map[string]bool{}
	for _, c := range cases {
		if c.Result != "" {
			all[c.Result] = true
		}
	}
	return len(all)
}

// submitterFolder returns the submitter's folder of a path, such as "closed/Toylab"; empty: none.
func submitterFolder(name string) string {
	parts := strings.SplitN(name, "/", 3)
	if len(parts) < 2 || !slices.Contains(tree.Divisions(), parts[0]) {
		return ""
	}
	return path.Join(parts[0], parts[1])
}

// foldFindings counts findings with the same text. Texts by the repository's rules contain the file's name.
func foldFindings(list []check.Finding) []Fold {
	type said struct {
		severity   check.Severity
		rule, what string
	}
	folds, at := []Fold{}, map[said]int{}
	for _, f := range list {
		what := f.What
		if f.Rule == "repository" {
			what = "the repository does not take a name, a link or a size"
		}
		key := said{f.Severity, f.Rule, what}
		i, has := at[key]
		if !has {
			i, at[key] = len(folds), len(folds)
			folds = append(folds, Fold{f.Severity, f.Rule, what, 0, f.Path})
		}
		folds[i].Count++
	}
	weight := []check.Severity{check.Reject, check.Warn, check.Note}
	slices.SortStableFunc(folds, func(a, b Fold) int {
		return cmp.Or(slices.Index(weight, a.Severity)-slices.Index(weight, b.Severity), b.Count-a.Count)
	})
	return folds
}

// Submitters returns the names of the submitters with findings to act on, sorted and without duplicates.
func (r *Review) Submitters() []string {
	var names []string
	for _, k := range r.Kinds {
		for _, s := range k.Submitters {
			if s.Folder != "" {
				names = append(names, path.Base(s.Folder))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Of returns the part of a review on one submitter. report is the report from which the review was made.
func (r *Review) Of(report *check.Report, submitter string) *Review {
	scope := r.scope
	scope.Submitter = submitter
	one := Make(report, scope)
	if r.Against != nil {
		against := *r.Against
		against.Pairs = slices.DeleteFunc(slices.Clone(against.Pairs), func(p Pair) bool { return !scope.contains(p.Result) })
		against.Alone = one.Results - len(against.Pairs)
		one.Against = &against
	}
	return one
}
