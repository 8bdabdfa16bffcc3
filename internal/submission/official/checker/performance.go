package checker

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/official/internal/detail"
	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// run is a performance log to judge, of the result or of one of its audits.
type run struct {
	*folder
	log      *detail.Log
	group    string
	isAudit  bool
	scenario string // scenario in the log; "" if missing
}

// checkPerformance judges a performance log. The same rules apply to the log of an audit, except for the result.
func (c *checker) checkPerformance(f *folder, log *detail.Log, group string, audit bool) {
	if log == nil {
		f.addFault(group, "%s is missing", tree.DetailLog)
		return
	}
	r := run{folder: f, log: log, group: group, isAudit: audit}
	r.scenario, _ = log.Get(detail.KeyScenario).(string)
	c.checkErrors(r)
	c.checkSampleCount(r)
	c.checkQueries(r)
	c.checkSeeds(r)
	c.checkLatency(r)
	c.checkDuration(r)
	c.checkNetwork(r)
	c.checkTokens(r)
	c.checkInferred(r)
	c.checkMetric(r)
}

// requireValues requires values for keys that the official checker reads without using them. If a record exists without
// a value, the checker's check ends.
func (r run) requireValues(keys ...string) {
	for _, key := range keys {
		if r.log.LacksValue(key) {
			r.addFault("the record of %s has no value", key)
		}
	}
}

func (r run) addFault(format string, args ...any) { r.folder.addFault(r.group, format, args...) }

// compareValue compares the value of a key with a number. A value that cannot be compared is a fault.
func (r run) compareValue(key string, n uint64) (below, above bool) {
	v := r.log.Get(key)
	limit := any(int64(n))
	below, err := pyvalue.Less(v, limit)
	above, _ = pyvalue.Less(limit, v)
	if err != nil {
		r.addFault("%s is %s, want a number", key, pyvalue.Name(v))
	}
	return below, above
}

// checkErrors checks the errors in the log. They only count with the option Exceptions, which forgives two of them.
func (c *checker) checkErrors(r run) {
	if r.log.Unmarked {
		r.addFault("a record has no is_error")
		return
	}
	if !c.Exceptions {
		return
	}
	for _, v := range r.log.Errors {
		text, ok := v.(string)
		conf := strings.Contains(text, "Multiple conf files are used")
		if !ok || !strings.Contains(text, uncommittedText) && !conf || conf && !r.isAudit {
			r.addFault("the log has an error: %s", pyvalue.Name(v))
			return
		}
	}
}

// uncommittedText is contained in the error of a LoadGen built from changed sources.
const uncommittedText = "Loadgen built with uncommitted changes!"

func (c *checker) checkSampleCount(r run) {
	const key = "effective_performance_sample_count"
	want := c.rules.PerformanceSampleCount(r.model)
	if want == 0 {
		r.addFault("the rules know no number of samples for %s", r.model)
		return
	}
	if below, _ := r.compareValue(key, want); below {
		r.addFault("%s is %s, want at least %d", key, pyvalue.Name(r.log.Get(key)), want)
	}
}

func (c *checker) checkSeeds(r run) {
	for _, seed := range []struct {
		key  string
		want uint64
	}{
		{"effective_qsl_rng_seed", c.rules.Seeds.QSL},
		{"effective_sample_index_rng_seed", c.rules.Seeds.SampleIndex},
		{"effective_schedule_rng_seed", c.rules.Seeds.Schedule},
	} {
		if v := r.log.Get(seed.key); !pyvalue.Equal(v, seed.want) {
			r.addFault("%s is %s, want %d", seed.key, pyvalue.Name(v), seed.want)
		}
	}
}

func usesEarlyStopping(scenario string) bool {
	return slices.Contains([]string{"Server", "SingleStream", "MultiStream"}, scenario)
}

// checkLatency checks the latency. With early stopping, it checks that the condition was met and the configured limit.
// Otherwise it checks the measured percentile.
func (c *checker) checkLatency(r run) {
	if !usesEarlyStopping(r.scenario) {
		c.checkMeasuredLatency(r)
		return
	}
	if v := r.log.Get("early_stopping_met"); !pyvalue.IsTrue(v) {
		r.addFault("early_stopping_met is %s", pyvalue.Name(v))
		return
	}
	const key = "effective_target_latency_ns"
	limit := c.rules.LatencyLimit(r.model, r.scenario)
	if limit == 0 {
		return
	}
	if _, above := r.compareValue(key, uint64(limit)); above {
		r.addFault("%s is %s, want at most %d", key, pyvalue.Name(r.log.Get(key)), limit)
	}
}

