package evidence

import (
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/loadgen"
)

// performanceBand returns the output of TEST01's verify_performance.py for two detail logs.
func (s Scoring) performanceBand(referenceLog, testLog string) string {
	out := &strings.Builder{}
	fmt.Fprintln(out, "Verifying performance.")
	reference, err := s.readScore(out, referenceLog)
	if err == nil {
		var test scoredLog
		if test, err = s.readScore(out, testLog); err == nil {
			err = s.compareScores(out, reference, test)
		}
	}
	if err != nil {
		out.WriteString(EndingText(err))
	}
	return out.String()
}

func (s Scoring) compareScores(out *strings.Builder, reference, test scoredLog) error {
	if test.scenario != reference.scenario {
		return sysExit(Fail + ": Test and reference scenarios do not match!")
	}
	if reference.scenario == "Server" && !equalInPython(test.latency, reference.latency) {
		return sysExit(Fail + ": Server target latency mismatch")
	}
	fmt.Fprintf(out, "Reference score = %s\nTest score = %s\n", pyfloat.Repr(reference.score), pyfloat.Repr(test.score))
	if s.InBand("TEST01", reference.scenario, reference.score, test.score) {
		fmt.Fprintln(out, Pass)
	} else {
		fmt.Fprintln(out, Fail+": Test score invalid")
	}
	return nil
}

// scoredLog contains the data that TEST01 reads from a detail log.
type scoredLog struct {
	scenario string
	score    float64
	latency  any
}

// scoreKeys returns the keys that TEST01 reads from a detail log.
func (s Scoring) scoreKeys() map[string]bool {
	read := map[string]bool{"effective_scenario": true, "result_validity": true, "num_errors": true,
		"effective_target_latency_ns": true}
	for _, of := range loadgen.Scenarios() {
		for _, key := range s.Keys(of.String()) {
			read[key] = true
		}
	}
	return read
}

func (s Scoring) readScore(out *strings.Builder, path string) (scoredLog, error) {
	var r scoredLog
	log, err := readDetail(path, s.scoreKeys())
	if err != nil {
		return r, err
	}
	fmt.Fprintf(out, "[%s log_parser.py INFO] Sucessfully loaded MLPerf log from %s.\n", logTime(), path)
	log.out = out
	v, err := log.firstValue("effective_scenario")
	if err != nil {
		return r, err
	}
	r.scenario, _ = v.(string)
	keys := s.Keys(r.scenario)
	if len(keys) == 0 {
		return r, ErrDiedf("KeyError: '%s'", r.scenario)
	}
	key := keys[0]
	if v, err = log.firstValue(key); err != nil {
		return r, err
	}
	if r.score, err = pyvalue.Float(v); err != nil {
		return r, ErrDiedf("TypeError: %s: %v", key, err)
	}
	if v, err = log.firstValue("result_validity"); err != nil {
		return r, err
	}
	if v != "VALID" {
		return r, sysExit(fmt.Sprintf("%s: Invalid results in %s", Fail, path))
	}
	switch failed, err := log.hasErrors(); {
	case err != nil:
		return r, err
	case failed:
		return r, ErrDiedf("NameError: name 'line' is not defined")
	}
	if _, err := log.firstValue(key); err != nil {
		return r, err
	}
	if r.scenario == "Server" {
		r.latency, err = log.firstValue("effective_target_latency_ns")
	}
	return r, err
}
