package evidence

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// Scoring describes how a round's scripts read and compare the scores of runs in TEST01, TEST04 and TEST05.
type Scoring struct {
	form   mlconf.ScoreForm
	margin float64 // TEST05's tolerance in both directions; 0: seedsMargin, for slower runs only
	inTwo  bool    // TEST04 compares two runs of its own
}

// ScoringOf returns the scoring of a round, or of the newest scripts if rules is nil.
func ScoringOf(rules *mlconf.Rules) Scoring {
	if rules == nil {
		return Scoring{}
	}
	features := rules.AuditFeatures()
	return Scoring{form: features.Scores, margin: features.SeedsMargin, inTwo: features.CachingInTwo}
}

// Keys returns the entries of a detail log that can contain a scenario's score. The first existing one counts, because
// LoadGen before early stopping has no estimates. It returns none for an unknown scenario.
func (s Scoring) Keys(scenario string) []string {
	const single, multi = "result_90.00_percentile_latency_ns", "result_99.00_percentile_latency_ns"
	const scheduled, completed = "result_scheduled_samples_per_sec", "result_completed_samples_per_sec"
	before := s.form == mlconf.ScoreSamples || s.form == mlconf.ScorePercentiles
	switch {
	case scenario == "Offline":
		return []string{"result_samples_per_second"}
	case scenario == "SingleStream" && before:
		return []string{single}
	case scenario == "SingleStream":
		return []string{"early_stopping_latency_ss", single}
	case scenario == "MultiStream" && s.form == mlconf.ScoreSamples:
		return []string{"effective_samples_per_query"}
	case scenario == "MultiStream" && before:
		return []string{multi}
	case scenario == "MultiStream":
		return []string{"early_stopping_latency_ms", multi}
	case scenario == "Server" && before:
		return []string{scheduled, completed}
	case scenario == "Server":
		return []string{completed}
	}
	return nil
}

// InBand reports whether a score is close enough to the reference for TEST01, TEST04 or TEST05. It compares like the
// official script, with products in double precision. For TEST04, both scores are rates.
func (s Scoring) InBand(test, scenario string, reference, score float64) bool {
	switch t := s.Tolerance(test, scenario, reference); {
	case s.comparesTwo(test):
		return isNear(t, reference, score) || isSlower(scenario, reference, score)
	case test == "TEST01" && s.form == mlconf.ScoreDetails:
		return float64(reference*(1-t)) <= score && score <= float64(reference*(1+t))
	case test == "TEST01", test == "TEST05" && s.margin > 0:
		return float64(reference*(1-t)) < score && score < float64(reference*(1+t))
	case test != "TEST05":
		return score < float64(reference*(1+t))
	case scenario == "Offline" || scenario == "Server":
		return score > float64(reference*(1-t))
	default:
		return strings.Contains(scenario, "Stream") && score < float64(reference*(1+t))
	}
}

// comparesTwo reports whether the test is TEST04 of a round in which it compares two runs of its own.
func (s Scoring) comparesTwo(test string) bool { return s.inTwo && test == tree.Caching }

// ComparesRates reports whether a test compares SingleStream and MultiStream by their rates, 1e9/latency.
func (s Scoring) ComparesRates(test string) bool { return test == tree.Caching && !s.inTwo }

// isNear reports whether two scores differ by less than the tolerance t.
func isNear(t, reference, score float64) bool {
	return score < float64(reference*(1+t)) && score > float64(reference*(1-t))
}

// isSlower reports whether the script considers the second run slower. In v2.0 it takes MultiStream's latency for a
// rate.
func isSlower(scenario string, reference, score float64) bool {
	if scenario == "SingleStream" {
		return score > reference
	}
	return score < reference
}

// IsCached reports whether the run of one sample is faster than the run of all samples by the tolerance or more. It is
// false if the test does not compare these two runs.
func (s Scoring) IsCached(test, scenario string, reference, score float64) bool {
	t := s.Tolerance(test, scenario, reference)
	switch {
	case !s.comparesTwo(test):
		return false
	case scenario == "SingleStream", scenario == "MultiStream" && s.form == mlconf.ScorePercentiles: // latencies
		return score <= float64(reference*(1-t))
	}
	return score >= float64(reference*(1+t))
}

// seedsMargin is the maximum relative loss of speed in TEST05.
const seedsMargin = 0.05

// Limits of short latencies, which vary more between runs, and their wider tolerance.
const (
	maxShortSingle = 200_000   // ns
	maxShortMulti  = 1_600_000 // ns
	wideTolerance  = 0.2
)

