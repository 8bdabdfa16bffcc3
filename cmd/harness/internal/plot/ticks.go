package plot

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// ticks are the places with labels from low to high.
func (a Axis) ticks(low, high float64) []plot.Tick {
	if a.Ticks != nil {
		all := make([]plot.Tick, len(a.Ticks))
		for i, t := range a.Ticks {
			all[i] = plot.Tick{Value: t.At, Label: t.Label}
		}
		return all
	}
	if a.Log {
		return logTicks(low, high)
	}
	step := a.step(high - low)
	var all []plot.Tick
	for k := math.Ceil(low/step - 1e-9); k*step <= high+step*1e-9; k++ {
		all = append(all, plot.Tick{Value: k * step, Label: number(k*step, step)})
	}
	return all
}

// step is the distance of ticks over a span.
func (a Axis) step(span float64) float64 {
	if a.Whole {
		return max(1, niceStep(span))
	}
	return niceStep(span)
}

// niceStep is 1, 2 or 5 times a power of ten: five or six of it are a span.
func niceStep(span float64) float64 {
	if !(span > 0) || math.IsInf(span, 0) {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(span/5)))
	for _, m := range []float64{1, 2, 5} {
		if span/(m*unit) <= 6 {
			return m * unit
		}
	}
	return 10 * unit
}

// logTicks have labels at 1, 2 and 5 times the powers of ten; over many decades at the powers alone.
func logTicks(low, high float64) []plot.Tick {
	several := math.Log10(high/low) < 2.5
	var all []plot.Tick
	for k := math.Floor(math.Log10(low)); k <= math.Ceil(math.Log10(high)); k++ {
		for m := 1.0; m < 10; m++ {
			v := m * math.Pow(10, k)
			if v < low*(1-1e-9) || v > high*(1+1e-9) {
				continue
			}
			t := plot.Tick{Value: v}
			if m == 1 || several && (m == 2 || m == 5) {
				t.Label = number(v, v)
			}
			all = append(all, t)
		}
	}
	return all
}

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

// round widens an axis to where ticks are. A span of nothing becomes one that has room.
func (a Axis) round(to *plot.Axis) {
	if a.Log {
		to.Min, to.Max = to.Min*.95, to.Max*1.1
		return
	}
	if !(to.Max > to.Min) {
		to.Max = to.Min + max(1, math.Abs(to.Min)/10)
	}
	if a.Ticks != nil || a.Exact {
		return
	}
	step := a.step(to.Max - to.Min)
	to.Min, to.Max = math.Floor(to.Min/step+1e-9)*step, math.Ceil(to.Max/step-1e-9)*step
}
