package former

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/official/internal/detail"
	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// performanceLog is a performance log to judge, of the result or of one of its audits.
type performanceLog struct {
	*scenarioFolder
	dir, group string
	log        *detail.Log
	err        error // error of reading the log

	scenario   string // scenario in the log
	result     any
	inferred   bool
	equalIssue bool // the log permits that samples are issued equally often
}

func (c *formerChecker) openRun(f *scenarioFolder, dir, group string) *performanceLog {
	r := &performanceLog{scenarioFolder: f, dir: dir, group: group}
	if c.features.TextLogs {
		r.log, r.err = c.readTextLog(dir)
	} else {
		r.log, r.err = c.files.OldLog(path.Join(dir, tree.DetailLog))
	}
	if r.err == nil && r.log == nil {
		r.err = errors.New(tree.DetailLog + " is missing")
	}
	return r
}

// performance judges a log. If the checker's own judging ends with an exception, there is no result.
func (c *formerChecker) judgePerformance(r *performanceLog) (valid bool) {
	err := r.err
	if err == nil {
		valid, err = c.judgeRun(r)
	}
	if err != nil {
		r.addFault(r.group, "%s: %v", r.dir, err)
		r.result, r.inferred = nil, false
		return false
	}
	return valid
}

// ruleRow is a rule on a performance log. A fault refuses the result if the checker enforces the rule. An error means
// that the checker stops here.
type ruleRow struct {
	check      func(c *formerChecker, r *performanceLog) (fault string, err error)
	isEnforced func(b checkerBook) bool
}

func alwaysEnforced(checkerBook) bool { return true }

func refusesSettings(b checkerBook) bool { return b.RefusesSettings }

// rows lists all rules in the checkers' order.
var ruleRows = []ruleRow{
	{(*formerChecker).checkErrors, alwaysEnforced},
	{(*formerChecker).checkSampleCount, alwaysEnforced},
	{(*formerChecker).checkSeeds, refusesSettings},
	{(*formerChecker).checkLatency, refusesSettings},
	{(*formerChecker).checkQueries, refusesSettings},
	{(*formerChecker).checkOfflineSamples, refusesSettings},
	{(*formerChecker).checkDuration, func(b checkerBook) bool { return b.RefusesShort }},
	{(*formerChecker).inferResult, func(b checkerBook) bool { return b.RefusesNoEstimate }},
	{(*formerChecker).checkNetwork, alwaysEnforced},
}

func (c *formerChecker) judgeRun(r *performanceLog) (valid bool, err error) {
	validity, err := r.usedValue("result_validity")
	if err != nil {
		return false, err
	}
	if valid = validity == "VALID"; !valid {
		r.addFault(r.group, "%s: result_validity is %s", r.dir, pyvalue.Name(validity))
	}
	if err := c.readMetric(r); err != nil {
		return false, err
	}
	if c.rules.UsesTokens(r.model) {
		if valid, err = c.judgeTokens(r); err != nil {
			return false, err
		}
	}
	if err := c.checkReadValues(r); err != nil {
		return false, err
	}
	issued, _ := r.log.Get("effective_sample_concatenate_permutation").(string) // zero for a boolean
	r.equalIssue = !c.wantsEqualIssue(r.scenarioFolder) || issued == "true"
	for _, row := range ruleRows {
		fault, err := row.check(c, r)
		if err != nil {
			return false, err
		}
		if fault != "" && row.isEnforced(c.book) {
			r.addFault(r.group, "%s: %s", r.dir, fault)
			valid = false
		}
	}
	return valid, nil
}

// wantsEqualIssue reports whether all samples of the model must be issued equally often.
func (c *formerChecker) wantsEqualIssue(f *scenarioFolder) bool {
	for _, model := range c.book.EqualIssue {
		if f.checkerName == model && hasClosedRules(f.place.Division) {
			return true
		}
	}
	return false
}

// usedValue returns a value that the checker uses. If the key's record has no value, the checker stops.
func (r *performanceLog) usedValue(key string) (any, error) {
	if r.log.LacksValue(key) {
		return nil, fmt.Errorf("the record of %s has no value", key)
	}
	return r.log.Get(key), nil
}

// reads checks the values that the checker reads without using them.
func (c *formerChecker) checkReadValues(r *performanceLog) error {
	keys := []string{"result_99.00_percentile_latency_ns"}
	perQuery := r.scenario == "MultiStream"
	if perQuery {
		keys = append(keys, "result_99.00_percentile_per_query_latency_ns")
	}
	if !c.rules.HasStreams() {
		keys = append(keys, "result_mean_latency_ns")
	}
	if perQuery && !c.rules.HasStreams() {
		keys = append(keys, "result_mean_query_latency_ns")
	}
	if c.book.HasNetwork {
		keys = append(keys, detail.KeySUT)
	}
	for _, key := range keys {
		if _, err := r.usedValue(key); err != nil {
			return err
		}
	}
	return nil
}

