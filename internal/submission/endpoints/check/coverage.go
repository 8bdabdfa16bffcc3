package check

import (
	"fmt"
	"math/big"
	"path"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
)

// checkWholeCurve checks the rules on a whole curve.
func (c *submissionChecker) checkWholeCurve(v *modelCurve) {
	c.checkBenchmarkType(v)
	c.checkPointCount(v)
	c.checkOffline(v)
	c.checkCoverage(v)
	c.checkConsistency(v)
	c.checkAccuracyCoverage(v)
	agentic := c.rules.AgenticOf(path.Base(v.dir))
	if v.isAgentic() {
		c.checkAgentic(v, agentic)
	}
	if !v.isAgentic() || agentic == nil {
		c.checkAccuracyLimits(v)
	}
}

// votingPoints returns the points whose load pattern determines the curve's type of benchmark.
func (v *modelCurve) votingPoints() (all []*curvePoint) {
	for _, p := range v.readPoints {
		if !p.isDedicated() {
			all = append(all, p)
		}
	}
	return all
}

// isAgentic reports whether all points have the agentic load pattern.
func (v *modelCurve) isAgentic() bool {
	all := v.votingPoints()
	return len(all) > 0 && !slices.ContainsFunc(all, func(p *curvePoint) bool { return p.loadPattern() != patternAgentic })
}

func (v *modelCurve) allConcurrencies() (all []int) {
	for _, p := range v.points {
		all = append(all, p.concurrency)
	}
	slices.Sort(all)
	return all
}

func (c *submissionChecker) checkBenchmarkType(v *modelCurve) {
	var patterns []string
	for _, p := range v.votingPoints() {
		if !slices.Contains(patterns, p.loadPattern()) {
			patterns = append(patterns, p.loadPattern())
		}
	}
	if len(patterns) > 0 {
		c.addEither(len(patterns) == 1, "benchmark-type-consistency", Error, v.dir,
			"all points have the load pattern "+patterns[0],
			"the points have different load patterns: "+listNames(patterns))
	}
}

// offlinePoints returns the points that represent Offline.
func (v *modelCurve) offlinePoints() (all []*curvePoint) {
	for _, p := range v.readPoints {
		if p.isDedicated() || p.isElected() {
			all = append(all, p)
		}
	}
	return all
}

func (c *submissionChecker) checkPointCount(v *modelCurve) {
	least := c.rules.MinPoints
	if !v.isAgentic() && slices.ContainsFunc(v.offlinePoints(), (*curvePoint).isDedicated) {
		least = c.rules.MinPointsDedicated
	}
	n := len(v.points)
	c.addEither(n >= least, "point-count", Error, v.dir, fmt.Sprintf("%d points", n),
		fmt.Sprintf("%d points, want at least %d", n, least))
	if n > c.rules.MaxPoints {
		c.addRow("point-cap", Error, v.dir, "%d points, want at most %d", n, c.rules.MaxPoints)
	}
}

func (c *submissionChecker) checkOffline(v *modelCurve) {
	const rule = "offline-point-present"
	all := v.offlinePoints()
	switch {
	case v.isAgentic():
		c.addEither(len(all) == 0, rule, Error, v.dir, "an agentic curve has no Offline point",
			"an agentic curve has no Offline point, but one is declared")
	case len(all) > 1:
		c.addRow(rule, Error, v.dir, "%d points are declared as Offline, want one", len(all))
	case len(all) == 0:
		c.addRow(rule, Error, v.dir, "no point is declared as Offline: want offline: dedicated or offline: elected")
	case all[0].isElected() && v.cMaxKnown && all[0].concurrency != v.cMax:
		c.addRowInSection(sectionOfflineElection, rule, Error, v.dir,
			"the elected point has the concurrency %d, want C_max, %d",
			all[0].concurrency, v.cMax)
	default:
		c.addRow(rule, Info, v.dir, "Offline is %s, %s", all[0].name, all[0].offlineKind())
	}
	for _, p := range all {
		if p.isDedicated() {
			c.checkOfflineOrder(v, p)
			return
		}
	}
}