func (c *checker) checkMeasuredLatency(r run) {
	const key = "result_99.00_percentile_latency_ns"
	r.requireValues(key)
	scenario := canonicalScenario(r.place.Scenario)
	limit := c.rules.LatencyLimit(r.model, scenario)
	if limit == 0 {
		return
	}
	if _, above := r.compareValue(key, uint64(limit)); above {
		r.addFault("%s is %s, want at most %d", key, pyvalue.Name(r.log.Get(key)), limit)
	}
}

// canonicalScenario returns a scenario's name as the rules write it, ignoring case.
func canonicalScenario(folder string) string {
	for _, name := range tree.Scenarios() {
		if strings.ToLower(name) == pyvalue.Lower(folder) {
			return name
		}
	}
	return folder
}

// checkQueries checks the number of queries if early stopping does not apply, and the samples of an Offline query.
func (c *checker) checkQueries(r run) {
	const minQueries, perQuery = "effective_min_query_count", "effective_samples_per_query"
	r.requireValues(minQueries, perQuery)
	if want := c.rules.MinQueries(r.model, r.scenario); want > 0 && !usesEarlyStopping(r.scenario) {
		if below, _ := r.compareValue(minQueries, want); below {
			r.addFault("%s is %s, want at least %d", minQueries, pyvalue.Name(r.log.Get(minQueries)), want)
		}
	}
	switch {
	case r.scenario == "":
		r.addFault("%s is %s, want a scenario", detail.KeyScenario, pyvalue.Name(r.log.Get(detail.KeyScenario)))
		return
	case pyvalue.Lower(r.scenario) != "offline":
		return
	}
	want := c.rules.OfflineSamples(r.model)
	if want == 0 {
		r.addFault("the rules know no number of Offline samples for %s", r.model)
		return
	}
	if below, _ := r.compareValue(perQuery, want); below && r.place.Division == tree.DivisionClosed {
		r.addFault("%s is %s, want at least %d", perQuery, pyvalue.Name(r.log.Get(perQuery)), want)
	}
}

func (c *checker) checkDuration(r run) {
	if r.model == "e2e-rag-qna" || r.model == "e2e-rag-db" {
		return // one pass over the data set, with any duration
	}
	if below, _ := r.compareValue(detail.KeyDuration, detail.MinDurationMillis); below {
		r.addFault("%s is %s, want at least %d", detail.KeyDuration, pyvalue.Name(r.log.Get(detail.KeyDuration)),
			detail.MinDurationMillis)
	}
}

// isNetwork returns the value of is_network in the description, "true" or "false" in any case of letters. ok is false
// if it is not a text.
func (s system) isNetwork() (yes, ok bool) {
	v, _ := s.fields.Get("is_network")
	text, isText := v.(string)
	return pyvalue.Lower(text) == "true", isText || v == nil
}

func (c *checker) checkNetwork(r run) {
	r.requireValues(detail.KeySUT)
	yes, ok := r.isNetwork()
	want := requiredIsNetwork[r.place.Division]
	switch {
	case !ok:
		r.addFault("is_network is no text")
	case want != "" && (want == "true") != yes:
		r.addFault("is_network is %t in the division %s", yes, r.place.Division)
	case yes:
		if name, _ := r.log.Get(detail.KeySUT).(string); !strings.Contains(name, result.NetworkSUT) {
			r.addFault("%s is %s, want %q in it", detail.KeySUT, pyvalue.Name(r.log.Get(detail.KeySUT)), result.NetworkSUT)
		}
	}
}

func (c *checker) checkTokens(r run) {
	if !c.rules.UsesTokens(r.model) {
		return
	}
	const measured = detail.KeyTokenLatencies
	if v := r.log.Get(measured); !pyvalue.IsTrue(v) {
		r.addFault("%s is %s, want true", measured, pyvalue.Name(v))
		return
	}
	if r.scenario != "Server" && r.scenario != "Interactive" {
		return
	}
	limits, ok := c.rules.TokenLimits(r.model, r.scenario)
	if !ok {
		r.addFault("the rules know no token latencies for %s in %s", r.model, r.scenario)
		return
	}
	r.requireMin(result.KeyFirstToken, uint64(limits.FirstToken))
	r.requireMin(result.KeyPerToken, uint64(limits.PerToken))
}