// compareValue compares the value of a key with a number. A value that cannot be compared stops the checker.
func (r *performanceLog) compareValue(key string, n uint64) (below, above bool, v any, err error) {
	if v, err = r.usedValue(key); err != nil {
		return false, false, v, err
	}
	if below, err = pyvalue.Less(v, int64(n)); err != nil {
		return false, false, v, fmt.Errorf("%s is %s, want a number", key, pyvalue.Name(v))
	}
	above, _ = pyvalue.Less(int64(n), v)
	return below, above, v, nil
}

// minFault returns the fault of a value below a number.
func (r *performanceLog) minFault(key string, n uint64) (fault string, err error) {
	below, _, v, err := r.compareValue(key, n)
	if below {
		fault = fmt.Sprintf("%s is %s, want at least %d", key, pyvalue.Name(v), n)
	}
	return fault, err
}

// maxFault returns the fault of a value above a number.
func (r *performanceLog) maxFault(key string, n uint64) (fault string, err error) {
	_, above, v, err := r.compareValue(key, n)
	if above {
		fault = fmt.Sprintf("%s is %s, want at most %d", key, pyvalue.Name(v), n)
	}
	return fault, err
}

func (r *performanceLog) usedNumber(key string) (float64, error) {
	v, err := r.usedValue(key)
	if err != nil {
		return 0, err
	}
	n, err := pyvalue.Float(v)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", key, err)
	}
	return n, nil
}

// metric reads the result. The number that all models have is required even if another one counts.
func (c *formerChecker) readMetric(r *performanceLog) error {
	v, err := r.usedValue(detail.KeyScenario)
	if err != nil {
		return err
	}
	r.scenario, _ = v.(string)
	common, ok := c.rules.Metric("", r.scenario)
	if !ok || r.scenario == "Interactive" {
		return fmt.Errorf("%s is %s, want a scenario", detail.KeyScenario, pyvalue.Name(v))
	}
	m, _ := c.rules.Metric(r.model, r.scenario)
	_, err = r.usedNumber(common.Key)
	logged, err2 := r.usedNumber(m.Key)
	r.result = m.Value(logged)
	return errors.Join(err, err2)
}

func (c *formerChecker) checkErrors(r *performanceLog) (string, error) { return c.firstLogError(r.log) }

func (c *formerChecker) checkSampleCount(r *performanceLog) (string, error) {
	want := c.rules.PerformanceSampleCount(r.model)
	if want == 0 {
		return "", fmt.Errorf("the rules know no number of samples for %s", r.checkerName)
	}
	return r.minFault("effective_performance_sample_count", want)
}

// seeds checks the round's seeds, or TEST05's seeds if the path names TEST05.
func (c *formerChecker) checkSeeds(r *performanceLog) (fault string, err error) {
	want := c.rules.Seeds
	if strings.Contains(r.dir, "TEST05") {
		want, _ = c.rules.OtherSeeds()
	}
	for _, seed := range []struct {
		key  string
		want uint64
	}{
		{"effective_qsl_rng_seed", want.QSL},
		{"effective_sample_index_rng_seed", want.SampleIndex},
		{"effective_schedule_rng_seed", want.Schedule},
	} {
		v, err := r.usedValue(seed.key)
		if err != nil {
			return "", err
		}
		if !pyvalue.Equal(v, seed.want) {
			fault = fmt.Sprintf("%s is %s, want %d", seed.key, pyvalue.Name(v), seed.want)
		}
	}
	return fault, nil
}

// stopsEarly reports whether early stopping determines the number of queries. Rounds with streams in MultiStream have
// no early stopping.
func (c *formerChecker) stopsEarly(r *performanceLog) bool {
	return r.scenario != "Offline" && !c.rules.HasStreams()
}

// latency checks the configured limit if there is early stopping. Otherwise the checker only reports the measured
// percentile.
func (c *formerChecker) checkLatency(r *performanceLog) (string, error) {
	if _, err := r.usedValue("early_stopping_met"); err != nil && c.stopsEarly(r) {
		return "", err
	}
	limit := c.rules.LatencyLimit(r.model, r.scenario)
	if limit == 0 || !c.stopsEarly(r) {
		return "", nil
	}
	return r.maxFault("effective_target_latency_ns", uint64(limit))
}

func (c *formerChecker) checkQueries(r *performanceLog) (string, error) {
	want := c.rules.MinQueries(r.model, r.scenario)
	if want == 0 || c.stopsEarly(r) {
		return "", nil
	}
	return r.minFault("effective_min_query_count", want)
}

