package prepare

import (
	"fmt"
	"math/big"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/official/internal/detail"
	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// oldRun is a performance log to judge.
type oldRun struct {
	oldJudge
	log            *detail.Log
	model          string
	filedScenario  string // scenario in whose folder the log is filed
	loggedScenario string // scenario in the log
}

// oldRow is a rule of the old checker on a performance log. An error means that the checker stops here, for example for
// a missing value.
type oldRow func(r oldRun) (good bool, err error)

// oldRows returns all rules in the checker's order.
func oldRows() []oldRow {
	return []oldRow{
		oldRun.checkValidity, oldRun.checkMetric, oldRun.checkTokens, oldRun.checkEqualIssue,
		func(r oldRun) (bool, error) { return !hasErrors(r.log), nil },
		compareLimit("effective_performance_sample_count", isAtLeast, func(r oldRun) (float64, bool) {
			return float64(r.rules.minPerformanceSamples(r.model)), true
		}),
		compareSeed("effective_qsl_rng_seed", func(s mlconf.Seeds) uint64 { return s.QSL }),
		compareSeed("effective_sample_index_rng_seed", func(s mlconf.Seeds) uint64 { return s.SampleIndex }),
		compareSeed("effective_schedule_rng_seed", func(s mlconf.Seeds) uint64 { return s.Schedule }),
		// The checker compares the configured target. It does not check that early stopping was met.
		compareLimit("effective_target_latency_ns", isAtMost, func(r oldRun) (float64, bool) {
			limit := r.rules.maxLatency(r.model, r.loggedScenario)
			return float64(limit), r.loggedScenario != "Offline" && limit != 0
		}),
		compareLimit("effective_min_query_count", isAtLeast, func(r oldRun) (float64, bool) {
			return 1,
				r.loggedScenario == "Offline"
		}),
		oldRun.checkOfflineSamples,
		compareLimit(detail.KeyDuration, isAtLeast, func(oldRun) (float64, bool) { return detail.MinDurationMillis, true }),
		oldRun.checkInferred, oldRun.checkNetwork,
	}
}

// compareLimit returns a rule that compares a number of the log with a limit. suits reports whether they agree. limit
// reports whether the rule applies.
func compareLimit(key string, suits func(v, limit float64) bool, limit func(oldRun) (v float64, asked bool)) oldRow {
	return func(r oldRun) (bool, error) {
		wanted, asked := limit(r)
		if !asked {
			return true, nil
		}
		v, err := usedNumber(r.log, key)
		return suits(v, wanted), err
	}
}

func isAtLeast(v, limit float64) bool { return v >= limit }
func isAtMost(v, limit float64) bool  { return v <= limit }

// compareSeed returns a rule that requires one of the round's seeds.
func compareSeed(key string, of func(mlconf.Seeds) uint64) oldRow {
	return func(r oldRun) (bool, error) {
		v, err := r.usedValue(key)
		return pyvalue.Equal(v, of(r.rules.Seeds)), err
	}
}

// judgePerformance judges the performance log in a folder. An error means that the checker stops here, and that the log
// is invalid.
func (j oldJudge) judgePerformance(model, scenario, dir string) (valid bool, err error) {
	log, err := j.readDetail(filepath.Join(dir, tree.DetailLog))
	if err != nil {
		return false, err
	}
	r := oldRun{oldJudge: j, log: log, model: model, filedScenario: scenario}
	v, err := r.usedValue(detail.KeyScenario)
	if err != nil {
		return false, err
	}
	r.loggedScenario, _ = v.(string)
	valid = true
	for _, row := range oldRows() {
		good, err := row(r)
		if err != nil {
			return false, err
		}
		valid = valid && good
	}
	return valid, nil
}

// readDetail reads a log, which must be complete.
func (j oldJudge) readDetail(path string) (*detail.Log, error) {
	f, err := bounded.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d, err := detail.ReadLog(f, detail.LoadGenMark)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}

// usedNumber returns a value as a number.
func usedNumber(d *detail.Log, key string) (float64, error) {
	switch v := d.Get(key).(type) {
	case int64, float64, *big.Int:
		return pyvalue.Float(v)
	}
	return 0, fmt.Errorf("the log has no number %s", key)
}

// hasErrors reports whether the log contains errors, by its own count if it has one.
func hasErrors(d *detail.Log) bool {
	if !d.Has("num_errors") {
		return len(d.Errors) > 0
	}
	n, err := usedNumber(d, "num_errors")
	return err != nil || n != 0
}

func (r oldRun) numberAt(key string) (float64, error) { return usedNumber(r.log, key) }

// usedValue returns a value that the checker uses, or nil if the log does not contain the key. If the key's record has
// no value, the checker stops.
func (r oldRun) usedValue(key string) (any, error) {
	if r.log.LacksValue(key) {
		return nil, fmt.Errorf("the record of %s has no value", key)
	}
	return r.log.Get(key), nil
}

func (r oldRun) checkValidity() (bool, error) {
	v, err := r.usedValue("result_validity")
	return v == "VALID", err
}

// checkMetric requires the number of the scenario, and the model's own number if the round's checker requires it.
func (r oldRun) checkMetric() (bool, error) {
	m, ok := r.rules.Metric("", r.loggedScenario)
	if !ok || r.loggedScenario == "Interactive" {
		return false, fmt.Errorf("the log is of scenario %q", r.loggedScenario)
	}
	if _, err := r.numberAt(m.Key); err != nil {
		return false, err
	}
	if !r.rules.tables.ModelMetric {
		return true, nil
	}
	m, _ = r.rules.Metric(r.model, r.loggedScenario)
	_, err := r.numberAt(m.Key)
	return err == nil, err
}

func (r oldRun) checkTokens() (bool, error) {
	if !r.rules.usesTokens(r.model) {
		return true, nil
	}
	if v, err := r.usedValue(detail.KeyTokenLatencies); err != nil || v != true {
		return false, err
	}
	if r.filedScenario != "Server" && r.filedScenario != "Interactive" {
		return true, nil
	}
	limits, ok := r.rules.TokenLimits(r.model, r.filedScenario)
	if !ok {
		return false, fmt.Errorf("there are no limits of tokens for %s, %s", r.model, r.filedScenario)
	}
	first, err := r.numberAt(result.KeyFirstToken)
	if err != nil || first >= float64(limits.FirstToken) {
		return false, err
	}
	each, err := r.numberAt(result.KeyPerToken)
	return each < float64(limits.PerToken), err
}

func (r oldRun) checkEqualIssue() (bool, error) {
	if !r.rules.requiresEqualIssue(r.model) {
		return true, nil
	}
	v, err := r.usedValue("effective_sample_concatenate_permutation")
	return v == true, err
}

// checkOfflineSamples stops if the checker has no minimum for the model.
func (r oldRun) checkOfflineSamples() (bool, error) {
	if r.loggedScenario != "Offline" {
		return true, nil
	}
	least, ok := r.rules.minOfflineSamples(r.model)
	if !ok {
		return false, fmt.Errorf("there is no least number of samples for %s", r.model)
	}
	samples, err := r.numberAt("effective_samples_per_query")
	return samples >= float64(least), err
}

// checkInferred applies the few rules for a log that is filed as another scenario's.
func (r oldRun) checkInferred() (bool, error) {
	switch {
	case r.filedScenario == r.loggedScenario:
		return true, nil
	case r.filedScenario == "Offline" && r.loggedScenario == "MultiStream":
		mean, err := r.numberAt("result_mean_query_latency_ns")
		if err == nil && mean == 0 {
			err = fmt.Errorf("the mean latency is 0")
		}
		return true, err
	case r.filedScenario == "MultiStream" && r.loggedScenario == "SingleStream":
		estimate, err := r.numberAt("early_stopping_latency_ms")
		return estimate != 0, err
	}
	return r.filedScenario != "Interactive" || r.loggedScenario == "Server", nil
}

// checkNetwork checks the system's is_network and the SUT's name against the division.
func (r oldRun) checkNetwork() (bool, error) {
	network := false
	if v := r.system["is_network"]; v != nil {
		text, ok := v.(string)
		if !ok {
			return false, fmt.Errorf("is_network is %v, want text", v)
		}
		network = strings.EqualFold(text, "true")
	}
	if r.division != tree.DivisionOpen && network != (r.division == tree.DivisionNetwork) {
		return false, nil
	}
	v, err := r.usedValue(detail.KeySUT)
	name, _ := v.(string)
	return !network || strings.Contains(name, result.NetworkSUT), err
}
