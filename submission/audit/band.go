package audit

import (
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/submission/internal/evidence"
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
	if test == "TEST01" {
		return evidence.InBand(scenario, reference, score)
	}
	if test != "TEST05" && strings.HasSuffix(scenario, "Stream") {
		reference, score = 1e9/reference, 1e9/score
	}
	return evidence.RateRuleOf(test).Pass(scenario, reference, score)
}
