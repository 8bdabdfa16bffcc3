package prepare

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"

	"github.com/plumbline-ml/plumbline/submission/tree"
)

// oldRun is a performance log that the old checker judges.
type oldRun struct {
	oldJudge
	log      *mllog.Detail
	model    string
	folder   string // the scenario that it is filed as
	scenario string // the one that it is of
}

// performance judges the performance log in a folder. An error is where the checker stops, for a value that is missing
// say: the log is not valid then either.
func (j oldJudge) performance(model, scenario, dir string) (valid bool, err error) {
	log, err := j.detail(filepath.Join(dir, tree.DetailLog))
	if err != nil {
		return false, err
	}
	r := oldRun{oldJudge: j, log: log, model: model, folder: scenario}
	r.scenario, _ = textOf(log, "effective_scenario")
	valid = true
	for _, check := range []func() (bool, error){
		r.validity, r.metric, r.tokens, r.equalIssue, r.noErrors, r.samples, r.seeds, r.targetLatency, r.offlineSamples,
		r.duration, r.inferred, r.network,
	} {
		good, err := check()
		if err != nil {
			return false, err
		}
		valid = valid && good
	}
	return valid, nil
}

// detail reads a log that is whole, as the checker needs it.
func (j oldJudge) detail(path string) (*mllog.Detail, error) {
	f, err := bounded.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d, err := mllog.ScanDetail(f)
	switch {
	case err != nil:
		return nil, err
	case d.NumFaults > 0:
		return nil, fmt.Errorf("%s: %w", path, d.Faults[0])
	case d.NotUTF8 > 0:
		return nil, fmt.Errorf("%s: line %d is not UTF-8", path, d.NotUTF8)
	case d.Lines > 0 && slices.Contains(d.Foreign, 1):
		return nil, fmt.Errorf("%s: the first line is none of LoadGen's", path)
	}
	return d, nil
}

func textOf(d *mllog.Detail, key string) (string, bool) {
	e, ok := d.First(key)
	if !ok {
		return "", false
	}
	return e.Text()
}

// number is a value that is compared with one.
func number(d *mllog.Detail, key string) (float64, error) {
	if e, ok := d.First(key); ok {
		if v, ok := e.Float(); ok {
			return v, nil
		}
	}
	return 0, fmt.Errorf("the log has no number %s", key)
}

func isTrue(d *mllog.Detail, key string) bool {
	e, _ := d.First(key)
	v, _ := e.Value.(bool)
	return v
}

func (r oldRun) number(key string) (float64, error) { return number(r.log, key) }

func (r oldRun) validity() (bool, error) {
	v, _ := textOf(r.log, "result_validity")
	return v == "VALID", nil
}

// metric wants the number of the scenario, and where the checker of the round asks for it that of the model as well.
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
	if !isTrue(r.log, "requested_use_token_latencies") {
		return false, nil
	}
	if r.folder != "Server" && r.folder != "Interactive" {
		return true, nil
	}
	limits, ok := r.rules.TokenLimits(r.model, r.folder)
	if !ok {
		return false, fmt.Errorf("there are no limits of tokens for %s, %s", r.model, r.folder)
	}
	first, err := r.number("result_first_token_99.00_percentile_latency_ns")
	if err != nil || first >= float64(limits.FirstToken) {
		return false, err
	}
	each, err := r.number("result_time_per_output_token_99.00_percentile_ns")
	return each < float64(limits.PerToken), err
}

func (r oldRun) equalIssue() (bool, error) {
	return !r.rules.equalIssue(r.model) || isTrue(r.log, "effective_sample_concatenate_permutation"), nil
}

func (r oldRun) noErrors() (bool, error) { return !hasErrors(r.log), nil }

// hasErrors is by the log's own count, where it has one.
func hasErrors(d *mllog.Detail) bool {
	if e, ok := d.First("num_errors"); ok {
		n, isNumber := e.Float()
		return !isNumber || n != 0
	}
	return d.NumErrors > 0
}

func (r oldRun) samples() (bool, error) {
	n, err := r.number("effective_performance_sample_count")
	return n >= float64(r.rules.performanceSamples(r.model)), err
}

func (r oldRun) seeds() (bool, error) {
	for key, want := range map[string]uint64{
		"effective_qsl_rng_seed": r.rules.Seeds.QSL, "effective_sample_index_rng_seed": r.rules.Seeds.SampleIndex,
		"effective_schedule_rng_seed": r.rules.Seeds.Schedule,
	} {
		e, _ := r.log.First(key)
		if seed, ok := e.Uint(); !ok || seed != want {
			return false, nil
		}
	}
	return true, nil
}

// targetLatency is that of the settings. That early stopping was met is not asked.
func (r oldRun) targetLatency() (bool, error) {
	limit := r.rules.latencyLimit(r.model, r.scenario)
	if r.scenario == "Offline" || limit == 0 {
		return true, nil
	}
	latency, err := r.number("effective_target_latency_ns")
	return latency <= float64(limit), err
}

func (r oldRun) offlineSamples() (bool, error) {
	if r.scenario != "Offline" {
		return true, nil
	}
	queries, err := r.number("effective_min_query_count")
	if err != nil {
		return false, err
	}
	least, ok := r.rules.offlineSamples(r.model)
	if !ok {
		return false, fmt.Errorf("there is no least number of samples for %s", r.model)
	}
	samples, err := r.number("effective_samples_per_query")
	return queries >= 1 && samples >= float64(least), err
}

// leastDuration is that of every run, in milliseconds.
const leastDuration = 600_000

func (r oldRun) duration() (bool, error) {
	d, err := r.number("effective_min_duration_ms")
	return d >= leastDuration, err
}

// inferred asks little of a log that is filed as another scenario's.
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

// network wants what the system says of it to suit the division, and the SUT's name to say it.
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
	name, _ := textOf(r.log, "sut_name")
	return !network || strings.Contains(name, "Network SUT"), nil
}
