package check

import (
	"fmt"
	"math/big"
	"path"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
)

// curveRows are the rules of a curve as a whole.
func (c *checker) curveRows(v *curve) {
	c.benchmarkType(v)
	c.pointCount(v)
	c.offlineRows(v)
	c.coverage(v)
	c.consistency(v)
	c.accuracyCoverage(v)
	agentic := c.rules.AgenticOf(path.Base(v.dir))
	if v.agentic() {
		c.agenticRows(v, agentic)
	}
	if !v.agentic() || agentic == nil {
		c.accuracyGates(v)
	}
}

// voting are the points whose load pattern says what kind of benchmark the curve is of.
func (v *curve) voting() (all []*point) {
	for _, p := range v.loaded {
		if !p.dedicated() {
			all = append(all, p)
		}
	}
	return all
}

// agentic says whether all points have the agentic load pattern.
func (v *curve) agentic() bool {
	all := v.voting()
	return len(all) > 0 && !slices.ContainsFunc(all, func(p *point) bool { return p.pattern() != patternAgentic })
}

func (v *curve) concurrencies() (all []int) {
	for _, p := range v.points {
		all = append(all, p.concurrency)
	}
	slices.Sort(all)
	return all
}

func (c *checker) benchmarkType(v *curve) {
	var patterns []string
	for _, p := range v.voting() {
		if !slices.Contains(patterns, p.pattern()) {
			patterns = append(patterns, p.pattern())
		}
	}
	if len(patterns) > 0 {
		c.either(len(patterns) == 1, "benchmark-type-consistency", Error, v.dir,
			"all points have the load pattern "+patterns[0],
			"the points have different load patterns: "+listed(patterns))
	}
}

// offlines are the points that stand for Offline.
func (v *curve) offlines() (all []*point) {
	for _, p := range v.loaded {
		if p.dedicated() || p.elected() {
			all = append(all, p)
		}
	}
	return all
}

func (c *checker) pointCount(v *curve) {
	least := c.rules.MinPoints
	if !v.agentic() && slices.ContainsFunc(v.offlines(), (*point).dedicated) {
		least = c.rules.MinPointsDedicated
	}
	n := len(v.points)
	c.either(n >= least, "point-count", Error, v.dir, fmt.Sprintf("%d points", n),
		fmt.Sprintf("%d points, want at least %d", n, least))
	if n > c.rules.MaxPoints {
		c.row("point-cap", Error, v.dir, "%d points, want at most %d", n, c.rules.MaxPoints)
	}
}

func (c *checker) offlineRows(v *curve) {
	const rule = "offline-point-present"
	all := v.offlines()
	switch {
	case v.agentic():
		c.either(len(all) == 0, rule, Error, v.dir, "an agentic curve has no Offline point",
			"an agentic curve has no Offline point, but one is declared")
	case len(all) > 1:
		c.row(rule, Error, v.dir, "%d points are declared as Offline, want one", len(all))
	case len(all) == 0:
		c.row(rule, Error, v.dir, "no point is declared as Offline: want offline: dedicated or offline: elected")
	case all[0].elected() && v.cMaxKnown && all[0].concurrency != v.cMax:
		c.rowOf(sectionOfflineElection, rule, Error, v.dir, "the elected point has the concurrency %d, want C_max, %d",
			all[0].concurrency, v.cMax)
	default:
		c.row(rule, Info, v.dir, "Offline is %s, %s", all[0].name, all[0].offline())
	}
	for _, p := range all {
		if p.dedicated() {
			c.offlineOrder(v, p)
			return
		}
	}
}

// offlineOrder compares a dedicated Offline run with the point of C_max.
func (c *checker) offlineOrder(v *curve, offline *point) {
	const rule = "offline-ordering"
	tps := map[int]float64{}
	for _, p := range v.loaded {
		if p.summary != nil {
			tps[p.concurrency] = p.summary.throughput()
		}
	}
	if len(tps) == 0 || !v.cMaxKnown {
		return
	}
	if offline.concurrency < v.cMax {
		c.row(rule, Warning, v.dir, "Offline's concurrency is %d, below C_max, %d", offline.concurrency, v.cMax)
	}
	own, ok := tps[offline.concurrency]
	highest, ok2 := tps[v.cMax]
	if !ok || !ok2 {
		return
	}
	least := c.rules.OfflineMargin * highest
	if own < least {
		c.row(rule, Warning, v.dir, "Offline reaches %.3f tokens/s, want at least %.3f, %v of C_max's", own, least,
			c.rules.OfflineMargin)
	} else {
		c.row(rule, Info, v.dir, "Offline reaches %.3f tokens/s, at least %.3f", own, least)
	}
}

func (c *checker) coverage(v *curve) {
	limit := c.rules.UltraLowMax
	if v.regions != nil {
		limit = v.regions.Bounds(endpoints.UltraLow).Last
	}
	all := v.concurrencies()
	low := slices.ContainsFunc(all, func(n int) bool { return n >= 1 && n <= limit })
	c.either(low, "ultra-low-concurrency-coverage", Error, v.dir, fmt.Sprintf("a point has at most %d users", limit),
		fmt.Sprintf("no point has at most %d users; the lowest is %d", limit, all[0]))
	if v.regions == nil {
		return
	}
	for _, r := range []struct {
		rule   string
		region endpoints.Region
	}{{"low-concurrency-coverage", endpoints.Low}, {"med-concurrency-coverage", endpoints.Medium},
		{"high-concurrency-coverage", endpoints.High}} {
		covered := slices.ContainsFunc(all, func(n int) bool { return v.regions.Covered(n) == r.region })
		bounds := v.regions.Bounds(r.region)
		c.either(covered, r.rule, Error, v.dir, fmt.Sprintf("a point has %v users", bounds),
			fmt.Sprintf("no point has %v users", bounds))
	}
}

