package campaign

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"

	"github.com/plumbline-ml/plumbline/internal/submission/audit"
)

// Comparison compares a run with a run under other conditions.
type Comparison struct {
	Scenario   string
	Run, Other record.Run // under the user's conditions, and under the other conditions
	Pass       bool
	Reasons    []string // reasons why it did not pass
	Notes      []string
}

// Folders of runs under other conditions, next to the folders of compliance tests.
const (
	seedsFolder   = "seeds"
	datasetFolder = "dataset"
)

// RunPair contains two runs to compare: one under the user's conditions and one under other conditions.
type RunPair struct {
	first, other Step
	compare      func(*Comparison)
}

// Seeds returns a scenario's performance run paired with one that uses other seeds. A system that is faster with the
// official seeds, by more than TEST05's limit, is tuned to them.
func SeedsPair(scenario string, s mlconf.Seeds) RunPair {
	first := Step{Scenario: scenario, Mode: bench.ModePerformance}
	other := first
	other.Test = bench.Test{Name: seedsFolder, Judged: true}
	other.Settings = []string{
		fmt.Sprintf("qsl_rng_seed=%d", s.QSL), fmt.Sprintf("sample_index_rng_seed=%d", s.SampleIndex),
		fmt.Sprintf("schedule_rng_seed=%d", s.Schedule),
	}
	return RunPair{first, other, (*Comparison).comparePerformance}
}

// Dataset returns a scenario's performance or accuracy run paired with one on another data set. The performance limit
// is the same as for seeds. The accuracy must not be lower by more than one percent.
func DatasetPair(scenario, mode, path string) RunPair {
	first := Step{Scenario: scenario, Mode: mode}
	other := first
	other.Test, other.Dataset = bench.Test{Name: datasetFolder, Judged: true}, path
	if mode == bench.ModeAccuracy {
		return RunPair{first, other, (*Comparison).compareAccuracy}
	}
	return RunPair{first, other, (*Comparison).comparePerformance}
}

// Compare makes the missing runs of pairs and passes each comparison to done. Its error is like that of Audits.
func (c *Campaign) ComparePairs(ctx context.Context, pairs []RunPair, done func(Comparison, error)) error {
	var pieces []workPiece
	for _, p := range pairs {
		pieces = append(pieces, workPiece{c, []Step{p.first, p.other}, func(ctx context.Context) exitcode.Code {
			o, err := c.comparePair(ctx, p)
			done(o, err)
			return verdictCode(audit.Verdict{Pass: o.Pass}, err)
		}})
	}
	return executePieces(ctx, pieces)
}

// comparePair makes both runs, compares them, and records the verdict in the second run.
func (c *Campaign) comparePair(ctx context.Context, p RunPair) (o Comparison, err error) {
	o.Scenario = p.first.Scenario
	if o.Run, err = c.MakeRun(ctx, p.first); err != nil {
		return o, err
	}
	if o.Other, err = c.MakeRun(ctx, p.other); err != nil {
		return o, err
	}
	p.compare(&o)
	return o, c.recordVerdict(p.other, o.Pass)
}

// Maximum relative losses with other seeds or data: of the performance, of the performance with short latencies, and of
// the accuracy.
const (
	maxSlowdown      = 0.05
	maxShortSlowdown = 0.20
	maxAccuracyLoss  = 0.01
)

// comparePerformance compares the scores of the two runs.
func (o *Comparison) comparePerformance() {
	if !o.checkValid() {
		return
	}
	first, other := float64(o.Run.Performance.Metric.Value), float64(o.Other.Performance.Metric.Value)
	gained := other/first - 1
	if o.isLatency() {
		gained = first/other - 1
	}
	bound := o.latencyBound(time.Duration(first))
	text := fmt.Sprintf("%s %s instead of %s %s: %s", o.Other.Performance.Metric.Rounded, o.Other.Performance.Metric.Unit,
		o.Run.Performance.Metric.Rounded, o.Run.Performance.Metric.Unit, changeText(gained, "faster", "slower"))
	switch {
	case math.IsNaN(gained) || gained < -bound:
		o.addFailure(fmt.Sprintf("%s, more than the %s that runs may differ by", text, formatPercent(bound)))
	default:
		o.Pass = true
		o.Notes = append(o.Notes, text)
	}
}

// checkValid requires two runs with results.
func (o *Comparison) checkValid() bool {
	for _, r := range []record.Run{o.Run, o.Other} {
		if r.Performance == nil || !r.Performance.Valid {
			o.addFailure(fmt.Sprintf("the run in %s is %s: there is nothing to compare", r.Dir, r.Verdict))
			return false
		}
	}
	return true
}

func (o *Comparison) addFailure(why string) { o.Pass, o.Reasons = false, append(o.Reasons, why) }

// isLatency reports whether the score is a latency, so lower is better.
func (o *Comparison) isLatency() bool {
	return o.Scenario == "SingleStream" || o.Scenario == "MultiStream"
}

// latencyBound returns the limit for a score. It is wider for short latencies, which vary more between runs.
func (o *Comparison) latencyBound(score time.Duration) float64 {
	short := o.Scenario == "SingleStream" && score <= 200*time.Microsecond ||
		o.Scenario == "MultiStream" && score <= 1600*time.Microsecond
	if short {
		return maxShortSlowdown
	}
	return maxSlowdown
}

// compareAccuracy compares each metric of the two runs.
func (o *Comparison) compareAccuracy() {
	if o.Run.Accuracy == nil || o.Other.Accuracy == nil {
		o.addFailure("a run has no accuracy: there is nothing to compare")
		return
	}
	o.Pass = true
	for _, m := range o.Run.Accuracy.Metrics {
		for _, n := range o.Other.Accuracy.Metrics {
			if m.Name == n.Name {
				o.compareMetric(m.Name, float64(m.Value), float64(n.Value))
			}
		}
	}
}

func (o *Comparison) compareMetric(name string, first, other float64) {
	gained := other/first - 1
	text := fmt.Sprintf("%s %.5g instead of %.5g: %s", name, other, first, changeText(gained, "higher", "lower"))
	if math.IsNaN(gained) || gained < -maxAccuracyLoss {
		o.addFailure(fmt.Sprintf("%s, more than the %s that it may be", text, formatPercent(maxAccuracyLoss)))
		return
	}
	o.Notes = append(o.Notes, text)
}

func changeText(gained float64, more, less string) string {
	if gained < 0 {
		return formatPercent(-gained) + " " + less
	}
	return formatPercent(gained) + " " + more
}

func formatPercent(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) + " %" }

// ParseSeeds reads three seeds, such as "1,2,3": for the QSL, the sample index and the schedule.
func ParseSeeds(text string) (mlconf.Seeds, error) {
	parts := strings.Split(text, ",")
	if len(parts) != 3 {
		return mlconf.Seeds{}, fmt.Errorf("--seeds %q: want three numbers Q,S,C: of the QSL, the sample index, the schedule",
			text)
	}
	var s mlconf.Seeds
	for i, into := range []*uint64{&s.QSL, &s.SampleIndex, &s.Schedule} {
		n, err := strconv.ParseUint(strings.TrimSpace(parts[i]), 10, 64)
		if err != nil {
			return s, fmt.Errorf("--seeds %q: %q is no whole number of 64 bits", text, parts[i])
		}
		*into = n
	}
	return s, nil
}
