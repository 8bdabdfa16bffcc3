package check

import (
	"fmt"
	"path"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
)

// checkAgentic adds the rows on the accuracy limits of an agentic curve.
func (c *submissionChecker) checkAgentic(v *modelCurve, targets *endpoints.Agentic) {
	if targets == nil {
		c.addRow("agentic-accuracy", Warning, v.dir, "not judged: %s has no bounds of agentic accuracy", path.Base(v.dir))
		return
	}
	c.checkInlineScores(v, targets)
	c.checkBenchScores(v, targets)
	c.checkTokensPerTurn(v, targets)
}

// toPercent returns a score in percent. If the score is not a share, it adds a row and ok is false.
func (c *submissionChecker) toPercent(v *modelCurve, rule string, n int, set string) (percent float64, ok bool) {
	x, ok := v.accuracy[n].datasetScore(set)
	switch {
	case !ok:
		return 0, false
	case !(x >= 0 && x <= 1):
		c.addRow(rule, Error, v.dir, "r%d: the score of %s is %v, want a share from 0 to 1", n, set, x)
		return 0, false
	}
	return x * 100, true
}

// checkInlineScores checks the score of the performance run at every point.
func (c *submissionChecker) checkInlineScores(v *modelCurve, targets *endpoints.Agentic) {
	const rule = "agentic-accuracy-inline"
	var points []int
	for _, p := range v.readPoints {
		points = append(points, p.concurrency)
	}
	slices.Sort(points)
	var missing []string
	for _, n := range slices.Compact(points) {
		a := v.accuracy[n]
		set, ok := a.inlineEntry()
		if !ok || len(a.entryMetrics(set)) == 0 {
			missing = append(missing, fmt.Sprintf("r%d", n))
			continue
		}
		percent, ok := c.toPercent(v, rule, n, set)
		if ok {
			c.addEither(percent >= targets.Inline, rule, Error, v.dir, fmt.Sprintf("r%d: %.2f, at least %v", n, percent,
				targets.Inline), fmt.Sprintf("r%d: %.2f, want at least %v", n, percent, targets.Inline))
		}
	}
	if len(missing) > 0 {
		c.addRow(rule, Error, v.dir, "%s have no inline score", listNames(missing))
	}
}

// sweBench is the data set whose mean over the four regions counts.
const sweBench = endpoints.SWEBenchSet

// checkBenchScores checks the mean of the scores over the regions. A region with several results contributes their
// mean.
func (c *submissionChecker) checkBenchScores(v *modelCurve, targets *endpoints.Agentic) {
	const rule = "agentic-accuracy-swebench"
	if v.regions == nil {
		return
	}
	all := v.accuracyRuns()
	at, _ := v.regions.AssignAccuracy(all)
	assigned := map[int]endpoints.Region{}
	for r, n := range at {
		assigned[n] = r
	}
	by := map[endpoints.Region][]float64{}
	var order []endpoints.Region
	for _, one := range all {
		percent, ok := c.toPercent(v, rule, one.Concurrency, sweBench)
		r, known := assigned[one.Concurrency]
		if accepting := v.regions.AccuracyRegionsOf(one.Concurrency); !known && len(accepting) > 0 {
			r, known = accepting[0], true
		}
		if !ok || !known {
			continue
		}
		if by[r] == nil {
			order = append(order, r)
		}
		by[r] = append(by[r], percent)
	}
	if len(order) == 0 {
		c.addRow(rule, Warning, v.dir, "no point has a result of %s", sweBench)
		return
	}
	mean := 0.0
	for _, r := range order {
		if len(by[r]) > 1 {
			c.addRow(rule, Warning, v.dir, "%s has %d results of %s, want one; their mean counts", r, len(by[r]), sweBench)
		}
		sum := 0.0
		for _, x := range by[r] {
			sum += x
		}
		mean += sum / float64(len(by[r]))
	}
	mean /= float64(len(order))
	switch {
	case mean < targets.SWEBench:
		c.addRow(rule, Error, v.dir, "the mean of %d regions is %.2f, want at least %v", len(order), mean, targets.SWEBench)
	case len(order) != len(endpoints.AccuracyRegions()):
		c.addRow(rule, Warning, v.dir, "the mean is %.2f, but of %d regions alone", mean, len(order))
	default:
		c.addRow(rule, Info, v.dir, "the mean of the four regions is %.2f, at least %v", mean, targets.SWEBench)
	}
}

// checkTokensPerTurn checks the output tokens per turn over the whole run against the model's typical answers.
func (c *submissionChecker) checkTokensPerTurn(v *modelCurve, targets *endpoints.Agentic) {
	const rule = "agentic-osl-range"
	var missing []string
	for _, p := range v.readPoints {
		if p.summary == nil {
			continue
		}
		whole, _ := pyvalue.Field[*pyvalue.Dict](p.summary.record.Raw, "output_sequence_lengths_full_run")
		inner, _ := pyvalue.Field[*pyvalue.Dict](whole, "output_sequence_lengths")
		value, _ := inner.Get("avg")
		if truth, isBool := value.(bool); isBool {
			value = map[bool]any{true: int64(1), false: int64(0)}[truth]
		}
		mean, ok := jsonNumber(value)
		if !ok {
			missing = append(missing, p.name)
			continue
		}
		low, high := targets.Tokens[0], targets.Tokens[1]
		c.addEither(mean >= low && mean <= high, rule, Error, v.dir, fmt.Sprintf("%s: %.1f tokens per turn", p.name, mean),
			fmt.Sprintf("%s: %.1f tokens per turn, want %v to %v", p.name, mean, low, high))
	}
	if len(missing) > 0 {
		c.addRow(rule, Warning, v.dir, "not judged: %s do not say output_sequence_lengths_full_run", listNames(missing))
	}
}
