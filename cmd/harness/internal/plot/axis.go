package plot

import (
	"math"
	"strconv"
	"strings"
)

// placedAxis is an Axis with known ends and positions.
type placedAxis struct {
	Axis
	low, high float64  // values at the ends
	from, to  float64  // positions of the ends in the picture
	unit      timeUnit // {"", 1} for numbers
}

// spanValues returns the axis for values from low to high.
func (a Axis) spanValues(low, high float64) placedAxis {
	if a.Max > a.Min {
		low, high = min(low, a.Min), max(high, a.Max)
	}
	out := placedAxis{Axis: a, unit: timeUnit{"", 1}}
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
		out.widenToTicks()
	}
	return out
}

// widenToTicks extends a linear axis to ticks. It widens an empty span.
func (a *placedAxis) widenToTicks() {
	if !(a.high > a.low) {
		a.high = a.low + max(a.unit.ns, math.Abs(a.low)/10)
	}
	if a.Exact {
		return
	}
	step := a.tickStep(maxTicks)
	a.low, a.high = math.Floor(a.low/step+1e-9)*step, math.Ceil(a.high/step-1e-9)*step
}

// axisTitle is the label with the unit, where ticks do not have theirs, and says that an axis is logarithmic.
func (a *placedAxis) axisTitle() string {
	switch {
	case a.Scale == Log:
		return a.Label + ", logarithmic"
	case a.unit.name == "":
		return a.Label
	}
	return a.Label + ", " + a.unit.name
}

// startText says where a linear axis begins, if that is above 0.
func (a *placedAxis) startText() string {
	if a.Scale != Linear || a.low < a.tickStep(maxTicks)*1e-6 {
		return ""
	}
	step := a.tickStep(maxTicks) / a.unit.ns
	return " (axis begins at " + strings.TrimSpace(formatStep(a.low/a.unit.ns, step)+" "+a.unit.name) + ", not 0)"
}

// positionOf returns the position of a value. Values outside of the axis are at its edge.
func (a *placedAxis) positionOf(v float64) float64 {
	low, high := a.low, a.high
	if a.Scale == Log {
		v, low, high = math.Log(max(v, a.low)), math.Log(low), math.Log(high)
	}
	return a.from + (a.to-a.from)*min(max((v-low)/(high-low), 0), 1)
}

// axisTick is a tick, with or without a label.
type axisTick struct {
	at    float64
	label string
}

// maxTicks is the number of ticks on a linear axis; there may be one more.
const maxTicks = 6

// tickChoices returns sets of ticks in order of decreasing number. The last set has one or two labels.
func (a *placedAxis) tickChoices() [][]axisTick {
	switch a.Scale {
	case Log:
		return a.decadeTicks()
	case Tail:
		return a.nineTicks()
	case Linear:
	}
	var all [][]axisTick
	for most := float64(maxTicks); most > 1; most-- {
		all = append(all, a.evenTicks(most))
	}
	return all
}

// evenTicks returns ticks at equal distances.
func (a *placedAxis) evenTicks(maxCount float64) []axisTick {
	step := a.tickStep(maxCount)
	var all []axisTick
	for k := math.Ceil(a.low/step - 1e-9); k*step <= a.high+step*1e-9; k++ {
		all = append(all, axisTick{k * step, formatStep(k*step/a.unit.ns, step/a.unit.ns)})
	}
	return all
}

// tickStep returns the distance between maxCount ticks; there may be one more.
func (a *placedAxis) tickStep(maxCount float64) float64 {
	step := niceStep((a.high-a.low)/a.unit.ns, maxCount)
	if a.Whole {
		step = max(1, step)
	}
	return step * a.unit.ns
}

// niceStep returns the smallest step of 1, 2 or 5 times a power of ten that occurs up to maxSteps times in span.
func niceStep(span, maxSteps float64) float64 {
	if !(span > 0) || math.IsInf(span, 0) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(span/maxSteps)))
	for _, m := range []float64{1, 2, 5} {
		if span/(m*power) <= maxSteps {
			return m * power
		}
	}
	return 10 * power
}

