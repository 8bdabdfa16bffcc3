// Package judge compares accuracies with their targets.
//
// There are three cases. The full official data set has the closed division's target. The embedded model on the
// plugin's own data must reach a share of the FP32 accuracy on the model card. Anything else (a subset, or a user's own
// model on the plugin's data) has no target, and its accuracy is only reported. A user's own target replaces the rules'
// target. Answers compared with expected answers must agree with them.
package judge

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/sdk"
)

// Outcome is the result of comparing an accuracy with its target.
type Outcome string

// Above is the outcome for metrics with an upper limit. Informational means that there is no target.
const (
	Pass          Outcome = "PASS"
	Below         Outcome = "BELOW TARGET"
	Above         Outcome = "ABOVE LIMIT"
	Informational Outcome = "no target"
)

// defaultShare is the usual target of the closed division: 99 % of the FP32 reference.
const defaultShare = 0.99

// Case describes a scored log.
type Case struct {
	Model    sdk.ModelInfo
	Embedded bool // an embedded file of the model ran
	Own      bool // the user named a data set; the plugin's own was not used
	Score    sdk.Score
	// Targets contains the user's targets: the minimum of a metric or, if lower is better, the maximum; nil: none.
	Targets map[string]float64
}

// Metric is a judged figure. Reference and the fields after it are zero if there is no target.
type Metric struct {
	Name             string              `json:"name"`
	Unit             string              `json:"unit"`
	Better           sdk.MetricDirection `json:"better,omitempty"` // from the model's manifest; empty: unknown
	Value            figure.Number       `json:"value"`
	Rounded          string              `json:"rounded"`
	Reference        figure.Number       `json:"reference,omitempty"` // accuracy of the FP32 model
	Target           figure.Number       `json:"target,omitempty"`
	Upper            figure.Number       `json:"upper,omitempty"`
	TargetShare      figure.Number       `json:"target_share,omitempty"`       // share required: 0.99
	ShareOfReference figure.Number       `json:"share_of_reference,omitempty"` // Value / Reference
	Outcome          Outcome             `json:"outcome"`
	Text             string              `json:"text"` // the comparison in one line
}

// Verdict is the verdict on one accuracy log. The worst metric determines the outcome.
type Verdict struct {
	Outcome Outcome  `json:"outcome"`
	Basis   string   `json:"basis"` // the source of the target, or why there is none
	Metrics []Metric `json:"metrics"`
}

// OK reports whether all metrics with a target reached it.
func (v Verdict) OK() bool { return v.Outcome == Pass || v.Outcome == Informational }

// metricTarget is the range of values that pass, from minimum to upper. A missing limit is infinite.
type metricTarget struct {
	reference, minimum, upper, share float64
}

// isAny reports whether every value passes.
func (t metricTarget) isAny() bool { return math.IsInf(t.minimum, -1) && math.IsInf(t.upper, 1) }

// rangeOf returns the limits of a manifest, in which 0 means no limit, as finite or infinite limits.
func rangeOf(least, upper float64) (float64, float64) {
	least = cmp.Or(least, math.Inf(-1))
	upper = cmp.Or(upper, math.Inf(1))
	return least, upper
}

// finiteLimit returns a limit in the form of results: 0 if it is infinite.
func finiteLimit(limit float64) figure.Number {
	if math.IsInf(limit, 0) {
		return 0
	}
	return figure.Number(limit)
}

// minAgreement is the default minimum percentage of answers that must equal the expected ones.
const minAgreement = 99

// Judge compares each metric of the score with its target.
func Judge(c Case) Verdict {
	targets, basis := c.findTargets()
	missing := c.targetsWithout(targets)
	targets = c.withNamed(targets)
	v := Verdict{Outcome: Informational, Basis: basis}
	for _, m := range c.Score.Metrics {
		t, ok := targets[m.Name]
		judged := compareMetric(m, c.Model.Better(m.Name), t, ok)
		v.Metrics = append(v.Metrics, judged)
		v.Outcome = worseOutcome(v.Outcome, judged.Outcome)
	}
	if v.Outcome == Informational && targets != nil {
		v.Basis = "no target: there is none in the " + basis
	}
	if len(missing) > 0 {
		v.Basis += "; not judged, because the score has no such figure: " + strings.Join(missing, ", ")
	}
	if len(c.Targets) > 0 {
		v.Basis = "targets that the user named, else: " + v.Basis
	}
	return v
}

