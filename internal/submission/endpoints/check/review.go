package check

import (
	"fmt"
	"path"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
)

// sectionReview is the section of the rules on reviews.
const sectionReview = "§9.2"

// curveReviewer collects the questions that a reviewer would ask about a curve.
type curveReviewer struct {
	rows []Row
}

func (r *curveReviewer) addWarning(rule, place, format string, args ...any) {
	r.rows = append(r.rows, Row{rule, Warning, place, sectionReview, fmt.Sprintf(format, args...)})
}

// ReviewCurves reports what reviewers look for by hand and official checks do not cover: a curve that falls where it
// should rise, the same TTFT at all loads, a warm-up with data of the performance set, windows that end with the run,
// token counts that contradict times or texts, and samples that repeat within a batch more often than by chance. Each
// finding is a warning, because a correct run can have a reason.
func ReviewCurves(curves []Curve) []Row {
	var r curveReviewer
	for _, c := range curves {
		place := path.Join(resultsDir, c.System, c.Model)
		var loads []Point // points with a fixed concurrency, ordered by it
		for _, p := range c.Points {
			at := path.Join(place, p.Name)
			r.reviewWarmup(p, at)
			r.reviewWindow(p, at)
			r.reviewTokens(p, at)
			r.reviewRepeats(p, at)
			offline, _ := pyvalue.Field[string](p.Config, "offline")
			if offline != offlineDedicated && p.Summary != nil {
				loads = append(loads, p)
			}
		}
		r.reviewOrder(loads, place)
		r.reviewLatency(loads, place)
	}
	return r.rows
}

// orderTolerance is the relative change of throughput or user speed that is attributed to chance.
const orderTolerance = 0.02

// reviewOrder checks that more users get more tokens per second in total and fewer per user.
func (r *curveReviewer) reviewOrder(points []Point, place string) {
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		if b.Concurrency <= a.Concurrency {
			continue
		}
		x, ok := rawThroughput(a.Summary)
		y, ok2 := rawThroughput(b.Summary)
		if ok && ok2 && y < x*(1-orderTolerance) {
			r.addWarning("curve-order", path.Join(place, b.Name, summaryFile),
				"%s has %.4g tokens/s, fewer than the %.4g of %s with fewer users: is C_max too high, or was the server "+
					"disturbed?", b.Name, y, x, a.Name)
		}
		slow, ok := summaryPercentile(a.Summary, "tpot", "90")
		fast, ok2 := summaryPercentile(b.Summary, "tpot", "90")
		if ok && ok2 && fast < slow*(1-orderTolerance) {
			r.addWarning("curve-order", path.Join(place, b.Name, summaryFile),
				"a user of %s gets tokens faster than one of %s with fewer users: TPOT p90 %.4g ms after %.4g ms",
				b.Name, a.Name, fast/1e6, slow/1e6)
		}
	}
}

// Limits of equal TTFT: the maximum relative difference, and the minimum ratio of users and number of points.
const (
	maxEqualDifference = 0.01
	minUserRatio       = 4
	minEqualPoints     = 3
)

// reviewLatency checks that TTFT depends on the load.
func (r *curveReviewer) reviewLatency(points []Point, place string) {
	low, high, n := 0.0, 0.0, 0
	for _, p := range points {
		if x, ok := summaryPercentile(p.Summary, "ttft", "90"); ok && x > 0 {
			if n == 0 || x < low {
				low = x
			}
			high, n = max(high, x), n+1
		}
	}
	if n < minEqualPoints || high > low*(1+maxEqualDifference) ||
		points[len(points)-1].Concurrency < minUserRatio*points[0].Concurrency {
		return
	}
	r.addWarning("ttft-of-load", place,
		"TTFT p90 is %.4g to %.4g ms at all of %d points from %d to %d users: does a proxy "+
			"send a first chunk before the model has one?", low/1e6, high/1e6, n, points[0].Concurrency,
		points[len(points)-1].Concurrency)
}

// reviewWarmup checks that the warm-up does not use the performance set without salt.
func (r *curveReviewer) reviewWarmup(p Point, at string) {
	block, _ := pyvalue.Field[*pyvalue.Dict](p.Config, "warmup")
	source, _ := pyvalue.Field[string](block, "data_source")
	words := endpoints.SquashName(source)
	if words == "" || strings.Contains(words, "salt") {
		return
	}
	for _, name := range performanceNames(p) {
		if squashed := endpoints.SquashName(name); len(squashed) > 3 && strings.Contains(words, squashed) {
			r.addWarning("warmup-source", path.Join(at, pointFile),
				"warmup.data_source is %q, which names the performance set %q: the rules want other data, or salt", source,
				name)
			return
		}
	}
}

// performanceNames returns a point's names for its performance set.
func performanceNames(p Point) []string {
	names := []string{"performance set", "performance dataset", "performance data"}
	for _, key := range []string{"dataset", "dataset_name"} {
		name, _ := pyvalue.Field[string](p.Config, key)
		names = append(names, name)
	}
	sets, _ := pyvalue.Field[[]any](p.Run, "datasets")
	for _, one := range sets {
		set, _ := one.(*pyvalue.Dict)
		if kind, _ := pyvalue.Field[string](set, "type"); kind == "performance" {
			file, _ := pyvalue.Field[string](set, "path")
			base := path.Base(strings.ReplaceAll(file, `\`, "/"))
			names = append(names, strings.TrimSuffix(base, path.Ext(base)))
		}
	}
	return names
}

// reviewWindow checks that the run continues after its steady window.
func (r *curveReviewer) reviewWindow(p Point, at string) {
	block, _ := pyvalue.Field[*pyvalue.Dict](p.Config, "steady_state")
	window, _ := pyvalue.Field[*pyvalue.Dict](block, "window")
	last, ok := numberIn(window, "super_pass_end")
	size, ok2 := numberIn(window, "super_pass_size")
	issued, ok3 := numberIn(p.Summary, "n_samples_issued")
	if !ok || !ok2 || !ok3 || size < 1 {
		return
	}
	if passes := float64(int(issued / size)); last+1 > passes {
		r.addWarning("window-end", path.Join(at, pointFile),
			"the steady window ends with super-pass %v, and the run has %v, "+
				"counted from 0: it is of another run", last, passes)
	} else if last+1 == passes && issued > 0 {
		r.addWarning("window-end", path.Join(at, pointFile),
			"the steady window ends with super-pass %v, the run's last one: "+
				"whether the state would have lasted is not known", last)
	}
}

// numberIn returns a number of an object.
func numberIn(d *pyvalue.Dict, key string) (x float64, ok bool) {
	v, _ := d.Get(key)
	return toNumber(v)
}

// toNumber returns a number read from YAML or JSON.
func toNumber(v any) (x float64, ok bool) {
	x, ok = jsonNumber(v)
	return x, ok && x == x
}

// summaryPercentile returns a percentile of a metric in a summary.
func summaryPercentile(summary *pyvalue.Dict, metric, percentile string) (x float64, ok bool) {
	d, _ := pyvalue.Field[*pyvalue.Dict](summary, metric)
	all, _ := pyvalue.Field[*pyvalue.Dict](d, "percentiles")
	for _, key := range []string{percentile, percentile + ".0"} {
		if x, ok = numberIn(all, key); ok {
			return x, true
		}
	}
	return 0, false
}