func (c *formerChecker) checkOfflineSamples(r *performanceLog) (string, error) {
	if r.scenario != "Offline" {
		return "", nil
	}
	want := c.rules.OfflineSamples(r.model)
	if want == 0 {
		return "", fmt.Errorf("the rules know no number of Offline samples for %s", r.checkerName)
	}
	return r.minFault("effective_samples_per_query", want)
}

func (c *formerChecker) checkDuration(r *performanceLog) (string, error) {
	return r.minFault(detail.KeyDuration, detail.MinDurationMillis)
}

func (c *formerChecker) checkNetwork(r *performanceLog) (string, error) {
	if !c.book.HasNetwork {
		return "", nil
	}
	yes, err := r.isOverNetwork()
	if err != nil {
		return "", err
	}
	if !acceptsNetwork(r.place.Division, yes) {
		return fmt.Sprintf("is_network is %t in the division %s", yes, r.place.Division), nil
	}
	if !yes {
		return "", nil
	}
	v, err := r.usedValue(detail.KeySUT)
	if err != nil {
		return "", err
	}
	name, ok := v.(string)
	switch {
	case !ok:
		return "", fmt.Errorf("%s is %s, want a text", detail.KeySUT, pyvalue.Name(v))
	case !strings.Contains(name, result.NetworkSUT):
		return fmt.Sprintf("%s is %q, want %q in it", detail.KeySUT, name, result.NetworkSUT), nil
	}
	return "", nil
}

// tokens judges a run by its token latencies. LoadGen's own verdict then does not count.
func (c *formerChecker) judgeTokens(r *performanceLog) (valid bool, err error) {
	v, err := r.usedValue(detail.KeyTokenLatencies)
	if err != nil {
		return false, err
	}
	if !pyvalue.IsTrue(v) {
		r.addFault(r.group, "%s: %s is %s, want true", r.dir, detail.KeyTokenLatencies, pyvalue.Name(v))
		return false, nil
	}
	if r.scenarioFolder.scenario == "Offline" {
		return true, nil
	}
	limits, ok := c.rules.TokenLimits(r.model, "Server")
	if !ok {
		return false, fmt.Errorf("the rules know no token latencies for %s", r.checkerName)
	}
	return c.areTokensWithin(r, limits)
}

func (c *formerChecker) areTokensWithin(r *performanceLog, limits mlconf.TokenLimits) (valid bool, err error) {
	for _, limit := range []struct {
		key  string
		most uint64
	}{{result.KeyFirstToken, uint64(limits.FirstToken)}, {result.KeyPerToken, uint64(limits.PerToken)}} {
		below, _, v, err := r.compareValue(limit.key, limit.most)
		if err != nil {
			return false, err
		}
		if !below {
			r.addFault(r.group, "%s: %s is %s, want below %d", r.dir, limit.key, pyvalue.Name(v), limit.most)
			return false, nil
		}
	}
	return true, nil
}

// inferResult computes the result of a folder whose scenario differs from the log's.
func (c *formerChecker) inferResult(r *performanceLog) (fault string, err error) {
	to := r.scenarioFolder.scenario
	switch {
	case to == r.scenario:
		return "", nil
	case to == "Offline" && r.scenario == "SingleStream":
		r.inferred = true
		r.result, err = r.usedValue(result.KeyOfflineFromSingleStream)
		return "", err
	case to == "Offline" && c.rules.HasStreams():
		return "", fmt.Errorf("a result of Offline cannot be inferred from %s", r.scenario)
	case c.rules.HasStreams():
		return "", nil
	case to == "Offline" && r.scenario == "MultiStream":
		r.inferred = true
		r.result, err = offlineFromMultiStream(r)
		return "", err
	case to == "MultiStream" && r.scenario == "SingleStream":
		r.inferred = true
		return multiFromSingleStream(r)
	}
	return "", nil
}

func offlineFromMultiStream(r *performanceLog) (any, error) {
	samples, err := pyvalue.Times(r.log.Get("effective_samples_per_query"), 1000)
	if err != nil {
		return nil, err
	}
	ms, err := pyvalue.Divide(r.log.Get("result_mean_query_latency_ns"), int64(1e6))
	if err != nil {
		return nil, err
	}
	perSecond, err := pyvalue.Divide(samples, ms)
	return perSecond, err
}

func multiFromSingleStream(r *performanceLog) (fault string, err error) {
	const key = "early_stopping_latency_ms"
	v, err := r.usedValue(key)
	if err != nil {
		return "", err
	}
	if pyvalue.Equal(v, 0) {
		fault = key + " is 0: there were too few queries for an estimate"
	}
	eight, err := pyvalue.Times(v, 8)
	if err != nil {
		return "", fmt.Errorf("%s: %w", key, err)
	}
	r.result, err = pyvalue.Divide(eight, int64(1e6))
	return fault, err
}
