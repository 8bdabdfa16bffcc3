package settings

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// listDeviations lists the values that deviate from the rules, starting with settings of all scenarios.
func listDeviations(rules, s loadgen.TestSettings) []string {
	var common, own []string
	for _, f := range loadgen.Fields() {
		if !f.Applies(s.Scenario) || f.Keeps(rules, s) || isResult(f, s) {
			continue
		}
		text := fmt.Sprintf("%s = %s, rules %s", f.UserKey(), withUnit(f, s), withUnit(f, rules))
		if f.Scenario == "" {
			common = append(common, text)
		} else {
			own = append(own, text)
		}
	}
	return append(common, own...)
}

// isResult reports whether a setting that the rules otherwise fix is the result of the run: at an arrival interval, the
// number of samples per query.
func isResult(f loadgen.Field, s loadgen.TestSettings) bool {
	return f.Name == "MultiStreamSamplesPerQuery" && s.MultiStreamArrivalInterval > 0
}

// withUnit returns a value with its unit. Counts have no unit because their names state what they count.
func withUnit(f loadgen.Field, s loadgen.TestSettings) string {
	if f.Unit == "ms" || f.Unit == "%" {
		return f.Text(s) + " " + f.Unit
	}
	return f.Text(s)
}
