package plan

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
)

// Options contains the inputs of a plan's choice.
type Options struct {
	Model   string
	CMax    int
	CMin    int    // 0: 1
	Points  int    // 0: the minimum of the rules
	Offline string // Dedicated, Elected or "" to choose automatically
	Cohort  string // "": the last cohort that may use the seed set
}

// croppedPasses is the assumed number of super-passes that the detector crops as warm-up. It crops one or more.
const croppedPasses = 1

// maxConcurrency is the maximum concurrency of a plan, far above any system's.
const maxConcurrency = 1 << 30

// ChoosePlan makes a plan. It contains a point with an accuracy run in each region, optional points in the widest gaps
// on a logarithmic axis, and Offline. The points are in ascending order. If no plan is possible, the error names the
// option that prevents it.
func ChoosePlan(o Options, rules *endpoints.Rules) (*Plan, error) {
	if err := checkModel(o.Model, rules); err != nil {
		return nil, err
	}
	p := &Plan{Rules: rules.Name, Model: o.Model, CMax: o.CMax, Client: newClient(o.Model, rules), Cohort: o.Cohort}
	p.SeedSet = rules.SeedSets[len(rules.SeedSets)-1].ID
	if adoption := rules.AdoptionCohorts(); p.Cohort == "" {
		p.Cohort = adoption[len(adoption)-1]
	}
	if err := errors.Join(checkSeeds(p.SeedSet, p.Cohort, rules)...); err != nil {
		return nil, err
	}
	if o.CMax > maxConcurrency {
		return nil, fmt.Errorf("the C_max of %d is above the limit of %d", o.CMax, maxConcurrency)
	}
	cMin := o.CMin
	if cMin == 0 {
		cMin = 1
	}
	regions, err := rules.RegionsOf(o.CMax, cMin, false)
	if err != nil {
		return nil, err
	}
	offline, why, err := p.chooseOffline(o.Offline, rules)
	if err != nil {
		return nil, err
	}
	c := pointChooser{plan: p, rules: rules, regions: regions, cMin: cMin, cMinRequested: o.CMin != 0, offline: offline,
		offlineReason: why}
	return p, c.choosePoints(o.Points)
}

// chooseOffline chooses the type of Offline point and returns the reason.
func (p *Plan) chooseOffline(asked string, rules *endpoints.Rules) (offline, why string, err error) {
	set := rules.PerformanceSets[p.Model]
	switch {
	case asked != "" && asked != Dedicated && asked != Elected:
		return "", "", fmt.Errorf("offline is %q, want %s or %s", asked, Dedicated, Elected)
	case p.IsAgentic(rules) && asked != "":
		return "", "", fmt.Errorf("offline is %s, but %s is agentic: its curve has no Offline point", asked, p.Model)
	case p.IsAgentic(rules):
		return "", "", nil
	case asked == Dedicated && set < p.CMax:
		return "", "", fmt.Errorf("offline is %s, but the performance set has %d samples, fewer than C_max, %d: want %s",
			Dedicated, set, p.CMax, Elected)
	case asked == Elected:
		return Elected, "stands for Offline, as asked", nil
	case asked == Dedicated:
		return Dedicated, "Offline, as asked: all samples at once", nil
	case set < p.CMax:
		return Elected, fmt.Sprintf("stands for Offline: the set has %d samples, fewer than C_max", set), nil
	case set == p.CMax:
		return Elected, fmt.Sprintf("stands for Offline: a run of its own would have the same folder, r%d", set), nil
	}
	return Dedicated, "Offline: all samples of the set at once", nil
}

// pointChooser chooses the points of a plan.
type pointChooser struct {
	plan          *Plan
	rules         *endpoints.Rules
	regions       endpoints.Regions
	cMin          int
	cMinRequested bool // cMin was requested
	offline       string
	offlineReason string // reason for offline
}

