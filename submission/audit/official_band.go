package audit

import (
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/submission/internal/pyvalue"
)

// scoreKeys are the entries of a detail log that TEST01 compares, by scenario.
var scoreKeys = map[string]string{
	"Offline": "result_samples_per_second", "SingleStream": "early_stopping_latency_ss",
	"MultiStream": "early_stopping_latency_ms", "Server": "result_completed_samples_per_sec",
}

// officialBand is TEST01's verify_performance.py.
func officialBand(r Request) string {
	out := &strings.Builder{}
	fmt.Fprintln(out, "Verifying performance.")
	reference, err := officialScore(out, r.Reference.Detail)
	if err == nil {
		var test officialResult
		if test, err = officialScore(out, r.Run.Detail); err == nil {
			err = compareScores(out, reference, test)
		}
	}
	if err != nil {
		out.WriteString(ending(err))
	}
	return out.String()
}

func compareScores(out *strings.Builder, reference, test officialResult) error {
	if test.scenario != reference.scenario {
		return exits(testFail + ": Test and reference scenarios do not match!")
	}
	if reference.scenario == "Server" && !same(test.latency, reference.latency) {
		return exits(testFail + ": Server target latency mismatch")
	}
	fmt.Fprintf(out, "Reference score = %s\nTest score = %s\n", pyfloat.Repr(reference.score), pyfloat.Repr(test.score))
	if inBand(reference.scenario, reference.score, test.score) {
		fmt.Fprintln(out, testPass)
	} else {
		fmt.Fprintln(out, testFail+": Test score invalid")
	}
	return nil
}

// Latencies so short that runs differ by more: the band of scores is wider there.
const (
	shortSingle = 200_000   // ns
	shortMulti  = 1_600_000 // ns
)

// tolerance is by how much of the reference a score may differ.
func tolerance(scenario string, reference, usual float64) float64 {
	if scenario == "SingleStream" && reference <= shortSingle || scenario == "MultiStream" && reference <= shortMulti {
		return 0.2
	}
	return usual
}

// inBand compares as the official script does, product by product in doubles.
func inBand(scenario string, reference, test float64) bool {
	t := tolerance(scenario, reference, 0.1)
	least, most := float64(reference*(1-t)), float64(reference*(1+t))
	return least <= test && test <= most
}

// exits is a script's end by sys.exit with a text.
type exits string

func (e exits) Error() string { return string(e) }

// ending is what a script prints at its end by err.
func ending(err error) string {
	if text, ok := err.(exits); ok { //nolint:errorlint // never wrapped
		return string(text) + "\n"
	}
	return traceback(err)
}

// officialResult is what TEST01 reads of a detail log.
type officialResult struct {
	scenario string
	score    float64
	latency  any
}

func officialScore(out *strings.Builder, path string) (officialResult, error) {
	var r officialResult
	log, err := readOfficialLog(path)
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
	key, ok := scoreKeys[r.scenario]
	if !ok {
		return r, died("KeyError: '%s'", r.scenario)
	}
	if v, err = log.first(key); err != nil {
		return r, err
	}
	if r.score, err = pyvalue.Float(v); err != nil {
		return r, died("TypeError: %s: %v", key, err)
	}
	if v, err = log.first("result_validity"); err != nil {
		return r, err
	}
	if v != "VALID" {
		return r, exits(fmt.Sprintf("%s: Invalid results in %s", testFail, path))
	}
	switch failed, err := log.hasErrors(); {
	case err != nil:
		return r, err
	case failed:
		return r, died("NameError: name 'line' is not defined")
	}
	if _, err := log.first(key); err != nil {
		return r, err
	}
	if r.scenario == "Server" {
		r.latency, err = log.first("effective_target_latency_ns")
	}
	return r, err
}
