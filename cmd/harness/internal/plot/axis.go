package plot

import (
	"math"
	"strconv"
	"strings"
)

// axis is an Axis whose ends, and their places, are known.
type axis struct {
	Axis
	low, high float64 // values
	from, to  float64 // where they are in the picture
	unit      unit    // of numbers {"", 1}
}

// span decides the ends over the values from low to high.
func (a Axis) span(low, high float64) axis {
	if a.Max > a.Min {
		low, high = min(low, a.Min), max(high, a.Max)
	}
	out := axis{Axis: a, unit: unit{"", 1}}
	switch a.Scale {
	case Log:
		out.low, out.high = a.Min*.95, max(high, a.Min)*1.1
	case Tail:
		out.low, out.high = low, max(high, low+1)
	case Linear:
		out.low, out.high = low, high
	}
	switch a.Of {
	case Latency:
		out.unit = unitOf(int64(min(out.high, math.MaxInt64/2)))
	case Elapsed:
		out.unit = elapsedUnit(int64(min(out.high, math.MaxInt64/2)))
	case Number:
	}
	if a.Scale == Linear {
		out.widen()
	}
	return out
}

// widen makes a linear axis end at ticks. A span of nothing becomes one that has room.
func (a *axis) widen() {
	if !(a.high > a.low) {
		a.high = a.low + max(a.unit.ns, math.Abs(a.low)/10)
	}
	if a.Exact {
		return
	}
	step := a.step(mostTicks)
	a.low, a.high = math.Floor(a.low/step+1e-9)*step, math.Ceil(a.high/step-1e-9)*step
}

// title is the label with the unit, where ticks do not have theirs.
func (a *axis) title() string {
	if a.unit.name == "" || a.Scale == Log {
		return a.Label
	}
	return a.Label + ", " + a.unit.name
}

// at is where a value is; one beyond the ends is at the edge.
func (a *axis) at(v float64) float64 {
	low, high := a.low, a.high
	if a.Scale == Log {
		v, low, high = math.Log(max(v, a.low)), math.Log(low), math.Log(high)
	}
	return a.from + (a.to-a.from)*min(max((v-low)/(high-low), 0), 1)
}

// tick is a place, with a label or without.
type tick struct {
	at    float64
	label string
}

// mostTicks is how many ticks a linear axis has, or one more.
const mostTicks = 6

// ticks are the choices of ticks, the next always fewer than the one before. The last one is of a single label, or two.
func (a *axis) ticks() [][]tick {
	switch a.Scale {
	case Log:
		return a.decades()
	case Tail:
		return a.nines()
	case Linear:
	}
	var all [][]tick
	for most := float64(mostTicks); most > 1; most-- {
		all = append(all, a.even(most))
	}
	return all
}

// even are ticks at equal distances.
func (a *axis) even(most float64) []tick {
	step := a.step(most)
	var all []tick
	for k := math.Ceil(a.low/step - 1e-9); k*step <= a.high+step*1e-9; k++ {
		all = append(all, tick{k * step, number(k*step/a.unit.ns, step/a.unit.ns)})
	}
	return all
}

// step is the distance of so many ticks, or one more.
func (a *axis) step(most float64) float64 {
	step := niceStep((a.high-a.low)/a.unit.ns, most)
	if a.Whole {
		step = max(1, step)
	}
	return step * a.unit.ns
}

// niceStep is 1, 2 or 5 times a power of ten, at most so many of which are a span.
func niceStep(span, most float64) float64 {
	if !(span > 0) || math.IsInf(span, 0) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(span/most)))
	for _, m := range []float64{1, 2, 5} {
		if span/(m*power) <= most {
			return m * power
		}
	}
	return 10 * power
}

// decades are ticks of a logarithmic axis: with labels at 1, 2 and 5 times the powers of ten, or at fewer of them.
func (a *axis) decades() [][]tick {
	first, last := int(math.Floor(math.Log10(a.low))), int(math.Ceil(math.Log10(a.high)))
	var all [][]tick
	few := math.Log10(a.high/a.low) < 2.5
	if set := a.powers(first, last, 1, 1, 2, 5); labels(set) > 1 && few {
		all = append(all, set)
	} else if few {
		for most := float64(mostTicks); most > 1; most-- {
			all = append(all, a.named(a.even(most)))
		}
	}
	for every := 1; every <= last-first+1; every++ {
		if set := a.powers(first, last, every, 1); labels(set) > 0 {
			all = append(all, set)
		}
	}
	return all
}

// powers are ticks at 1 to 9 times powers of ten, with labels at some of these, of every so many-th power.
func (a *axis) powers(first, last, every int, labelled ...int) []tick {
	var all []tick
	for k := first; k <= last; k++ {
		for m := 1; m < 10; m++ {
			t := tick{at: float64(m) * math.Pow(10, float64(k))}
			if t.at < a.low || t.at > a.high {
				continue
			}
			for _, n := range labelled {
				if n == m && (k-first)%every == 0 {
					t.label = a.name(t.at)
				}
			}
			all = append(all, t)
		}
	}
	return all
}

// named gives ticks labels with units.
func (a *axis) named(ticks []tick) []tick {
	for i := range ticks {
		ticks[i].label = a.name(ticks[i].at)
	}
	return ticks
}

// name is a value with its own unit.
func (a *axis) name(v float64) string {
	if a.Of == Number {
		return number(v, math.Pow(10, math.Floor(math.Log10(v)+1e-9)))
	}
	u := unitOf(int64(math.Round(v)))
	if v < 1 {
		u = unit{"ns", 1}
	}
	if v /= u.ns; v >= 1000 {
		return number(v, 1) + " " + u.name
	}
	return strconv.FormatFloat(v, 'g', 4, 64) + " " + u.name
}

// labels counts them.
func labels(set []tick) (n int) {
	for _, t := range set {
		if t.label != "" {
			n++
		}
	}
	return n
}

// nines are ticks of percentiles: half, and each further nine.
func (a *axis) nines() [][]tick {
	every := []tick{{0, "min"}, {tail(.5), "p50"}}
	text := ""
	for k := 1.0; k <= 12; k++ {
		text += "9"
		label := "p90"
		if k > 1 {
			label = "p" + strings.TrimSuffix(text[:2]+"."+text[2:], ".")
		}
		every = append(every, tick{k, label})
	}
	var all [][]tick
	for drop := range 4 {
		var set []tick
		for i, t := range every {
			if t.at > a.high*1.0001 {
				break
			}
			if drop > 0 && i == 0 || drop > 1 && i > 1 && i%2 == 0 || drop > 2 && i > 3 {
				t.label = ""
			}
			set = append(set, t)
		}
		all = append(all, set)
	}
	return all
}

// tail is where a percentile, a fraction, is on an axis that gives each further nine the same room.
func tail(p float64) float64 { return -math.Log10(1 - p) }

// number writes a value to as many decimals as a step has, with commas between thousands.
func number(v, step float64) string {
	decimals := max(0, int(-math.Floor(math.Log10(step)+1e-9)))
	text := strconv.FormatFloat(v, 'f', min(decimals, 12), 64)
	if strings.Trim(text, "-0.") == "" {
		return "0"
	}
	whole, fraction, _ := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return whole
}
