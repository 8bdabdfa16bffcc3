package audit

import (
	"math"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// ScoreOf is the score of a run that TEST01, TEST04 and TEST05 of a round compare, in the unit of its entry, whose key
// it returns; ok is false where the log has none.
func ScoreOf(rules *mlconf.Rules, d *mllog.Detail) (score float64, key string, ok bool) {
	return scoreOf(evidence.ScoringOf(rules), d, logText(d, "effective_scenario"))
}

// scoreOf is the score of a log of the scenario, by which entry: the first of the round's that is there.
func scoreOf(s evidence.Scoring, d *mllog.Detail, scenario string) (v float64, key string, ok bool) {
	keys := s.Keys(scenario)
	if len(keys) == 0 {
		return 0, "", false
	}
	key = keys[0]
	for _, k := range keys {
		if d.Has(k) {
			key = k
			break
		}
	}
	v, ok = logNumber(d, key)
	return v, key, ok
}

// InBand says whether the score of an audit's run is near enough to the result's, in the arithmetic of the official
// script of the test in the round: TEST01, TEST04 or TEST05. Both are ScoreOf's.
func InBand(rules *mlconf.Rules, test, scenario string, reference, score float64) bool {
	if test == "TEST04" && strings.HasSuffix(scenario, "Stream") {
		reference, score = 1e9/reference, 1e9/score
	}
	return evidence.ScoringOf(rules).InBand(test, scenario, reference, score)
}

// InPrintedBand is InBand of the scores as summaries show them, with two decimals: official scripts that read them
// there cannot tell 0.046 from 0.054.
func InPrintedBand(rules *mlconf.Rules, test, scenario string, reference, score float64) bool {
	return !evidence.ScoringOf(rules).ReadsDetails(test) &&
		InBand(rules, test, scenario, printedScore(reference), printedScore(score))
}

func printedScore(score float64) float64 { return math.Round(score*100) / 100 }