func (r run) requireMin(key string, limit uint64) {
	if below, _ := r.compareValue(key, limit); !below {
		r.addFault("%s is %s, want below %d", key, pyvalue.Name(r.log.Get(key)), limit)
	}
}

// isInferred reports whether the folder's scenario differs from the log's. Interactive runs log Server.
func (r run) isInferred() bool {
	logged, folder := pyvalue.Lower(r.scenario), pyvalue.Lower(r.place.Scenario)
	return logged != folder && (logged != "server" || folder != "interactive")
}

func (c *checker) checkInferred(r run) {
	if !r.isInferred() {
		return
	}
	v, _ := r.fields.Get("system_type")
	kind, _ := v.(string)
	switch folder := canonicalScenario(r.place.Scenario); {
	case !strings.Contains(pyvalue.Lower(kind), "edge"):
		r.addFault("a result of %s cannot be inferred on a system of type %s", r.place.Scenario, pyvalue.Name(v))
	case !result.IsInferable(r.scenario, folder):
		r.addFault("a result of %s cannot be inferred from %s", r.place.Scenario, pyvalue.Name(r.log.Get(detail.KeyScenario)))
	}
}

// checkMetric reads the result. The number that all models have is required even if another one counts.
func (c *checker) checkMetric(r run) {
	v, err := c.readMetric(r)
	if err != nil {
		r.addFault("%v", err)
	}
	if !r.isAudit {
		r.metric = v
	}
}

func (c *checker) readMetric(r run) (any, error) {
	r.requireValues("result_validity")
	common, ok := c.rules.Metric("", r.scenario)
	if !ok || r.scenario == "Interactive" && !c.rules.LogsInteractive() {
		return nil, fmt.Errorf("%s is %s, want a scenario", detail.KeyScenario, pyvalue.Name(r.log.Get(detail.KeyScenario)))
	}
	m, _ := c.rules.Metric(r.model, r.scenario)
	if r.scenario == "Interactive" {
		m.Key = common.Key
	}
	_, err := r.numberAt(common.Key)
	logged, err2 := r.numberAt(m.Key)
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	if !r.isInferred() {
		return m.Value(logged), nil
	}
	return inferredMetric(r, m.Value(logged))
}

func (r run) numberAt(key string) (float64, error) {
	v, err := pyvalue.Float(r.log.Get(key))
	if err != nil {
		return 0, fmt.Errorf("%s: %w", key, err)
	}
	return v, nil
}

// inferredMetric returns the result for the folder's scenario, or the log's own result if it cannot be inferred.
func inferredMetric(r run, own float64) (any, error) {
	r.requireValues("result_mean_latency_ns", "effective_samples_per_query")
	switch r.scenario {
	case "SingleStream":
		r.requireValues(result.KeyOfflineFromSingleStream)
	case "MultiStream":
		r.requireValues("result_99.00_percentile_per_query_latency_ns", "result_mean_query_latency_ns")
	}
	folder := r.place.Scenario
	if name, ok := tree.CanonicalScenario(folder); ok {
		folder = name
	}
	switch {
	case folder == "Offline" && r.scenario == "SingleStream":
		return r.log.Get(result.KeyOfflineFromSingleStream), nil
	case folder == "Offline" && r.scenario == "MultiStream":
		return offlineFromMultiStream(r)
	case folder == "MultiStream" && r.scenario == "SingleStream":
		return multiFromSingleStream(r)
	case folder == "Interactive" && r.scenario != "Server":
		return own, fmt.Errorf("a result of Interactive cannot be inferred from %s", r.scenario)
	}
	return own, nil
}

func offlineFromMultiStream(r run) (any, error) {
	samples, err := pyvalue.Times(r.log.Get("effective_samples_per_query"), 1000)
	ms, err2 := pyvalue.Divide(r.log.Get("result_mean_query_latency_ns"), int64(1e6))
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	return floatOrNil(pyvalue.Divide(samples, ms))
}

func multiFromSingleStream(r run) (any, error) {
	const key = "early_stopping_latency_ms"
	if pyvalue.Equal(r.log.Get(key), 0) {
		return 0.0, fmt.Errorf("%s is 0: there were too few queries for an estimate", key)
	}
	eight, err := pyvalue.Times(r.log.Get(key), 8)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	return floatOrNil(pyvalue.Divide(eight, int64(1e6)))
}

func floatOrNil(v float64, err error) (any, error) { return v, err }