// decadeTicks returns ticks of a logarithmic axis, with labels at 1, 2 and 5 times powers of ten or at fewer of them.
func (a *placedAxis) decadeTicks() [][]axisTick {
	if a.Doubling {
		return a.doublingTicks()
	}
	first, last := int(math.Floor(math.Log10(a.low))), int(math.Ceil(math.Log10(a.high)))
	var all [][]axisTick
	few := math.Log10(a.high/a.low) < 2.5
	if set := a.powerTicks(first, last, 1, 1, 2, 5); countLabels(set) > 1 && few {
		all = append(all, set)
	} else if few {
		for most := float64(maxTicks); most > 1; most-- {
			all = append(all, a.withUnits(a.evenTicks(most)))
		}
	}
	for every := 1; every <= last-first+1; every++ {
		if set := a.powerTicks(first, last, every, 1); countLabels(set) > 0 {
			all = append(all, set)
		}
	}
	return all
}

// doublingTicks are ticks at the powers of two, with labels at each or at fewer of them.
func (a *placedAxis) doublingTicks() [][]axisTick {
	first, last := int(math.Ceil(math.Log2(a.low)-1e-9)), int(math.Floor(math.Log2(a.high)+1e-9))
	var all [][]axisTick
	for every := 1; every <= max(1, last-first+1); every++ {
		var set []axisTick
		for k := first; k <= last; k++ {
			t := axisTick{at: math.Pow(2, float64(k))}
			if (k-first)%every == 0 {
				t.label = formatStep(t.at, min(t.at, 1))
			}
			set = append(set, t)
		}
		all = append(all, set)
	}
	return all
}

// powerTicks returns ticks at 1 to 9 times powers of ten. Those in labelled have labels at every every-th power.
func (a *placedAxis) powerTicks(first, last, every int, labelled ...int) []axisTick {
	var all []axisTick
	for k := first; k <= last; k++ {
		for m := 1; m < 10; m++ {
			t := axisTick{at: float64(m) * math.Pow(10, float64(k))}
			if t.at < a.low || t.at > a.high {
				continue
			}
			for _, n := range labelled {
				if n == m && (k-first)%every == 0 {
					t.label = a.valueWithUnit(t.at)
				}
			}
			all = append(all, t)
		}
	}
	return all
}

// withUnits adds units to the labels of ticks.
func (a *placedAxis) withUnits(ticks []axisTick) []axisTick {
	for i := range ticks {
		ticks[i].label = a.valueWithUnit(ticks[i].at)
	}
	return ticks
}

// valueWithUnit formats a value with its own unit.
func (a *placedAxis) valueWithUnit(v float64) string {
	if a.Of == Number {
		return formatStep(v, math.Pow(10, math.Floor(math.Log10(v)+1e-9)))
	}
	u := unitOf(int64(math.Round(v)))
	if v < 1 {
		u = timeUnit{"ns", 1}
	}
	if v /= u.ns; v >= 1000 {
		return formatStep(v, 1) + " " + u.name
	}
	return strconv.FormatFloat(v, 'g', 4, 64) + " " + u.name
}

// countLabels returns the number of ticks with labels.
func countLabels(set []axisTick) (n int) {
	for _, t := range set {
		if t.label != "" {
			n++
		}
	}
	return n
}

// nineTicks returns ticks for percentiles: the median and one per additional nine.
func (a *placedAxis) nineTicks() [][]axisTick {
	every := []axisTick{{0, "min"}, {percentilePosition(.5), "p50"}}
	text := ""
	for k := 1.0; k <= 12; k++ {
		text += "9"
		label := "p90"
		if k > 1 {
			label = "p" + strings.TrimSuffix(text[:2]+"."+text[2:], ".")
		}
		every = append(every, axisTick{k, label})
	}
	var all [][]axisTick
	for drop := range 4 {
		var set []axisTick
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

// percentilePosition returns the position of a percentile, a fraction, on an axis with equal distances between 90, 99,
// 99.9 and so on.
func percentilePosition(p float64) float64 { return -math.Log10(1 - p) }

// formatStep formats a value with as many decimals as step has, and commas between thousands.
func formatStep(v, step float64) string {
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