// checkOfflineOrder compares a dedicated Offline run with the point at C_max.
func (c *submissionChecker) checkOfflineOrder(v *modelCurve, offline *curvePoint) {
	const rule = "offline-ordering"
	tps := map[int]float64{}
	for _, p := range v.readPoints {
		if p.summary != nil {
			tps[p.concurrency] = p.summary.tokensPerSecond()
		}
	}
	if len(tps) == 0 || !v.cMaxKnown {
		return
	}
	if offline.concurrency < v.cMax {
		c.addRow(rule, Warning, v.dir, "Offline's concurrency is %d, below C_max, %d", offline.concurrency, v.cMax)
	}
	own, ok := tps[offline.concurrency]
	highest, ok2 := tps[v.cMax]
	if !ok || !ok2 {
		return
	}
	least := c.rules.OfflineMargin * highest
	if own < least {
		c.addRow(rule, Warning, v.dir, "Offline reaches %.3f tokens/s, want at least %.3f, %v of C_max's", own, least,
			c.rules.OfflineMargin)
	} else {
		c.addRow(rule, Info, v.dir, "Offline reaches %.3f tokens/s, at least %.3f", own, least)
	}
}

func (c *submissionChecker) checkCoverage(v *modelCurve) {
	limit := c.rules.UltraLowMax
	if v.regions != nil {
		limit = v.regions.Bounds(endpoints.UltraLow).Last
	}
	all := v.allConcurrencies()
	low := slices.ContainsFunc(all, func(n int) bool { return n >= 1 && n <= limit })
	c.addEither(low, "ultra-low-concurrency-coverage", Error, v.dir, fmt.Sprintf("a point has at most %d users", limit),
		fmt.Sprintf("no point has at most %d users; the lowest is %d", limit, all[0]))
	if v.regions == nil {
		return
	}
	for _, r := range []struct {
		rule   string
		region endpoints.Region
	}{{"low-concurrency-coverage", endpoints.Low}, {"med-concurrency-coverage", endpoints.Medium},
		{"high-concurrency-coverage", endpoints.High}} {
		covered := slices.ContainsFunc(all, func(n int) bool { return v.regions.CoveredRegion(n) == r.region })
		bounds := v.regions.Bounds(r.region)
		c.addEither(covered, r.rule, Error, v.dir, fmt.Sprintf("a point has %v users", bounds),
			fmt.Sprintf("no point has %v users", bounds))
	}
}

