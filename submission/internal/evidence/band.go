package evidence

import (
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// ScoreKeys are the entries of a detail log that TEST01 compares, by scenario.
var ScoreKeys = map[string]string{
	"Offline": "result_samples_per_second", "SingleStream": "early_stopping_latency_ss",
	"MultiStream": "early_stopping_latency_ms", "Server": "result_completed_samples_per_sec",
}

// ScoreBand is what TEST01's verify_performance.py prints of two detail logs, by their paths.
func ScoreBand(referenceLog, testLog string) string {
	out := &strings.Builder{}
	fmt.Fprintln(out, "Verifying performance.")
	reference, err := readScore(out, referenceLog)
	if err == nil {
		var test scoredLog
		if test, err = readScore(out, testLog); err == nil {
			err = compareScores(out, reference, test)
		}
	}
	if err != nil {
		out.WriteString(Ending(err))
	}
	return out.String()
}

func compareScores(out *strings.Builder, reference, test scoredLog) error {
	if test.scenario != reference.scenario {
		return exits(Fail + ": Test and reference scenarios do not match!")
	}
	if reference.scenario == "Server" && !same(test.latency, reference.latency) {
		return exits(Fail + ": Server target latency mismatch")
	}
	fmt.Fprintf(out, "Reference score = %s\nTest score = %s\n", pyfloat.Repr(reference.score), pyfloat.Repr(test.score))
	if InBand(reference.scenario, reference.score, test.score) {
		fmt.Fprintln(out, Pass)
	} else {
		fmt.Fprintln(out, Fail+": Test score invalid")
	}
	return nil
}

// Latencies so short that runs differ by more: the band of scores is wider there.
const (
	shortSingle = 200_000   // ns
	shortMulti  = 1_600_000 // ns
)

// Tolerance is by how much of the reference a score may differ.
func Tolerance(scenario string, reference, usual float64) float64 {
	if scenario == "SingleStream" && reference <= shortSingle || scenario == "MultiStream" && reference <= shortMulti {
		return 0.2
	}
	return usual
}

// InBand compares as the official script does, product by product in doubles.
func InBand(scenario string, reference, test float64) bool {
	t := Tolerance(scenario, reference, 0.1)
	least, most := float64(reference*(1-t)), float64(reference*(1+t))
	return least <= test && test <= most
}

// scoredLog is what TEST01 reads of a detail log.
type scoredLog struct {
	scenario string
	score    float64
	latency  any
}

func readScore(out *strings.Builder, path string) (scoredLog, error) {
	var r scoredLog
	log, err := readDetail(path)
	if err != nil {
		return r, err
	}
	fmt.Fprintf(out, "[%s log_parser.py INFO] Sucessfully loaded MLPerf log from %s.\n", logTime(), path)
	log.out = out
	v, err := log.first("effective_scenario")
	if err != nil {
		return r, err
	}
	r.scenario, _ = v.(string)
	key, ok := ScoreKeys[r.scenario]
	if !ok {
		return r, Died("KeyError: '%s'", r.scenario)
	}
	if v, err = log.first(key); err != nil {
		return r, err
	}
	if r.score, err = pyvalue.Float(v); err != nil {
		return r, Died("TypeError: %s: %v", key, err)
	}
	if v, err = log.first("result_validity"); err != nil {
		return r, err
	}
	if v != "VALID" {
		return r, exits(fmt.Sprintf("%s: Invalid results in %s", Fail, path))
	}
	switch failed, err := log.hasErrors(); {
	case err != nil:
		return r, err
	case failed:
		return r, Died("NameError: name 'line' is not defined")
	}
	if _, err := log.first(key); err != nil {
		return r, err
	}
	if r.scenario == "Server" {
		r.latency, err = log.first("effective_target_latency_ns")
	}
	return r, err
}
