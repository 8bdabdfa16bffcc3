package sweep

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/serving/engine"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/sweepfile"
)

// CheckServer returns an ErrServer if the server failed: at every point of a sweep, or at one point without any good
// answer. For a search, only the former counts, because a search tries loads that a server refuses.
func CheckServer(f *sweepfile.Sweep) error {
	for i := range f.Points {
		if r := &f.Points[i]; f.Find == nil && r.Status == record.Complete && r.Serving.Unanswered() {
			return pointFailure(r.Serving)
		}
	}
	return checkAllFailed(f)
}

// checkAllFailed returns an ErrServer if the server failed at every point. In a search, which overloads the server on
// purpose, one good answer is enough.
func checkAllFailed(f *sweepfile.Sweep) error {
	good := func(r record.Run) bool { return !r.Serving.Failed() }
	if f.Find != nil {
		good = func(r record.Run) bool { return !r.Serving.Unanswered() }
	}
	if len(f.Points) == 0 || slices.ContainsFunc(f.Points, good) {
		return nil
	}
	return pointFailure(f.Points[0].Serving)
}

// pointFailure returns an ErrServer that describes the failures of a point.
func pointFailure(s *record.Serving) error {
	return fmt.Errorf("%w at %v: %s", ErrServer, s.Load, FaultText(s))
}

// FaultText states how many requests of a point failed, and the first error of each kind of failure.
func FaultText(s *record.Serving) string {
	return strings.Join(append([]string{fmt.Sprintf("%d of %d requests failed", s.Figures.FailedTotal(),
		s.Figures.Requests)}, kindTexts(s.Faults)...), "\n")
}

// kindTexts returns a text for each kind of failure with its number and its first error.
func kindTexts(faults []record.ServingFault) (kinds []string) {
	for _, f := range faults {
		kind := fmt.Sprintf("%s %d times", f.Status, f.Number)
		if f.Number == 1 {
			kind = string(f.Status) + " once"
		}
		if said := strings.TrimSpace(f.Text); said != "" {
			kind += ": " + said
		}
		kinds = append(kinds, kind)
	}
	return kinds
}

// maxFaultText is the maximum length in bytes of a failure's stored text. maxFaults is the maximum number of kinds of
// failure.
const (
	maxFaultText = 500
	maxFaults    = 10
)

// countFaults groups the failed requests that satisfy counts by status, with the first error of each group. The largest
// group is first.
func countFaults(requests []metrics.Request, rules metrics.FigureRules, counts func(r *metrics.Request) bool) (
	all []record.ServingFault,
) {
	for i := range requests {
		if !counts(&requests[i]) {
			continue
		}
		m := metrics.MeasureRequest(&requests[i], rules)
		if m.Found == metrics.OK || m.Found == metrics.Cancelled {
			continue
		}
		at := slices.IndexFunc(all, func(f record.ServingFault) bool { return f.Status == m.Found })
		if at < 0 {
			text := requests[i].Fault
			all, at = append(all, record.ServingFault{Status: m.Found, Text: text[:min(len(text), maxFaultText)]}), len(all)
		}
		all[at].Number++
	}
	slices.SortStableFunc(all, func(a, b record.ServingFault) int { return cmp.Compare(b.Number, a.Number) })
	return all[:min(len(all), maxFaults)]
}

// hasAnswerIn reports whether the steady part of a closed loop contains a good answer. Without one, figures of that
// part would not describe the server and would hide the failures.
func hasAnswerIn(p *engine.MeasuredPoint, rules metrics.FigureRules) bool {
	return slices.ContainsFunc(p.Requests, func(r metrics.Request) bool {
		return !r.WarmUp && p.Window.Has(r.Due) && metrics.MeasureRequest(&r, rules).Found == metrics.OK
	})
}

// noteUncounted adds notes on failures that no figure includes: of warm-up requests and of requests outside the window.
func (p *SweepPoint) noteUncounted(rules metrics.FigureRules) {
	warm := func(r *metrics.Request) bool { return r.WarmUp }
	outside := func(r *metrics.Request) bool {
		return !r.WarmUp && rules.Window != nil && !rules.Window.Has(r.Due)
	}
	for _, part := range []struct {
		counts      func(r *metrics.Request) bool
		about, text string
	}{
		{warm, "warm-up", "of %s that warm up %d failed"},
		{outside, "outside", "of %s that were due outside of the steady window, and count in no figure, %d failed"},
	} {
		n := 0
		for i := range p.Requests {
			if part.counts(&p.Requests[i]) {
				n++
			}
		}
		if kinds := countFaults(p.Requests, rules, part.counts); len(kinds) > 0 {
			failed := 0
			for _, k := range kinds {
				failed += k.Number
			}
			p.AddNote(part.about, fmt.Sprintf(part.text+": %s", figure.Plural(n, "request"), failed,
				strings.Join(kindTexts(kinds), "; ")))
		}
	}
}
