package curve

import (
	"cmp"
	"math"
	"slices"

	"github.com/plumbline-ml/plumbline/serving/arrival"
)

const (
	// relativeNoise is the relative standard deviation of a point's height between two measurements of the same load.
	// sigmas is the minimum height of a bend, in standard deviations.
	relativeNoise = 0.03
	minSigmas     = 3
	// maxSlopeRatio is the maximum ratio of the slope behind a knee to the slope before it.
	maxSlopeRatio = 0.5
	// minPoints is the minimum number of points of a curve with or without a bend.
	minPoints = 3
)

// FindKnee returns the index of the point where a curve of goodput over load bends down most. Without objectives, the
// curve shows requests per second. At a knee, the slope falls to half or less, and the point is above the chord between
// its neighbours by more than the spread of the three points. FindKnee examines the points of one kind of load, users
// or rates, whichever has more points. If there is no knee, straight is the index of the last point of the rising
// curve. Both are None for fewer than three points and for a flat curve.
func FindKnee(points []CurvePoint) (at, lastStraight int) {
	users, rates := indicesOfKind(points, arrival.Users), indicesOfKind(points, arrival.Rate)
	mine := users
	if len(rates) > len(users) {
		mine = rates
	}
	place := func(p CurvePoint) float64 { return p.Load }
	among := pointsAt(points, mine)
	if at, ok := sharpestBend(among, place); ok {
		return mine[at], NoPoint
	}
	order := sortedIndices(among, place)
	if len(order) < minPoints {
		return NoPoint, NoPoint
	}
	first, last := among[order[0]], among[order[len(order)-1]]
	if last.curveValue() == 0 || last.curveValue()/last.Load < maxSlopeRatio*first.curveValue()/first.Load {
		return NoPoint, NoPoint
	}
	return NoPoint, mine[order[len(order)-1]]
}

// NoPoint is the index of a point that does not exist.
const NoPoint = -1

// indicesOfKind returns the indices of the points with one kind of load.
func indicesOfKind(points []CurvePoint, by arrival.Kind) (all []int) {
	for i, p := range points {
		if p.Kind == by {
			all = append(all, i)
		}
	}
	return all
}

func pointsAt(points []CurvePoint, indices []int) []CurvePoint {
	all := make([]CurvePoint, len(indices))
	for i, at := range indices {
		all[i] = points[at]
	}
	return all
}

// sharpestBend returns the point with the greatest height above the chord between its neighbours, among the points
// where the curve bends down. Both axes are scaled to 0 to 1. ok is false if the curve bends down nowhere.
func sharpestBend(points []CurvePoint, place func(CurvePoint) float64) (at int, ok bool) {
	order := sortedIndices(points, place)
	width, height := 0.0, 0.0
	for _, i := range order {
		width, height = max(width, place(points[i])), max(height, points[i].curveValue())
	}
	highest := 0.0
	for n := 1; n+1 < len(order) && height > 0; n++ {
		before, here, behind := points[order[n-1]], points[order[n]], points[order[n+1]]
		if !bendsDown(before, here, behind, place) {
			continue
		}
		x := func(p CurvePoint) float64 { return place(p) / width }
		y := func(p CurvePoint) float64 { return p.curveValue() / height }
		dx, dy := x(behind)-x(before), y(behind)-y(before)
		if d := (dx*(y(here)-y(before)) - dy*(x(here)-x(before))) / math.Hypot(dx, dy); d > highest {
			at, ok, highest = order[n], true, d
		}
	}
	return at, ok
}

// bendsDown reports whether the curve through three neighbours bends down by more than their spread.
func bendsDown(before, here, behind CurvePoint, place func(CurvePoint) float64) bool {
	x, y := place(here)-place(before), here.curveValue()-before.curveValue()
	rest, more := place(behind)-place(here), behind.curveValue()-here.curveValue()
	if y <= 0 || more/rest > maxSlopeRatio*y/x {
		return false
	}
	share := x / (x + rest) // of the chord's length, from its start to the point
	above := here.curveValue() - (1-share)*before.curveValue() - share*behind.curveValue()
	spread := math.Sqrt(square(here.valueSpread()) + square((1-share)*before.valueSpread()) +
		square(share*behind.valueSpread()))
	return above > minSigmas*spread
}

func square(v float64) float64 { return v * v }

// valueSpread returns the standard deviation of the point's height between measurements. For a rate it includes the
// Poisson deviation of the number of requests, the square root of that number.
func (p CurvePoint) valueSpread() float64 {
	relative := square(relativeNoise)
	if p.Kind == arrival.Rate && p.Requests > 0 {
		relative += 1 / float64(p.Requests)
	}
	return p.curveValue() * math.Sqrt(relative)
}

// sortedIndices returns the indices of the points that have a place and a height, ordered by place, without duplicates
// of a place.
func sortedIndices(points []CurvePoint, place func(CurvePoint) float64) []int {
	var order []int
	for i, p := range points {
		if x := place(p); x > 0 && p.curveValue() >= 0 && !math.IsInf(x, 1) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(place(points[i]), place(points[j])) })
	return slices.CompactFunc(order, func(i, j int) bool { return place(points[i]) == place(points[j]) })
}