// Tolerance returns the maximum relative difference between a score and the reference.
func (s Scoring) Tolerance(test, scenario string, reference float64) float64 {
	short := scenario == "SingleStream" && reference <= maxShortSingle
	switch {
	case s.form == mlconf.ScoreSamples, s.form == mlconf.ScorePercentiles && test == "TEST05", s.comparesTwo(test):
	default:
		short = short || scenario == "MultiStream" && reference <= maxShortMulti
	}
	switch {
	case short:
		return wideTolerance
	case test == "TEST05" && s.margin > 0:
		return s.margin
	case test == "TEST05":
		return seedsMargin
	}
	return 0.1
}

// Text returns the output and exit code of a test's verify_performance.py for two runs.
func (s Scoring) Text(test string, reference, run Paths) (text string, exit int) {
	if test == "TEST01" && s.form == mlconf.ScoreDetails {
		return s.performanceBand(reference.Detail, run.Detail), 0
	}
	return s.comparePerformance(test, reference.Summary, run.Summary)
}

// Paths contains the paths of a run's detail log and summary.
type Paths struct{ Detail, Summary string }

// TextOf returns the script's output for given scores.
func (s Scoring) TextOf(test, scenario string, reference, score float64) string {
	return "Verifying performance.\n" + s.scoresText(test, pyfloat.Repr(reference), pyfloat.Repr(score)) +
		s.verdictText(test, scenario, reference, score)
}

// scoresText returns the lines with the scores of both runs.
func (s Scoring) scoresText(test, reference, score string) string {
	first, second := "reference", "test"
	if s.comparesTwo(test) {
		first, second = tree.CachingUnique, tree.CachingSame
	}
	return fmt.Sprintf("%s score = %s\n%s score = %s\n", first, reference, second, score)
}

// verdictText returns the lines with the script's verdict.
func (s Scoring) verdictText(test, scenario string, reference, score float64) string {
	switch {
	case !s.InBand(test, scenario, reference, score):
		return Fail + ": Test score invalid\n"
	case s.comparesTwo(test) && !isNear(s.Tolerance(test, scenario, reference), reference, score):
		return fmt.Sprintf("%s\nNote: %s is significantly slower than %s\n", Pass, tree.CachingSame, tree.CachingUnique)
	}
	return Pass + "\n"
}

// ReadsDetails reports whether a test's script reads detail logs, which contain every score. Other scripts read
// summaries, whose wording has changed between versions of LoadGen.
func (s Scoring) ReadsDetails(test string) bool {
	return test == "TEST01" && s.form == mlconf.ScoreDetails
}

// OnlyWarnsOfErrors reports whether the scripts only print a warning about runs with errors. That applies to the rounds
// whose scripts all read summaries.
func (s Scoring) OnlyWarnsOfErrors() bool { return s.form != mlconf.ScoreDetails }

// Patterns of the summary's lines with a scenario's score.
var (
	percentile90Line     = regexp.MustCompile(`^90(\.0)?th percentile latency`) // LoadGen 5 and later write 90.0th
	percentile99Line     = regexp.MustCompile(`^99(\.0)?th percentile latency`)
	samplesPerQueryLine  = regexp.MustCompile(`^Samples per query`)
	samplesPerSecondLine = regexp.MustCompile(`^Samples per second`)
	scheduledLine        = regexp.MustCompile(`^Scheduled samples per second`)
	completedLine        = regexp.MustCompile(`^Completed samples per second`)
	estimate90Line       = regexp.MustCompile(`^.*Early stopping 90th percentile estimate`)
	estimate99Line       = regexp.MustCompile(`^.*Early stopping 99th percentile estimate`)
	anyEstimate90Line    = regexp.MustCompile(`^.*Early stopping (90th|90.0th|99.9th) percentile estimate`)
	anyEstimate99Line    = regexp.MustCompile(`^.*Early stopping (99th|99.0th) percentile estimate`)
)

// scoreLines returns the patterns of the summary's lines from which a test's script reads the score, by scenario.
func (s Scoring) scoreLines(test string) map[string]*regexp.Regexp {
	switch {
	case test == tree.Caching && !s.inTwo:
		return map[string]*regexp.Regexp{"SingleStream": anyEstimate90Line, "MultiStream": anyEstimate99Line,
			"Server":  completedLine,
			"Offline": samplesPerSecondLine}
	case s.form == mlconf.ScoreSamples:
		return map[string]*regexp.Regexp{"SingleStream": percentile90Line, "MultiStream": samplesPerQueryLine,
			"Server":  scheduledLine,
			"Offline": samplesPerSecondLine}
	case s.form == mlconf.ScorePercentiles:
		return map[string]*regexp.Regexp{"SingleStream": percentile90Line, "MultiStream": percentile99Line,
			"Server":  scheduledLine,
			"Offline": samplesPerSecondLine}
	}
	return map[string]*regexp.Regexp{"SingleStream": estimate90Line, "MultiStream": estimate99Line,
		"Server":  completedLine,
		"Offline": samplesPerSecondLine}
}
