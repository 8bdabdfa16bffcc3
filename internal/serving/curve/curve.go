// Package curve contains the points of a sweep and determines which points count, which is the best, and which load to
// try next.
//
// In scope: points of rising load, the end of a sweep, dominance between points. Out of scope: how a point is measured
// (package engine), its figures (package metrics), and the files of a sweep (package sweepfile).
package curve

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/plumbline-ml/plumbline/serving/arrival"
)

// CurvePoint contains the figures of a measured load that a sweep uses. A figure that was not measured is NaN.
type CurvePoint struct {
	Kind arrival.Kind
	Load float64 // users, or requests per second; 0: the load has no number

	Requests                     int // measured requests; 0: unknown
	RequestsPerSec, TokensPerSec float64
	UserTokensPerSec             float64 // 1 / median TPOT, in tokens per second
	Goodput                      float64 // requests per second within all limits
	FailedShare                  float64 // share of the requests, from 0 to 1

	Stationary      bool // the figures do not depend on the length of the measurement
	ClientLimited   bool // the client was the bottleneck, not the server
	MeetsObjectives bool // the point met all objectives
}

// maxFailedShare is the maximum share of failed requests of a point that is not overloaded.
const maxFailedShare = 0.10

// IsOverloaded reports whether the server did not keep up with the load.
func (p CurvePoint) IsOverloaded() bool { return !p.Stationary || p.FailedShare > maxFailedShare }

// Holds reports whether the point counts and meets all objectives.
func (p CurvePoint) Holds() bool { return p.Stationary && !p.ClientLimited && p.MeetsObjectives }

// overloadedToStop is the number of successive overloaded points that end a sweep.
const overloadedToStop = 2

// ShouldStop reports whether a sweep of rising load ends after the given points because the last two are overloaded.
func ShouldStop(points []CurvePoint) bool {
	if len(points) < overloadedToStop {
		return false
	}
	return !slices.ContainsFunc(points[len(points)-overloadedToStop:],
		func(p CurvePoint) bool { return !p.IsOverloaded() })
}

// BestPoint returns the index of the point with the highest goodput among the points that hold. Of several with the
// same goodput it returns the first. ok is false if no point holds.
func BestPoint(points []CurvePoint) (at int, ok bool) {
	for i, p := range points {
		if p.Holds() && p.Goodput > 0 && (!ok || p.Goodput > points[at].Goodput) {
			at, ok = i, true
		}
	}
	return at, ok
}

// ParetoLine returns the indices of the points that no other point dominates. A point dominates another if both its
// tokens per second and its tokens per second and user are at least as high, and one of them is higher. Equal points
// are all kept. Points that the client limited, and points without token counts, are excluded.
func ParetoLine(points []CurvePoint) []int {
	var all []int
	for i, p := range points {
		if !p.ClientLimited && p.TokensPerSec > 0 && p.UserTokensPerSec > 0 {
			all = append(all, i)
		}
	}
	slices.SortFunc(all, func(i, j int) int {
		a, b := points[i], points[j]
		return cmp.Or(cmp.Compare(b.UserTokensPerSec, a.UserTokensPerSec), cmp.Compare(b.TokensPerSec, a.TokensPerSec))
	})
	var kept []int
	for _, i := range all { // in order of falling speed per user, the throughput must rise
		p := points[i]
		if len(kept) > 0 {
			last := points[kept[len(kept)-1]]
			if p.TokensPerSec <= last.TokensPerSec && (p.TokensPerSec != last.TokensPerSec ||
				p.UserTokensPerSec != last.UserTokensPerSec) {
				continue
			}
		}
		kept = append(kept, i)
	}
	slices.Sort(kept)
	return kept
}

// curveValue returns the height of a point on the curve: its goodput, or its requests per second if there are no
// objectives.
func (p CurvePoint) curveValue() float64 {
	if math.IsNaN(p.Goodput) {
		return p.RequestsPerSec
	}
	return p.Goodput
}

// ratePosition returns the place of a point on an axis of rates. For one user and for the maximum it is the measured
// rate.
func (p CurvePoint) ratePosition() float64 {
	if p.Kind == arrival.Rate {
		return p.Load
	}
	return p.RequestsPerSec
}

const (
	autoRates      = 6    // rates between one user and the maximum
	maxRefinements = 3    // additional rates at the bend of the curve
	maxGap         = 0.10 // maximum relative distance of the neighbours of the highest goodput
)

// NextAutoLoad returns the next load of a sweep that chooses its own loads, after the loads in made (in any order).
// Such a sweep measures one user, the maximum, rates between them until the server is overloaded, and finally rates
// near the sharpest bend of the curve. ok is false if the sweep is complete. The same points always give the same load.
func NextAutoLoad(measured []CurvePoint) (by arrival.Kind, value float64, ok bool) {
	var one, most *CurvePoint
	var rates []CurvePoint
	for i := range measured {
		switch measured[i].Kind {
		case arrival.Users:
			one = &measured[i]
		case arrival.Maximum:
			most = &measured[i]
		case arrival.Rate:
			rates = append(rates, measured[i])
		}
	}
	switch {
	case one == nil:
		return arrival.Users, 1, true
	case most == nil:
		return arrival.Maximum, 0, true
	}
	planned := arrival.RatesBetween(one.RequestsPerSec, most.RequestsPerSec, autoRates)
	var first []CurvePoint // measured points of the planned rates, up to the current rate
	for _, rate := range planned {
		at := slices.IndexFunc(rates, func(p CurvePoint) bool { return p.Load == rate })
		switch {
		case at >= 0:
			first = append(first, rates[at])
		case !ShouldStop(first):
			return arrival.Rate, rate, true
		}
	}
	if len(rates)-len(first) >= maxRefinements {
		return "", 0, false
	}
	value, ok = rateInGap(measured)
	return arrival.Rate, value, ok && !slices.ContainsFunc(rates, func(p CurvePoint) bool { return p.Load == value })
}

// rateInGap returns a rate in the middle of a gap next to the curve's top. It uses the gap above the top if that is
// wide. Otherwise it uses the gap below, if that is wide and the top's value is lower than its rate.
func rateInGap(measured []CurvePoint) (rate float64, ok bool) {
	order := sortedIndices(measured, CurvePoint.ratePosition)
	at, ok := topPoint(measured)
	n := slices.Index(order, at)
	if !ok || n < 0 {
		return 0, false
	}
	here := measured[at].ratePosition()
	if n+1 < len(order) {
		if above := measured[order[n+1]].ratePosition(); above > here*(1+maxGap) {
			return meanRate(here, above), true
		}
	}
	if n > 0 {
		if below := measured[order[n-1]].ratePosition(); here > below*(1+maxGap) &&
			measured[at].curveValue() < here*(1-maxGap/2) {
			return meanRate(below, here), true
		}
	}
	return 0, false
}

// topPoint returns the point with the highest goodput. Without objectives it returns the sharpest bend.
func topPoint(measured []CurvePoint) (at int, ok bool) {
	for i, p := range measured {
		if p.Goodput > 0 && (!ok || p.Goodput > measured[at].Goodput) {
			at, ok = i, true
		}
	}
	if ok {
		return at, true
	}
	return sharpestBend(measured, CurvePoint.ratePosition)
}

// meanRate returns the mean of two rates, rounded to three significant digits like all rates of a sweep.
func meanRate(a, b float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat((a+b)/2, 'g', 3, 64), 64)
	if err != nil {
		return (a + b) / 2
	}
	return r
}
