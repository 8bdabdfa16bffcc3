package results

import (
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/check"
)

// copiedFields returns the fields of a point that are copied from its files. It omits unknown ones.
func copiedFields(p check.Point) *pyvalue.Dict {
	d, run := pyvalue.NewDict(), p.Run
	if run == nil || len(run.Keys()) == 0 {
		run, _ = pyvalue.Field[*pyvalue.Dict](p.Summary, "run_config")
	}
	d.Set("concurrency", pointConcurrency(p, run))
	d.Set("run_date", runDate(p))
	for _, key := range []string{"config_summary", "config_summary_notes", "node_config", "link_config"} {
		v, _ := p.System.Get(key)
		setKnown(d, key, v)
	}
	completed, tokens := numberField(p.Summary, "n_samples_completed"), metricTotal(p.Summary, "output_sequence_lengths")
	setKnown(d, "measured_total_requests", completed)
	setKnown(d, "measured_total_requests_issued", numberField(p.Summary, "n_samples_issued"))
	setKnown(d, "measured_total_requests_failed", numberField(p.Summary, "n_samples_failed"))
	setKnown(d, "measured_run_duration", deriveFigures(p.Summary).seconds)
	setKnown(d, "measured_total_output_tokens", tokens)
	version, _ := p.Summary.Get("version")
	setKnown(d, "result_version", version)
	setKnown(d, "result_state", runState(p.Summary))
	setKnown(d, "benchmark_version", firstTrue(p.Summary, "git_sha", "benchmark_version"))
	region, _ := p.Config.Get("region")
	setKnown(d, "config_region", region)
	setKnown(d, "config_type", firstTrue(run, "type", "benchmark_mode"))
	for _, metric := range []string{"ttft", "tpot"} {
		for _, percent := range []string{"50", "90", "95", "99"} {
			setKnown(d, "measured_latency_"+metric+"_p"+percent, toMillis(metricPercentile(p.Summary, metric, percent)))
		}
		setKnown(d, "measured_latency_"+metric+"_average", toMillis(ratio(metricTotal(p.Summary, metric), completed)))
	}
	setKnown(d, "average_output_tokens", averageTokens(p, ratio(tokens, completed)))
	setKnown(d, "measured_accuracy_score", accuracyText(p.Accuracy))
	return d
}

// setKnown sets a key unless the value is unknown.
func setKnown(d *pyvalue.Dict, key string, v any) {
	if v != nil {
		d.Set(key, v)
	}
}

// pointConcurrency returns the concurrency from point.yaml, or else config.yaml, or else the folder's name.
func pointConcurrency(p check.Point, run *pyvalue.Dict) any {
	for _, from := range []*pyvalue.Dict{p.Config, run} {
		if v := numberField(from, "concurrency"); isNonzero(v) {
			return v
		}
	}
	n, _ := strconv.ParseInt(strings.TrimPrefix(p.Name, "r"), 10, 64)
	return n
}

func isNonzero(v any) bool {
	x, ok := toFloat(v)
	return ok && x != 0
}

// runState returns how the run ended; nil: not in the summary.
func runState(summary *pyvalue.Dict) any {
	if v := firstTrue(summary, "state"); v != nil {
		return v
	}
	if complete, _ := summary.Get("complete"); complete == true {
		return "complete"
	}
	return nil
}

// averageTokens returns the declared output tokens per request, or else the measured ones.
func averageTokens(p check.Point, measured any) any {
	const key = "output_token_average"
	if v := numberField(p.Config, key); isNonzero(v) {
		return v
	}
	if v := numberField(p.System, key); v != nil {
		return v
	}
	return measured
}

// runDate returns the time of the run; "": not in the files.
func runDate(p check.Point) any {
	for _, from := range []*pyvalue.Dict{p.Config, p.System} {
		if v := firstTrue(from, "run_date"); v != nil {
			return v
		}
	}
	return ""
}

// derivedFields returns the computed figures of a point; null: unknown.
func derivedFields(known Point, p check.Point) *pyvalue.Dict {
	d := pyvalue.NewDict()
	for _, f := range []struct {
		key string
		x   *float64
	}{{"system_tps", known.SystemTPS}, {"tps_per_user", known.TPSPerUser}, {"qps", known.QPS}, {"ttft", known.TTFT}} {
		if d.Set(f.key, nil); f.x != nil {
			d.Set(f.key, *f.x)
		}
	}
	d.Set("tps_utilization", numberField(p.System, "tps_utilization"))
	return d
}

// maxScores is the maximum number of scores in a text.
const maxScores = 4

// accuracyText returns a text with the scores in accuracy_results.json, or nil if there are none.
func accuracyText(d *pyvalue.Dict) any {
	list, _ := pyvalue.Field[[]any](d, "accuracy_scores")
	var pairs []string
	for _, one := range list {
		entry, _ := one.(*pyvalue.Dict)
		if score, _ := entry.Get("score"); score != nil {
			name := firstTrue(entry, "dataset_name", "extractor")
			if name == nil {
				name = "score"
			}
			pairs = append(pairs, pyvalue.Text(name)+"="+roundedText(score))
		}
	}
	if score, _ := d.Get("score"); len(pairs) == 0 && score != nil {
		name := firstTrue(d, "metric")
		if name == nil {
			name = "score"
		}
		pairs = []string{pyvalue.Text(name) + "=" + roundedText(score)}
	}
	if len(pairs) == 0 {
		pairs = nestedScores(d)
	}
	if len(pairs) == 0 {
		return nil
	}
	return strings.Join(pairs[:min(len(pairs), maxScores)], ", ")
}

// nestedScores returns the scores of the first value of an object that contains scores.
func nestedScores(d *pyvalue.Dict) (pairs []string) {
	if d == nil {
		return nil
	}
	for _, key := range d.Keys() {
		entry, _ := pyvalue.Field[*pyvalue.Dict](d, key)
		scores, _ := pyvalue.Field[*pyvalue.Dict](entry, "scores")
		if scores == nil {
			continue
		}
		for _, name := range scores.Keys() {
			score, _ := scores.Get(name)
			pairs = append(pairs, name+"="+roundedText(score))
		}
		if len(pairs) > 0 {
			return pairs[:min(len(pairs), maxScores)]
		}
	}
	return nil
}

// maxText is the maximum length of a score that is shown in full.
const maxText = 200

// scoreText returns a score in a form that can be shown.
func scoreText(v any) any {
	d, ok := v.(*pyvalue.Dict)
	if !ok {
		if list, isList := v.([]any); isList {
			return pyvalue.Text(list)
		}
		return v
	}
	if pairs := nestedScores(d); len(pairs) > 0 {
		return strings.Join(pairs, ", ")
	}
	text := pyvalue.JSON(d)
	return text[:min(len(text), maxText)]
}
