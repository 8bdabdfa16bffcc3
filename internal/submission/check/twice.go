package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// onceKeys lists the prefixes of keys that LoadGen writes once in a performance run.
var onceKeys = []string{"result_", "early_stopping_", "effective_", "requested_", "loadgen_version", "num_errors",
	"sut_name"}

// checkTwice reports keys that occur again with another value. The official tools read the first one.
func (r *resultFolder) checkTwice(l *runLog) {
	for key, list := range l.detail.Repeated {
		if !slices.ContainsFunc(onceKeys, func(p string) bool { return strings.HasPrefix(key, p) }) {
			continue
		}
		first := quoteValue(list[0].Value)
		other := slices.IndexFunc(list, func(e mllog.DetailEntry) bool { return quoteValue(e.Value) != first })
		if other < 0 {
			r.addWarning(ruleLogFormat, l.logPath(), "an entry is there more than once", key, "once",
				"file the log as LoadGen wrote it")
			continue
		}
		r.addReject(ruleMetric, l.logPath(), "an entry is there with different values",
			fmt.Sprintf("%s %s and %s", key, first, quoteValue(list[other].Value)), "one value",
			"file the log as LoadGen wrote it")
	}
}
