package evidence

import (
	"regexp"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// maxQueries is LoadGen's remark that a thread stops issuing queries at max_query_count.
var maxQueries = regexp.MustCompile(`^IssueQueryThread \d+ Ending early: Max query count reached\. query_count \d+$`)

// RunErrors are the errors of a run's log (of which Detail keeps the first), and apart from them the remarks that it
// ended at its max_query_count where every query was issued and answered: LoadGen marks that as an error, too, and the
// audit.config of TEST07 in Server leads to it.
func RunErrors(d *mllog.Detail) (all, remarks []mllog.DetailEntry) {
	whole := issuedAll(d)
	for _, e := range d.Errors {
		text, _ := e.Text()
		if whole && e.Key == "error_runtime" && maxQueries.MatchString(strings.TrimSpace(text)) {
			remarks = append(remarks, e)
		} else {
			all = append(all, e)
		}
	}
	return all, remarks
}

// issuedAll says whether a run was answered as many queries as were generated for it, and no fewer than it had to have.
func issuedAll(d *mllog.Detail) bool {
	count := func(key string) (float64, bool) {
		e, _ := d.First(key)
		return e.Float()
	}
	done, ok := count("result_query_count")
	generated, ok2 := count("generated_query_count")
	least, ok3 := count("effective_min_query_count")
	return ok && ok2 && ok3 && done >= generated && done >= least && done > 0
}