// checkConsistency checks that all points have the same data set and the same model, which the folder names.
func (c *submissionChecker) checkConsistency(v *modelCurve) {
	var names []string
	for _, p := range v.readPoints {
		if name := p.config.Text("model_name"); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	folder := path.Base(v.dir)
	switch {
	case len(names) == 0:
		c.addRow("model-name-consistency", Warning, v.dir, "not judged: no point has a model_name")
	default:
		c.addEither(names[0] == folder, "model-name-consistency", Error, v.dir, "the folder is named after the model",
			fmt.Sprintf("the folder is %s, but model_name is %q", folder, names[0]))
		c.addEither(len(names) == 1, "config-consistency-model", Error, v.dir, "all points are of one model",
			"the points are of different models: "+listNames(names))
	}
	var sets []string
	found := false
	for _, p := range v.readPoints {
		if set := p.config.Text("dataset"); p.summary != nil {
			found = true
			if !slices.Contains(sets, set) {
				sets = append(sets, set)
			}
		}
	}
	if found {
		c.addEither(len(sets) == 1, "config-consistency-dataset", Error, v.dir, "all points are of one data set",
			"the points are of different data sets: "+listNames(sets))
	}
}

// accuracyRuns returns the accuracy runs of a curve at fixed concurrencies, elected ones last.
func (v *modelCurve) accuracyRuns() (all []endpoints.AccuracyRun) {
	dedicated, elected := map[int]bool{}, map[int]bool{}
	for _, p := range v.readPoints {
		dedicated[p.concurrency] = dedicated[p.concurrency] || p.isDedicated()
		elected[p.concurrency] = elected[p.concurrency] || p.isElected()
	}
	for _, n := range slices.Compact(v.allConcurrencies()) {
		if v.accuracy[n].hasAccuracyRun() && !dedicated[n] {
			all = append(all, endpoints.AccuracyRun{Concurrency: n, Elected: elected[n]})
		}
	}
	slices.SortFunc(all, endpoints.AccuracyRun.Compare)
	return all
}

func (c *submissionChecker) checkAccuracyCoverage(v *modelCurve) {
	const rule = "accuracy-coverage"
	if v.regions == nil {
		return
	}
	at, more := v.regions.AssignAccuracy(v.accuracyRuns())
	var missing, extra []string
	for _, r := range endpoints.AccuracyRegions() {
		if _, ok := at[r]; !ok {
			missing = append(missing, string(r))
		}
	}
	for _, n := range more {
		extra = append(extra, fmt.Sprintf("r%d", n))
	}
	if len(missing) > 0 {
		c.addRow(rule, Error, v.dir, "no accuracy run at a point of %s", listNames(missing))
	}
	if len(extra) > 0 {
		c.addRow(rule, Error, v.dir, "%s have accuracy runs, but each region has one at one point", listNames(extra))
	}
	if len(missing) == 0 && len(extra) == 0 {
		c.addRow(rule, Info, v.dir, "each of the four regions has an accuracy run at one point")
	}
	for _, p := range v.offlinePoints() {
		c.addEither(v.accuracy[p.concurrency].hasAccuracyRun(), rule, Error, v.dir, "the Offline point has an accuracy run",
			"the Offline point, "+p.name+", has no accuracy run")
	}
}

// checkAccuracyLimits checks the accuracy of each point against the model's limits.
func (c *submissionChecker) checkAccuracyLimits(v *modelCurve) {
	if len(v.accuracy) == 0 {
		return
	}
	targets, known := c.rules.TargetsOf(path.Base(v.dir))
	if !known {
		c.addRow("accuracy-gate", Warning, v.dir, "not judged: %s has no bounds of accuracy", path.Base(v.dir))
		return
	}
	file := path.Join(v.firstAccuracy, resultsFile)
	for _, n := range v.accuracyConcurrencies() {
		c.checkAccuracyLimit(v.accuracy[n], targets, file)
	}
}

// accuracyConcurrencies returns the concurrencies of points with an accuracy.
func (v *modelCurve) accuracyConcurrencies() (all []int) {
	for n := range v.accuracy {
		all = append(all, n)
	}
	slices.Sort(all)
	return all
}

func (c *submissionChecker) checkAccuracyLimit(a *pointAccuracy, targets endpoints.Targets, file string) {
	if total, known := a.issuedSamples(); known {
		c.addEither(total.Cmp(big.NewInt(int64(targets.Samples))) >= 0, "accuracy-sample-count", Error, file,
			fmt.Sprintf("%v samples", total), fmt.Sprintf("%v samples, want at least %d", total, targets.Samples))
	}
	all := a.mergedMetrics()
	if len(all) == 1 && all[0].name == "score" && len(targets.Bounds) == 1 {
		all[0].name = targets.Bounds[0].Metric
		c.addRow("accuracy-gate", Warning, file, "the score has no name: it is judged as %s, and nothing else is",
			all[0].name)
	}
	for _, b := range targets.Bounds {
		i := slices.IndexFunc(all, func(m namedMetric) bool { return strings.ToLower(m.name) == b.Metric })
		if i < 0 {
			continue
		}
		x, low := all[i].value, b.Low()
		if x >= 0 && x <= 1 && low > 1 {
			x *= 100
		}
		switch high, bounded := b.High(); {
		case x < low:
			c.addRow("accuracy-gate", Error, file, "%s is %.4f, want at least %.4f", b.Metric, x, low)
		case bounded && x > high:
			c.addRow("accuracy-gate", Error, file, "%s is %.4f, want at most %.4f", b.Metric, x, high)
		default:
			c.addRow("accuracy-gate", Info, file, "%s is %.4f, at least %.4f", b.Metric, x, low)
		}
	}
}
