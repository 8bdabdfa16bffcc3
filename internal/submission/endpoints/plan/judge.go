package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
)

// Finding is a fault of a plan. If Warning is set, the runs are accepted, but their result loses value.
type Finding struct {
	Warning bool
	Point   string // a point, such as "r24"; "" for the whole plan
	Text    string
}

func (f Finding) String() string {
	kind := "error"
	if f.Warning {
		kind = "warning"
	}
	if f.Point != "" {
		return fmt.Sprintf("%s: %s: %s", kind, f.Point, f.Text)
	}
	return kind + ": " + f.Text
}

// planJudge is the state of Judge.
type planJudge struct {
	plan     *Plan
	rules    *endpoints.Rules
	regions  endpoints.Regions
	findings []Finding
}

func (j *planJudge) addErrorf(at, format string, args ...any) {
	j.findings = append(j.findings, Finding{Point: at, Text: fmt.Sprintf(format, args...)})
}

func (j *planJudge) addWarningf(at, format string, args ...any) {
	j.findings = append(j.findings, Finding{Warning: true, Point: at, Text: fmt.Sprintf(format, args...)})
}

// JudgePlan returns the faults of a plan by the rules that the official checker would apply to the resulting points.
func JudgePlan(p *Plan, rules *endpoints.Rules) []Finding {
	j := &planJudge{plan: p, rules: rules}
	if p.Rules != rules.Name {
		j.addErrorf("", "the rules are %q, want %s", p.Rules, rules.Name)
		return j.findings
	}
	if err := checkModel(p.Model, rules); err != nil {
		j.addErrorf("", "%v", err)
		return j.findings
	}
	for _, err := range checkSeeds(p.SeedSet, p.Cohort, rules) {
		j.addErrorf("", "%v", err)
	}
	j.checkCounts()
	j.checkOffline()
	var err error
	if j.regions, err = p.Regions(rules); err != nil {
		j.addErrorf("", "%v", err)
		return j.findings
	}
	for _, q := range p.Points {
		j.checkPoint(q)
	}
	j.checkCoverage()
	j.checkAccuracyRuns()
	return j.findings
}

// checkCounts checks the number of points and that their folders differ.
func (j *planJudge) checkCounts() {
	least := j.rules.MinPoints
	if !j.plan.IsAgentic(j.rules) && slices.ContainsFunc(j.plan.Points, isDedicated) {
		least = j.rules.MinPointsDedicated
	}
	switch n := len(j.plan.Points); {
	case n < least:
		j.addErrorf("", "too few points: %d, want at least %d", n, least)
	case n > j.rules.MaxPoints:
		j.addErrorf("", "too many points: %d, want at most %d", n, j.rules.MaxPoints)
	}
	seen := map[int]int{}
	for _, q := range j.plan.Points {
		if seen[q.Concurrency]++; seen[q.Concurrency] == 2 {
			j.addErrorf(q.Name(), "several points have this concurrency, and one folder: want one")
		}
	}
}

func isDedicated(q Point) bool { return q.Offline == Dedicated }

// checkOffline requires one Offline point, or none for an agentic model.
func (j *planJudge) checkOffline() {
	var names []string
	for _, q := range j.plan.Points {
		if q.Offline == "" {
			continue
		}
		names = append(names, q.Name())
		if !j.plan.IsAgentic(j.rules) {
			j.checkOfflinePoint(q)
		}
	}
	switch {
	case j.plan.IsAgentic(j.rules) && len(names) > 0:
		j.addErrorf("", "%s is agentic and has no Offline point, but %s is one", j.plan.Model, strings.Join(names, ", "))
	case !j.plan.IsAgentic(j.rules) && len(names) > 1:
		j.addErrorf("", "%d points are Offline, want one: %s", len(names), strings.Join(names, ", "))
	case !j.plan.IsAgentic(j.rules) && len(names) == 0:
		j.addErrorf("", "no point is Offline: want offline: %s at one of %d, or offline: %s at C_max, %d", Dedicated,
			j.rules.PerformanceSets[j.plan.Model], Elected, j.plan.CMax)
	}
}

