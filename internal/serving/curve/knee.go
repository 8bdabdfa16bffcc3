package curve

import (
	"cmp"
	"math"
	"slices"

	"github.com/plumbline-ml/plumbline/serving/arrival"
)

const (
	// noise is the deviation of a point's height between two measurements of the same load, as a share of it, and sigmas
	// is how many deviations a bend must have to be one.
	noise  = 0.03
	sigmas = 3
	// flatter is the share of the slope before a knee that the slope behind it has at most.
	flatter = 0.5
	// fewest is how many points have a bend, or have none.
	fewest = 3
)

// FindKnee is the point where a curve of goodput (without objectives of requests per second) over the load bends down
// most: more load brings less than half of what it brought before, and the point lies further above the chord between
// its neighbours than the spread of the three explains. It is looked for among the points of the kind of load that most
// of them have, users or rates. Where there is none, straight is the point up to which the curve rises without one.
// Either is None where it cannot be told: both of fewer than three points, and of those that are flat.
func FindKnee(points []CurvePoint) (at, straight int) {
	users, rates := ofKind(points, arrival.Users), ofKind(points, arrival.Rate)
	mine := users
	if len(rates) > len(users) {
		mine = rates
	}
	place := func(p CurvePoint) float64 { return p.Load }
	among := selectPoints(points, mine)
	if at, ok := sharpestBend(among, place); ok {
		return mine[at], None
	}
	order := sortByPlace(among, place)
	if len(order) < fewest {
		return None, None
	}
	first, last := among[order[0]], among[order[len(order)-1]]
	if last.curveValue() == 0 || last.curveValue()/last.Load < flatter*first.curveValue()/first.Load {
		return None, None
	}
	return None, mine[order[len(order)-1]]
}

// None is the place of a point that is not there.
const None = -1

// ofKind are the places of points of a kind of load.
func ofKind(points []CurvePoint, by arrival.Kind) (all []int) {
	for i, p := range points {
		if p.By == by {
			all = append(all, i)
		}
	}
	return all
}

func selectPoints(points []CurvePoint, which []int) []CurvePoint {
	all := make([]CurvePoint, len(which))
	for i, at := range which {
		all[i] = points[at]
	}
	return all
}

// sharpestBend is the point that lies highest above the chord between its neighbours, both axes from 0 to 1, of those
// where the curve bends down; ok is false where none does.
func sharpestBend(points []CurvePoint, place func(CurvePoint) float64) (at int, ok bool) {
	order := sortByPlace(points, place)
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

// bendsDown says that three neighbours bend down, and by more than their spread.
func bendsDown(before, here, behind CurvePoint, place func(CurvePoint) float64) bool {
	x, y := place(here)-place(before), here.curveValue()-before.curveValue()
	rest, more := place(behind)-place(here), behind.curveValue()-here.curveValue()
	if y <= 0 || more/rest > flatter*y/x {
		return false
	}
	share := x / (x + rest) // of the chord, to below here
	above := here.curveValue() - (1-share)*before.curveValue() - share*behind.curveValue()
	spread := math.Sqrt(square(here.valueSpread()) + square((1-share)*before.valueSpread()) +
		square(share*behind.valueSpread()))
	return above > sigmas*spread
}

func square(v float64) float64 { return v * v }

// valueSpread is the deviation of the point's height from one measurement to another. Requests of a rate come by
// chance, so that their number has a deviation of its own: its root.
func (p CurvePoint) valueSpread() float64 {
	relative := square(noise)
	if p.By == arrival.Rate && p.Requests > 0 {
		relative += 1 / float64(p.Requests)
	}
	return p.curveValue() * math.Sqrt(relative)
}

// sortByPlace are the points with a place and a height, in order of the place.
func sortByPlace(points []CurvePoint, place func(CurvePoint) float64) []int {
	var order []int
	for i, p := range points {
		if x := place(p); x > 0 && p.curveValue() >= 0 && !math.IsInf(x, 1) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(place(points[i]), place(points[j])) })
	return slices.CompactFunc(order, func(i, j int) bool { return place(points[i]) == place(points[j]) })
}