// targetsWithout returns the names of targets for metrics that the score does not contain.
func (c Case) targetsWithout(targets map[string]metricTarget) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(targets)) {
		has := func(m sdk.Metric) bool { return m.Name == name }
		if !targets[name].isAny() && !slices.ContainsFunc(c.Score.Metrics, has) {
			names = append(names, name)
		}
	}
	return names
}

// withNamed returns others with the user's targets replacing them.
func (c Case) withNamed(others map[string]metricTarget) map[string]metricTarget {
	own := map[string]metricTarget{}
	for _, m := range c.Score.Metrics {
		if m.Name == sdk.Agreement {
			own[m.Name] = metricTarget{minimum: minAgreement, upper: math.Inf(1)}
		}
	}
	for name, value := range c.Targets {
		own[name] = metricTarget{minimum: value, upper: math.Inf(1)}
		if c.Model.Better(name) == sdk.LowerBetter {
			own[name] = metricTarget{minimum: math.Inf(-1), upper: value}
		}
	}
	if len(own) == 0 {
		return others
	}
	all := maps.Clone(others)
	if all == nil {
		all = map[string]metricTarget{}
	}
	maps.Copy(all, own)
	return all
}

// Check returns an error that lists the user's targets for metrics that the score does not contain.
func (c Case) Check() error {
	have := make([]string, len(c.Score.Metrics))
	for i, m := range c.Score.Metrics {
		have[i] = m.Name
	}
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(c.Targets)) {
		if !slices.Contains(have, name) {
			faults = append(faults, fmt.Errorf("--target %s: the scorer gives no such metric, but %s", name,
				strings.Join(have, ", ")))
		}
	}
	return errors.Join(faults...)
}

func worseOutcome(a, b Outcome) Outcome {
	for _, o := range []Outcome{Below, Above, Pass} {
		if a == o || b == o {
			return o
		}
	}
	return Informational
}

// findTargets returns targets by metric name and describes their source.
func (c Case) findTargets() (map[string]metricTarget, string) {
	data, known := c.datasetOf()
	switch {
	case !known:
		return nil, "no target: the size of the data set is not known"
	case c.Score.Samples != data.Samples:
		return nil, fmt.Sprintf("no target applies to a subset: %s of the %s samples of %s",
			figure.Count(uint64(c.Score.Samples)), figure.Count(uint64(data.Samples)), data.Name)
	case !data.Embedded:
		return officialTargets(c.Model.Metrics), "closed division's targets for " + data.Name
	case !c.Embedded:
		return nil, fmt.Sprintf("no target: %s is the embedded model's own data", data.Name)
	}
	return cardTargets(c.Model), "FP32 references of the model card"
}

// datasetOf returns the data set of the log. If the model has several, it returns the one whose size equals the log's.
func (c Case) datasetOf() (sdk.DatasetInfo, bool) {
	var found sdk.DatasetInfo
	for _, d := range c.Model.DatasetsFor(sdk.UseAccuracy, !c.Own) {
		if d.Samples <= 0 {
			continue
		}
		if d.Samples == c.Score.Samples {
			return d, true
		}
		if found.Samples == 0 {
			found = d
		}
	}
	return found, found.Samples > 0
}

func officialTargets(metrics []sdk.MetricInfo) map[string]metricTarget {
	targets := map[string]metricTarget{}
	for _, m := range metrics {
		t := metricTarget{reference: m.Reference, share: m.Share}
		t.minimum, t.upper = rangeOf(m.Target, m.Upper)
		targets[m.Name] = t
	}
	return targets
}

