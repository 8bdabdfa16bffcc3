package arrival

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxPoints is the maximum length of a list.
const maxPoints = 10_000

// ParseLoads parses a list of loads. An item is a number ("4"), doublings ("1..256", including the end), a number of
// loads with equal ratios ("1..100/8") or equal steps ("10..50+10"); commas separate items ("1,2,4"). It returns the
// distinct loads in ascending order. If whole is true, loads are integers (numbers of users); otherwise they are rates,
// and computed rates have three significant digits.
func ParseLoads(text string, whole bool) ([]float64, error) {
	var all []float64
	for part := range strings.SplitSeq(text, ",") {
		points, err := parseSeries(strings.TrimSpace(part), whole)
		if err != nil {
			return nil, err
		}
		if all = append(all, points...); len(all) > maxPoints {
			return nil, fmt.Errorf("%q has more than %d points", text, maxPoints)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// parseSeries parses one item of a list.
func parseSeries(text string, whole bool) ([]float64, error) {
	first, rest, isRange := strings.Cut(text, "..")
	from, err := parseLoad(first, whole)
	if err != nil || !isRange {
		return []float64{from}, err
	}
	at := strings.IndexAny(rest, "/+")
	if at < 0 {
		at = len(rest)
	}
	to, err := parseLoad(rest[:at], whole)
	if err != nil {
		return nil, err
	}
	if to < from {
		return nil, fmt.Errorf("%q goes down: write it from the lower to the higher, as %s..%s", text, rest[:at], first)
	}
	switch {
	case at == len(rest):
		return doublingLoads(from, to), nil
	case rest[at] == '+':
		return equalSteps(text, from, to, rest[at+1:], whole)
	}
	return equalRatios(text, from, to, rest[at+1:], whole)
}

// parseLoad parses a single load.
func parseLoad(text string, whole bool) (float64, error) {
	text = strings.TrimSpace(text)
	if whole {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxUsers {
			return 0, fmt.Errorf("%q users: want a whole number from 1 to %d, or a list such as 1,2,4 or 1..256", text,
				maxUsers)
		}
		return float64(n), nil
	}
	r, err := strconv.ParseFloat(text, 64)
	if err != nil || !(r >= minRate && r <= maxRate) {
		return 0, fmt.Errorf("%q requests per second: want a number from %g to %g, or a list such as 1,2,4 or 1..100/8",
			text, minRate, maxRate)
	}
	return r, nil
}

// The limits of loads.
const (
	minRate  = 1e-6
	maxRate  = 1e7
	maxUsers = 1_000_000
)

// doublingLoads returns from, its doublings below to, and to.
func doublingLoads(from, to float64) []float64 {
	var all []float64
	for x := from; x < to; x *= 2 {
		all = append(all, x)
	}
	return append(all, to)
}

// equalSteps returns loads with equal distances. The last one does not exceed to.
func equalSteps(text string, from, to float64, by string, whole bool) ([]float64, error) {
	step, err := parseLoad(by, whole)
	if err != nil {
		return nil, fmt.Errorf("the step of %q: %w", text, err)
	}
	if (to-from)/step > maxPoints {
		return nil, fmt.Errorf("%q has more than %d points", text, maxPoints)
	}
	var all []float64
	for i := 0; ; i++ {
		x := from + float64(i)*step
		if x > to*(1+1e-12) {
			return all, nil
		}
		if !whole {
			x = roundSignificant(x, 12)
		}
		all = append(all, x)
	}
}

// equalRatios returns count loads with equal ratios.
func equalRatios(text string, from, to float64, count string, whole bool) ([]float64, error) {
	n, err := strconv.Atoi(strings.TrimSpace(count))
	if err != nil || n < 2 || n > maxPoints {
		return nil, fmt.Errorf("%q has %q points: want a whole number from 2 to %d", text, count, maxPoints)
	}
	all := []float64{from}
	for i := 1; i < n-1; i++ {
		x := from * math.Pow(to/from, float64(i)/float64(n-1))
		if x = roundSignificant(x, 3); whole {
			x = math.Round(from * math.Pow(to/from, float64(i)/float64(n-1)))
		}
		all = append(all, min(max(x, from), to))
	}
	return append(all, to), nil
}

// RatesBetween returns the default rates of a sweep: n equal steps from the rate of one user (excluded) to 95 % of the
// maximum, with three significant digits. It is empty if the maximum is not higher.
func RatesBetween(one, maximum float64, n int) []float64 {
	top := 0.95 * maximum
	if !(top > one) {
		return nil
	}
	var all []float64
	for i := 1; i <= n; i++ {
		all = append(all, roundSignificant(one+(top-one)*float64(i)/float64(n), 3))
	}
	return slices.Compact(all)
}

// roundSignificant rounds x to a number of significant digits.
func roundSignificant(x float64, digits int) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	if err != nil {
		return x
	}
	return r
}