// choosePoints chooses n points; 0: the minimum of the rules.
func (c *pointChooser) choosePoints(n int) error {
	least := c.rules.MinPoints
	if c.offline == Dedicated {
		least = c.rules.MinPointsDedicated
	}
	switch {
	case n == 0:
		n = least
	case n < least || n > c.rules.MaxPoints:
		return fmt.Errorf("%d points, want %d to %d", n, least, c.rules.MaxPoints)
	}
	set := c.rules.PerformanceSets[c.plan.Model]
	fixed := n
	if c.offline == Dedicated {
		fixed--
	}
	if err := c.chooseAnchors(set); err != nil {
		return err
	}
	for len(c.plan.Points) < fixed {
		if err := c.addInWidestGap(); err != nil {
			return fmt.Errorf("%d points: %w; only %d are there from %d to %d", n, err, len(c.plan.Points), c.cMin, c.plan.CMax)
		}
	}
	if c.offline == Dedicated {
		c.plan.Points = append(c.plan.Points, Point{Concurrency: set, Region: endpoints.SubmittersChoice, Offline: Dedicated,
			Passes: 1, WindowSeconds: c.regions.MinSeconds(set, false), Accuracy: true, Why: c.offlineReason})
	}
	return nil
}

// chooseAnchors chooses the points with accuracy runs, one per region.
func (c *pointChooser) chooseAnchors(set int) error {
	for _, r := range []endpoints.Region{endpoints.Low, endpoints.Medium, endpoints.High} {
		if b := c.regions.Bounds(r); b.First > b.Last {
			return fmt.Errorf("the C_max of %d is too near to C_min, %d: no concurrency is left for %s", c.plan.CMax, c.cMin, r)
		}
	}
	lowest := "C_min, as asked; the ultra-low region's accuracy run"
	if !c.cMinRequested {
		lowest = "C_min: where a user sees most tokens per second; the ultra-low region's accuracy run"
	}
	c.addPoint(c.cMin, true, lowest)
	for _, r := range []endpoints.Region{endpoints.Low, endpoints.Medium} {
		b := c.regions.Bounds(r)
		c.addPoint(logMiddle(b.First, b.Last), true, fmt.Sprintf("the logarithmic middle of %s, %v, and its accuracy run", r,
			b))
	}
	top, why := c.plan.CMax, "C_max; the high region's accuracy run"
	if c.offline == Dedicated && set == top {
		top, why = top-1, "below C_max, whose folder Offline has; the high region's accuracy run"
	}
	if !c.regions.Bounds(endpoints.High).Has(top) {
		return fmt.Errorf("no concurrency is left for %s beside Offline: want offline %s", endpoints.High, Elected)
	}
	c.addPoint(top, true, why)
	if last := &c.plan.Points[len(c.plan.Points)-1]; c.offline == Elected {
		last.Offline = Elected
		last.Why += "; " + c.offlineReason
	}
	return nil
}

// addInWidestGap adds a point in the widest gap.
func (c *pointChooser) addInWidestGap() error {
	widest, at := 0.0, -1
	for i := 1; i < len(c.plan.Points); i++ {
		a, b := c.plan.Points[i-1].Concurrency, c.plan.Points[i].Concurrency
		if gap := math.Log(float64(b) / float64(a)); b-a >= 2 && gap > widest {
			widest, at = gap, i
		}
	}
	if at < 0 {
		return errNoRoom
	}
	a, b := c.plan.Points[at-1].Concurrency, c.plan.Points[at].Concurrency
	c.addPoint(min(max(logMiddle(a, b), a+1), b-1), false, fmt.Sprintf("of choice: halves the widest gap, %d to %d", a, b))
	return nil
}

// logMiddle returns the geometric mean of two concurrencies, rounded.
func logMiddle(a, b int) int { return int(math.Round(math.Sqrt(float64(a) * float64(b)))) }

// addPoint inserts a point with a fixed concurrency in order.
func (c *pointChooser) addPoint(concurrency int, accuracy bool, why string) {
	agentic := c.plan.IsAgentic(c.rules)
	passes := c.rules.MinSuperPasses + croppedPasses
	if agentic {
		passes = 1
	}
	c.plan.Points = append(c.plan.Points, Point{Concurrency: concurrency, Region: c.regions.RegionAt(concurrency),
		Passes: passes, WindowSeconds: c.regions.MinSeconds(concurrency, agentic), Accuracy: accuracy, Why: why})
	slices.SortFunc(c.plan.Points, func(a, b Point) int { return a.Concurrency - b.Concurrency })
}
