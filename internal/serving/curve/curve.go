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
	By   arrival.Kind
	Load float64 // users, or requests per second; 0 where the load is no number

	Requests                     int // that were measured; 0: unknown
	RequestsPerSec, TokensPerSec float64
	User                         float64 // 1 / median TPOT, in tokens per second
	Goodput                      float64 // requests per second within all limits
	Failed                       float64 // share of the requests, from 0 to 1

	Stationary    bool // its figures do not depend on how long it took
	ClientLimited bool // the client was the limit, not the server
	Held          bool // every objective
}

// overFailed is the share of failures above which a point is overloaded.
const overFailed = 0.10

// IsOverloaded says that the server did not keep up with the load.
func (p CurvePoint) IsOverloaded() bool { return !p.Stationary || p.Failed > overFailed }

// Holds says that the point counts, and keeps all objectives.
func (p CurvePoint) Holds() bool { return p.Stationary && !p.ClientLimited && p.Held }

// enough is how many overloaded points in a row end a sweep.
const enough = 2

// ShouldStop says that a sweep of rising load ends with the last of its points: two in a row are overloaded.
func ShouldStop(points []CurvePoint) bool {
	if len(points) < enough {
		return false
	}
	return !slices.ContainsFunc(points[len(points)-enough:], func(p CurvePoint) bool { return !p.IsOverloaded() })
}

// BestPoint is the point with the most goodput of those that hold; the lower one where several have it. ok is false
// where there is none.
func BestPoint(points []CurvePoint) (at int, ok bool) {
	for i, p := range points {
		if p.Holds() && p.Goodput > 0 && (!ok || p.Goodput > points[at].Goodput) {
			at, ok = i, true
		}
	}
	return at, ok
}

// ParetoLine lists the points that no other one beats: none has as many tokens per second and as many for each user,
// and more of one of them. Points that the client limited, or whose tokens were not counted, are not among them; of
// equal ones all are.
func ParetoLine(points []CurvePoint) []int {
	var all []int
	for i, p := range points {
		if !p.ClientLimited && p.TokensPerSec > 0 && p.User > 0 {
			all = append(all, i)
		}
	}
	slices.SortFunc(all, func(i, j int) int {
		a, b := points[i], points[j]
		return cmp.Or(cmp.Compare(b.User, a.User), cmp.Compare(b.TokensPerSec, a.TokensPerSec))
	})
	var kept []int
	for _, i := range all { // from the fastest for a user on, each must have more tokens
		p := points[i]
		if len(kept) > 0 {
			last := points[kept[len(kept)-1]]
			if p.TokensPerSec <= last.TokensPerSec && (p.TokensPerSec != last.TokensPerSec || p.User != last.User) {
				continue
			}
		}
		kept = append(kept, i)
	}
	slices.Sort(kept)
	return kept
}

// curveValue is what a curve shows over its load: goodput, where there are objectives, else requests per second.
func (p CurvePoint) curveValue() float64 {
	if math.IsNaN(p.Goodput) {
		return p.RequestsPerSec
	}
	return p.Goodput
}

// ratePosition is where a point stands among rates: one user and the maximum at the rate that they got.
func (p CurvePoint) ratePosition() float64 {
	if p.By == arrival.Rate {
		return p.Load
	}
	return p.RequestsPerSec
}

const (
	autoRates   = 6    // between one user and the maximum
	autoRefined = 3    // more where the curve bends
	bracket     = 0.10 // how far the neighbours of the highest goodput may be from it
)

// NextAutoLoad is a sweep that chooses its loads: one user, the maximum, then rates between them until the server is
// overloaded, then some where the curve bends down most. It returns the load after those that were made, in any
// order; ok is false where the sweep is complete. The same points lead to the same load.
func NextAutoLoad(made []CurvePoint) (by arrival.Kind, value float64, ok bool) {
	var one, most *CurvePoint
	var rates []CurvePoint
	for i := range made {
		switch made[i].By {
		case arrival.Users:
			one = &made[i]
		case arrival.Maximum:
			most = &made[i]
		case arrival.Rate:
			rates = append(rates, made[i])
		}
	}
	switch {
	case one == nil:
		return arrival.Users, 1, true
	case most == nil:
		return arrival.Maximum, 0, true
	}
	planned := arrival.RatesBetween(one.RequestsPerSec, most.RequestsPerSec, autoRates)
	var first []CurvePoint // of the planned ones, up to a rate
	for _, rate := range planned {
		at := slices.IndexFunc(rates, func(p CurvePoint) bool { return p.Load == rate })
		switch {
		case at >= 0:
			first = append(first, rates[at])
		case !ShouldStop(first):
			return arrival.Rate, rate, true
		}
	}
	if len(rates)-len(first) >= autoRefined {
		return "", 0, false
	}
	value, ok = refineGap(made)
	return arrival.Rate, value, ok && !slices.ContainsFunc(rates, func(p CurvePoint) bool { return p.Load == value })
}

// refineGap is a rate in the middle of a gap beside the top of the curve, the highest goodput or else the knee: above
// it, where a higher rate may have more; below it where that cannot be far, and the top has less than its rate.
func refineGap(made []CurvePoint) (rate float64, ok bool) {
	order := sortByPlace(made, CurvePoint.ratePosition)
	at, ok := topPoint(made)
	n := slices.Index(order, at)
	if !ok || n < 0 {
		return 0, false
	}
	here := made[at].ratePosition()
	if n+1 < len(order) {
		if above := made[order[n+1]].ratePosition(); above > here*(1+bracket) {
			return middleRate(here, above), true
		}
	}
	if n > 0 {
		if below := made[order[n-1]].ratePosition(); here > below*(1+bracket) && made[at].curveValue() < here*(1-bracket/2) {
			return middleRate(below, here), true
		}
	}
	return 0, false
}

// topPoint is the point with the highest goodput; without objectives it is the knee.
func topPoint(made []CurvePoint) (at int, ok bool) {
	for i, p := range made {
		if p.Goodput > 0 && (!ok || p.Goodput > made[at].Goodput) {
			at, ok = i, true
		}
	}
	if ok {
		return at, true
	}
	return sharpestBend(made, CurvePoint.ratePosition)
}

// middleRate is halfway between two rates, with three significant digits as all rates of a sweep.
func middleRate(a, b float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat((a+b)/2, 'g', 3, 64), 64)
	if err != nil {
		return (a + b) / 2
	}
	return r
}
