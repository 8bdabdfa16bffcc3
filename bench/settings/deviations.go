package settings

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// listDeviations lists the values that leave the rules, those of all scenarios first.
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

// isResult says that the rules leave a setting that they fix elsewhere: at an arrival interval the number of samples
// per query is the result.
func isResult(f loadgen.Field, s loadgen.TestSettings) bool {
	return f.Name == "MultiStreamSamplesPerQuery" && s.MultiStreamArrivalInterval > 0
}

// withUnit is a value with its unit, but for counts, whose names say what they count.
func withUnit(f loadgen.Field, s loadgen.TestSettings) string {
	if f.Unit == "ms" || f.Unit == "%" {
		return f.Text(s) + " " + f.Unit
	}
	return f.Text(s)
}
