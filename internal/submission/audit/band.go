package audit

import (
	"math"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// ScoreOf returns the score of a run that the round's TEST01, TEST04 and TEST05 compare, with the key of its log entry,
// in that entry's unit. ok is false if the log has no score.
func ScoreOf(rules *mlconf.Rules, d *mllog.Detail) (score float64, key string, ok bool) {
	return scoreOf(evidence.ScoringOf(rules), d, logText(d, "effective_scenario"))
}

// scoreOf returns the score of a log for a scenario, from the first existing entry of the round's list, with that
// entry's key.
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

// InBand reports whether the score of an audit's run is close enough to the result's score by the arithmetic of the
// round's official script. test is TEST01, TEST04 or TEST05. Both scores come from ScoreOf. In v2.0 the script takes
// MultiStream's latency for a rate and passes cached answers; InBand does not.
func InBand(rules *mlconf.Rules, test, scenario string, reference, score float64) bool {
	scoring := evidence.ScoringOf(rules)
	if scoring.ComparesRates(test) && strings.HasSuffix(scenario, "Stream") {
		reference, score = 1e9/reference, 1e9/score
	}
	return scoring.InBand(test, scenario, reference, score) && !scoring.IsCached(test, scenario, reference, score)
}

// InPrintedBand is InBand for scores rounded to two decimals, as in summaries. Official scripts that read summaries
// cannot distinguish 0.046 from 0.054.
func InPrintedBand(rules *mlconf.Rules, test, scenario string, reference, score float64) bool {
	return !evidence.ScoringOf(rules).ReadsDetails(test) &&
		InBand(rules, test, scenario, printedScore(reference), printedScore(score))
}

func printedScore(score float64) float64 { return math.Round(score*100) / 100 }
