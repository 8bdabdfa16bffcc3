package audit

import (
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// ScoreOf is the score of a run that TEST01, TEST04 and TEST05 compare, in the unit of its entry, whose key it returns;
// ok is false where the log has none.
func ScoreOf(d *mllog.Detail) (score float64, key string, ok bool) {
	score, key, ok = scoreOf(d, text(d, "effective_scenario"))
	return score, key, ok
}

// InBand says whether the score of an audit's run is near enough to the result's, in the arithmetic of the test's
// official script: TEST01, TEST04 or TEST05. Both are ScoreOf's.
func InBand(test, scenario string, reference, score float64) bool {
	switch {
	case test == "TEST01":
		return inBand(scenario, reference, score)
	case test == "TEST05":
		return seedsRule.pass(scenario, reference, score)
	case strings.HasSuffix(scenario, "Stream"):
		return cachingRule.pass(scenario, 1e9/reference, 1e9/score)
	}
	return cachingRule.pass(scenario, reference, score)
}