// cardTargets returns targets relative to the measured metrics of the embedded FP32 file. The share is the official one
// unless the metric states another, and an upper limit keeps its ratio to the official reference.
func cardTargets(m sdk.ModelInfo) map[string]metricTarget {
	infos := map[string]sdk.MetricInfo{}
	for _, info := range m.Metrics {
		infos[info.Name] = info
	}
	targets := map[string]metricTarget{}
	for _, f := range m.Files {
		if !f.Embedded || f.Precision != "fp32" {
			continue
		}
		for _, r := range f.Reference {
			targets[r.Name] = cardTarget(infos[r.Name], r.Value)
		}
	}
	return targets
}

func cardTarget(m sdk.MetricInfo, reference float64) metricTarget {
	share, most := cmp.Or(m.EmbeddedLeast, m.Share, defaultShare), m.EmbeddedMost
	if most == 0 && m.Reference != 0 {
		most = m.Upper / m.Reference
	}
	t := metricTarget{reference: reference, share: share}
	if m.Better == sdk.LowerBetter && m.Target == 0 && m.EmbeddedLeast == 0 {
		t.minimum, t.upper = rangeOf(0, cmp.Or(most, 1/share)*reference)
	} else {
		t.minimum, t.upper = rangeOf(share*reference, most*reference)
	}
	return t
}

func compareMetric(m sdk.Metric, better sdk.MetricDirection, t metricTarget, known bool) Metric {
	out := Metric{
		Name: m.Name, Unit: m.Unit, Better: better, Value: figure.Number(m.Value), Rounded: figure.Round(m.Value),
		Outcome: Informational,
	}
	if !known || t.isAny() {
		return out
	}
	out.Reference, out.Target = figure.Number(t.reference), finiteLimit(t.minimum)
	out.Upper, out.TargetShare = finiteLimit(t.upper), figure.Number(t.share)
	if t.reference != 0 {
		out.ShareOfReference = figure.Number(m.Value / t.reference)
	}
	out.Outcome = Pass
	switch {
	case !(m.Value >= t.minimum): // also for NaN
		out.Outcome = Below
	case m.Value > t.upper:
		out.Outcome = Above
	}
	out.Text = explainMetric(out, t)
	return out
}

// explainMetric describes the comparison: "99.4 % of FP32: passes the 99 % target".
func explainMetric(m Metric, t metricTarget) string {
	if most := math.IsInf(t.minimum, -1); m.TargetShare == 0 && (most || m.Outcome != Above) {
		way := map[Outcome]string{Below: "below", Above: "above", Pass: "passes"}[m.Outcome]
		limit := m.Target
		if most {
			limit = m.Upper
		}
		return fmt.Sprintf("%s: %s the target of %s", m.Name, way, quantityText(limit, m.Unit))
	}
	need := fmt.Sprintf("%s %% target", figure.Short(100*float64(m.TargetShare)))
	share := ""
	if m.ShareOfReference != 0 {
		share = shareText(float64(m.ShareOfReference)) + " FP32: "
	}
	switch m.Outcome {
	case Below:
		return fmt.Sprintf("%sbelow the %s of %s", share, need, quantityText(m.Target, m.Unit))
	case Above:
		return fmt.Sprintf("%sabove the upper limit of %s", share, quantityText(m.Upper, m.Unit))
	}
	return fmt.Sprintf("%spasses the %s", share, need)
}

// shareText returns a share with one decimal, truncated so that 98.97 % does not become 99.0 %: "98.9 % of". From ten
// times on, it returns "12.3 times".
func shareText(share float64) string {
	if share >= 10 {
		return fmt.Sprintf("%.1f times", floorTenth(share))
	}
	return fmt.Sprintf("%.1f %% of", floorTenth(100*share))
}

func quantityText(v figure.Number, unit string) string {
	return strings.TrimSpace(figure.Round(float64(v)) + " " + unit)
}

// floorTenth truncates v to one decimal. It tolerates a relative error of 1e-12 in quotients that should be exact.
func floorTenth(v float64) float64 { return math.Floor(v*10*(1+1e-12)) / 10 }
