package evidence

import (
	"regexp"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// maxQueries matches LoadGen's remark that a thread stops issuing queries at max_query_count.
var maxQueries = regexp.MustCompile(`^IssueQueryThread \d+ Ending early: Max query count reached\. query_count \d+$`)

// ranOut is part of LoadGen's remark that all samples were issued. Before v2.1, TEST04's settings caused it.
const ranOut = "Ran out of generated queries"

// SplitRanOut separates the errors of TEST04's runs from the remarks that all samples were issued.
func SplitRanOut(errors []mllog.DetailEntry) (all, remarks []mllog.DetailEntry) {
	for _, e := range errors {
		if message, _ := e.Text(); strings.Contains(message, ranOut) {
			remarks = append(remarks, e)
		} else {
			all = append(all, e)
		}
	}
	return all, remarks
}

// RunErrors returns the errors in a run's log (Detail keeps the first ones). remarks contains, separately, the remarks
// that the run ended at its max_query_count if all queries were issued and answered. LoadGen marks these remarks as
// errors too, and TEST07's audit.config causes them in the Server scenario.
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

// issuedAll reports whether all generated queries of a run were answered, and their number is not below the minimum.
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
