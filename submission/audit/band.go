package audit

import (
	"math"
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

// InPrintedBand is InBand of the scores as summaries show them, with two decimals: the official scripts of TEST04 and
// TEST05 read them there, and cannot tell 0.046 from 0.054.
func InPrintedBand(test, scenario string, reference, score float64) bool {
	return test != "TEST01" && InBand(test, scenario, math.Round(reference*100)/100, math.Round(score*100)/100)
}