func (j *planJudge) checkOfflinePoint(q Point) {
	set := j.rules.PerformanceSets[j.plan.Model]
	switch {
	case q.Offline == Elected && q.Concurrency != j.plan.CMax:
		j.addErrorf(q.Name(), "the elected Offline point is at C_max, %d", j.plan.CMax)
	case isDedicated(q) && set < j.plan.CMax:
		j.addErrorf(q.Name(), "the performance set has %d samples, fewer than C_max, %d: want offline: %s at C_max", set,
			j.plan.CMax, Elected)
	case isDedicated(q) && q.Concurrency != set:
		j.addErrorf(q.Name(), "the concurrency of an Offline run of its own is that of the performance set, %d", set)
	}
}

// Regions returns the regions of the plan's curve from C_max and C_min. C_min is the declared one, or else that of the
// lowest point.
func (p *Plan) Regions(rules *endpoints.Rules) (endpoints.Regions, error) {
	cMin := p.CMin
	if cMin == 0 {
		cMin = rules.MaxCMin
		for _, q := range p.Points {
			cMin = min(cMin, q.Concurrency)
		}
	} else if !slices.ContainsFunc(p.Points, func(q Point) bool { return q.Concurrency == cMin && !isDedicated(q) }) {
		return endpoints.Regions{}, fmt.Errorf("c_min_override is %d, but no point has that concurrency", cMin)
	}
	return rules.RegionsOf(p.CMax, cMin, p.CMin != 0)
}

// checkPoint checks a point.
func (j *planJudge) checkPoint(q Point) {
	agentic := j.plan.IsAgentic(j.rules)
	region := j.regions.RegionAt(q.Concurrency)
	chosen := q.Region == "" || q.Region == endpoints.SubmittersChoice
	switch {
	case isDedicated(q):
	case region == "":
		j.addErrorf(q.Name(), "the concurrency is out of range, want 1 to %d", j.regions.Bounds(endpoints.Margin).Last)
		return
	case !chosen && q.Region != region:
		j.addWarningf(q.Name(), "the region is %q, but %d lies in %s", q.Region, q.Concurrency, region)
	}
	if least := j.regions.MinSeconds(q.Concurrency, agentic); q.WindowSeconds < least {
		j.addWarningf(q.Name(), "window_seconds is %d, want at least %d", q.WindowSeconds, least)
	}
	if least := j.rules.MinSuperPasses + croppedPasses; j.plan.HasWindow(q, j.rules) && q.Passes < least {
		j.addWarningf(q.Name(),
			"%d passes make no steady window, and the whole run counts: want at least %d, of which %d is "+
				"cropped", q.Passes, least, croppedPasses)
	}
}

// checkCoverage requires a point in each region.
func (j *planJudge) checkCoverage() {
	regions := []endpoints.Region{endpoints.UltraLow, endpoints.Low, endpoints.Medium, endpoints.High}
	for _, r := range regions {
		b := j.regions.Bounds(r)
		covers := func(q Point) bool {
			return b.Has(q.Concurrency)
		}
		if !slices.ContainsFunc(j.plan.Points, covers) {
			j.addErrorf("", "no point lies in %s: want one of %v", r, b)
		}
	}
}

// checkAccuracyRuns requires an accuracy run at one point of each region and at Offline, and no others.
func (j *planJudge) checkAccuracyRuns() {
	var runs []endpoints.AccuracyRun
	for _, q := range j.plan.Points {
		switch {
		case q.Offline != "" && !q.Accuracy && !j.plan.IsAgentic(j.rules):
			j.addErrorf(q.Name(), "the Offline point needs an accuracy run")
		case q.Accuracy && !isDedicated(q):
			runs = append(runs, endpoints.AccuracyRun{Concurrency: q.Concurrency, Elected: q.Offline == Elected})
		}
	}
	at, extra := j.regions.AssignAccuracy(runs)
	for _, r := range endpoints.AccuracyRegions() {
		if _, ok := at[r]; !ok {
			j.addErrorf("", "no accuracy run is left for %s: want accuracy: true at one point of %v", r, j.regions.Bounds(r))
		}
	}
	for _, n := range extra {
		j.addErrorf(fmt.Sprintf("r%d", n), "this region's accuracy run is at another point: want accuracy: false")
	}
}