// consistency asks whether all points are of one model, the folder's, and one data set.
func (c *checker) consistency(v *curve) {
	var names []string
	for _, p := range v.loaded {
		if name := p.config.Text("model_name"); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	folder := path.Base(v.dir)
	switch {
	case len(names) == 0:
		c.row("model-name-consistency", Warning, v.dir, "not judged: no point has a model_name")
	default:
		c.either(names[0] == folder, "model-name-consistency", Error, v.dir, "the folder is named after the model",
			fmt.Sprintf("the folder is %s, but model_name is %q", folder, names[0]))
		c.either(len(names) == 1, "config-consistency-model", Error, v.dir, "all points are of one model",
			"the points are of different models: "+listed(names))
	}
	var sets []string
	found := false
	for _, p := range v.loaded {
		if set := p.config.Text("dataset"); p.summary != nil {
			found = true
			if !slices.Contains(sets, set) {
				sets = append(sets, set)
			}
		}
	}
	if found {
		c.either(len(sets) == 1, "config-consistency-dataset", Error, v.dir, "all points are of one data set",
			"the points are of different data sets: "+listed(sets))
	}
}

// accuracyRuns are those of a curve at fixed concurrencies, elected ones last.
func (v *curve) accuracyRuns() (all []endpoints.AccuracyRun) {
	dedicated, elected := map[int]bool{}, map[int]bool{}
	for _, p := range v.loaded {
		dedicated[p.concurrency] = dedicated[p.concurrency] || p.dedicated()
		elected[p.concurrency] = elected[p.concurrency] || p.elected()
	}
	for _, n := range slices.Compact(v.concurrencies()) {
		if v.accuracy[n].ran() && !dedicated[n] {
			all = append(all, endpoints.AccuracyRun{Concurrency: n, Elected: elected[n]})
		}
	}
	slices.SortFunc(all, endpoints.AccuracyRun.Compare)
	return all
}

func (c *checker) accuracyCoverage(v *curve) {
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
		c.row(rule, Error, v.dir, "no accuracy run at a point of %s", listed(missing))
	}
	if len(extra) > 0 {
		c.row(rule, Error, v.dir, "%s have accuracy runs, but each region has one at one point", listed(extra))
	}
	if len(missing) == 0 && len(extra) == 0 {
		c.row(rule, Info, v.dir, "each of the four regions has an accuracy run at one point")
	}
	for _, p := range v.offlines() {
		c.either(v.accuracy[p.concurrency].ran(), rule, Error, v.dir, "the Offline point has an accuracy run",
			"the Offline point, "+p.name+", has no accuracy run")
	}
}

// accuracyGates hold the accuracy of each point to the bounds of the model.
func (c *checker) accuracyGates(v *curve) {
	if len(v.accuracy) == 0 {
		return
	}
	targets, known := c.rules.TargetsOf(path.Base(v.dir))
	if !known {
		c.row("accuracy-gate", Warning, v.dir, "not judged: %s has no bounds of accuracy", path.Base(v.dir))
		return
	}
	file := path.Join(v.first, resultsFile)
	for _, n := range v.measured() {
		c.accuracyGate(v.accuracy[n], targets, file)
	}
}

// measured are the concurrencies of points with an accuracy.
func (v *curve) measured() (all []int) {
	for n := range v.accuracy {
		all = append(all, n)
	}
	slices.Sort(all)
	return all
}

func (c *checker) accuracyGate(a *accuracy, targets endpoints.Targets, file string) {
	if total, known := a.samples(); known {
		c.either(total.Cmp(big.NewInt(int64(targets.Samples))) >= 0, "accuracy-sample-count", Error, file,
			fmt.Sprintf("%v samples", total), fmt.Sprintf("%v samples, want at least %d", total, targets.Samples))
	}
	all := a.merged()
	if len(all) == 1 && all[0].name == "score" && len(targets.Bounds) == 1 {
		all[0].name = targets.Bounds[0].Metric
		c.row("accuracy-gate", Warning, file, "the score has no name: it is judged as %s, and nothing else is", all[0].name)
	}
	for _, b := range targets.Bounds {
		i := slices.IndexFunc(all, func(m metric) bool { return strings.ToLower(m.name) == b.Metric })
		if i < 0 {
			continue
		}
		x, low := all[i].value, b.Low()
		if x >= 0 && x <= 1 && low > 1 {
			x *= 100
		}
		switch high, bounded := b.High(); {
		case x < low:
			c.row("accuracy-gate", Error, file, "%s is %.4f, want at least %.4f", b.Metric, x, low)
		case bounded && x > high:
			c.row("accuracy-gate", Error, file, "%s is %.4f, want at most %.4f", b.Metric, x, high)
		default:
			c.row("accuracy-gate", Info, file, "%s is %.4f, at least %.4f", b.Metric, x, low)
		}
	}
}
