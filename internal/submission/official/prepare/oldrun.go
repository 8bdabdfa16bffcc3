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
	log      *detail.Log
	model    string
	folder   string // scenario in whose folder the log is filed
	scenario string // scenario in the log
}

// oldRow is a rule of the old checker on a performance log. An error means that the checker stops here, for example for
// a missing value.
type oldRow func(r oldRun) (good bool, err error)

// oldRows returns all rules in the checker's order.
func oldRows() []oldRow {
	return []oldRow{
		oldRun.validity, oldRun.metric, oldRun.tokens, oldRun.equalIssue,
		func(r oldRun) (bool, error) { return !hasErrors(r.log), nil },
		compared("effective_performance_sample_count", atLeast, func(r oldRun) (float64, bool) {
			return float64(r.rules.performanceSamples(r.model)), true
		}),
		equal("effective_qsl_rng_seed", func(s mlconf.Seeds) uint64 { return s.QSL }),
		equal("effective_sample_index_rng_seed", func(s mlconf.Seeds) uint64 { return s.SampleIndex }),
		equal("effective_schedule_rng_seed", func(s mlconf.Seeds) uint64 { return s.Schedule }),
		// The checker compares the configured target. It does not check that early stopping was met.
		compared("effective_target_latency_ns", atMost, func(r oldRun) (float64, bool) {
			limit := r.rules.latencyLimit(r.model, r.scenario)
			return float64(limit), r.scenario != "Offline" && limit != 0
		}),
		compared("effective_min_query_count", atLeast, func(r oldRun) (float64, bool) { return 1, r.scenario == "Offline" }),
		oldRun.offlineSamples,
		compared(detail.KeyDuration, atLeast, func(oldRun) (float64, bool) { return detail.LeastDuration, true }),
		oldRun.inferred, oldRun.network,
	}
}

// compared returns a rule that compares a number of the log with a limit. suits reports whether they agree. limit
// reports whether the rule applies.
func compared(key string, suits func(v, limit float64) bool, limit func(oldRun) (v float64, asked bool)) oldRow {
	return func(r oldRun) (bool, error) {
		wanted, asked := limit(r)
		if !asked {
			return true, nil
		}
		v, err := number(r.log, key)
		return suits(v, wanted), err
	}
}

func atLeast(v, limit float64) bool { return v >= limit }
func atMost(v, limit float64) bool  { return v <= limit }

// equal returns a rule that requires one of the round's seeds.
func equal(key string, of func(mlconf.Seeds) uint64) oldRow {
	return func(r oldRun) (bool, error) {
		v, err := r.get(key)
		return pyvalue.Equal(v, of(r.rules.Seeds)), err
	}
}

// performance judges the performance log in a folder. An error means that the checker stops here, and that the log is
// invalid.
func (j oldJudge) performance(model, scenario, dir string) (valid bool, err error) {
	log, err := j.detail(filepath.Join(dir, tree.DetailLog))
	if err != nil {
		return false, err
	}
	r := oldRun{oldJudge: j, log: log, model: model, folder: scenario}
	v, err := r.get(detail.KeyScenario)
	if err != nil {
		return false, err
	}
	r.scenario, _ = v.(string)
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

// detail reads a log, which must be complete.
func (j oldJudge) detail(path string) (*detail.Log, error) {
	f, err := bounded.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d, err := detail.Read(f, detail.LoadGen)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}

// number returns a value as a number.
func number(d *detail.Log, key string) (float64, error) {
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
	n, err := number(d, "num_errors")
	return err != nil || n != 0
}

func (r oldRun) number(key string) (float64, error) { return number(r.log, key) }

// get returns a value that the checker uses, or nil if the log does not contain the key. If the key's record has no
// value, the checker stops.
func (r oldRun) get(key string) (any, error) {
	if r.log.Absent(key) {
		return nil, fmt.Errorf("the record of %s has no value", key)
	}
	return r.log.Get(key), nil
}

func (r oldRun) validity() (bool, error) {
	v, err := r.get("result_validity")
	return v == "VALID", err
}

// metric requires the number of the scenario, and the model's own number if the round's checker requires it.
func (r oldRun) metric() (bool, error) {
	m, ok := r.rules.Metric("", r.scenario)
	if !ok || r.scenario == "Interactive" {
		return false, fmt.Errorf("the log is of scenario %q", r.scenario)
	}
	if _, err := r.number(m.Key); err != nil {
		return false, err
	}
	if !r.rules.own.ModelMetric {
		return true, nil
	}
	m, _ = r.rules.Metric(r.model, r.scenario)
	_, err := r.number(m.Key)
	return err == nil, err
}

func (r oldRun) tokens() (bool, error) {
	if !r.rules.usesTokens(r.model) {
		return true, nil
	}
	if v, err := r.get(detail.KeyTokenLatencies); err != nil || v != true {
		return false, err
	}
	if r.folder != "Server" && r.folder != "Interactive" {
		return true, nil
	}
	limits, ok := r.rules.TokenLimits(r.model, r.folder)
	if !ok {
		return false, fmt.Errorf("there are no limits of tokens for %s, %s", r.model, r.folder)
	}
	first, err := r.number(result.KeyFirstToken)
	if err != nil || first >= float64(limits.FirstToken) {
		return false, err
	}
	each, err := r.number(result.KeyPerToken)
	return each < float64(limits.PerToken), err
}

func (r oldRun) equalIssue() (bool, error) {
	if !r.rules.equalIssue(r.model) {
		return true, nil
	}
	v, err := r.get("effective_sample_concatenate_permutation")
	return v == true, err
}

// offlineSamples stops if the checker has no minimum for the model.
func (r oldRun) offlineSamples() (bool, error) {
	if r.scenario != "Offline" {
		return true, nil
	}
	least, ok := r.rules.offlineSamples(r.model)
	if !ok {
		return false, fmt.Errorf("there is no least number of samples for %s", r.model)
	}
	samples, err := r.number("effective_samples_per_query")
	return samples >= float64(least), err
}

// inferred applies the few rules for a log that is filed as another scenario's.
func (r oldRun) inferred() (bool, error) {
	switch {
	case r.folder == r.scenario:
		return true, nil
	case r.folder == "Offline" && r.scenario == "MultiStream":
		mean, err := r.number("result_mean_query_latency_ns")
		if err == nil && mean == 0 {
			err = fmt.Errorf("the mean latency is 0")
		}
		return true, err
	case r.folder == "MultiStream" && r.scenario == "SingleStream":
		estimate, err := r.number("early_stopping_latency_ms")
		return estimate != 0, err
	}
	return r.folder != "Interactive" || r.scenario == "Server", nil
}

// network checks the system's is_network and the SUT's name against the division.
func (r oldRun) network() (bool, error) {
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
	v, err := r.get(detail.KeySUT)
	name, _ := v.(string)
	return !network || strings.Contains(name, result.NetworkSUT), err
}
