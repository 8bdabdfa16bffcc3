package arrival

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// rateIntegral is the integral of a rate over time, starting at 0. The rate is piecewise linear; the last segment may
// be infinite.
type rateIntegral struct {
	lines []rateSegment
	begin float64 // start of the first remaining segment, in ns
	sum   float64 // value of the integral at begin
}

// rateSegment is a rate that changes linearly.
type rateSegment struct {
	from, to float64 // per second
	length   float64 // ns
}

func (l rateSegment) area() float64 { return (l.from + l.to) / 2 * (l.length / 1e9) }

// integrateRate returns the integral of the pattern's rate.
func (p Pattern) integrateRate() *rateIntegral {
	r := &rateIntegral{}
	if p.Ramp > 0 {
		r.lines = append(r.lines, rateSegment{p.RampFrom, p.PerSecond, float64(p.Ramp)})
	}
	for _, s := range p.Stages {
		r.lines = append(r.lines, rateSegment{s.PerSecond, s.PerSecond, float64(s.For)})
	}
	if p.Stages == nil {
		r.lines = append(r.lines, rateSegment{p.PerSecond, p.PerSecond, math.Inf(1)})
	}
	return r
}

// integrateUntil returns the integral from 0 to a time in ns.
func (r *rateIntegral) integrateUntil(at float64) (sum float64) {
	for _, l := range r.lines {
		d := min(at, l.length)
		sum += rateSegment{l.from, l.from + (l.to-l.from)*(d/l.length), d}.area()
		if at -= d; at <= 0 {
			break
		}
	}
	return sum
}

// timeAtValue returns the first time, in ns, at which the integral reaches value, or infinity if it never does. Values
// must ascend from call to call.
func (r *rateIntegral) timeAtValue(value float64) float64 {
	for len(r.lines) > 0 && value > r.sum+r.lines[0].area() {
		r.sum += r.lines[0].area()
		r.begin += r.lines[0].length
		r.lines = r.lines[1:]
	}
	x := value - r.sum
	switch {
	case len(r.lines) == 0:
		return math.Inf(1)
	case x <= 0:
		return r.begin
	}
	l := r.lines[0]
	if l.from == l.to {
		return r.begin + x*1e9/l.from
	}
	// x = from t + slope t²/2, solved without cancellation.
	slope := (l.to - l.from) / (l.length / 1e9)
	root := math.Sqrt(max(0, l.from*l.from+2*slope*x))
	return r.begin + min(2*x/(l.from+root)*1e9, l.length)
}

// unitArrivals returns a function that returns successive arrival times, in seconds, at one arrival per second,
// starting with 0.
func (p Pattern) unitArrivals() func() float64 {
	switch p.Arrival {
	case Gamma:
		return gammaTimes(p.Burstiness, p.Seed)
	case Poisson:
		return poissonTimes(p.Seed)
	}
	i := -1.0
	return func() float64 { i++; return i }
}

// poissonTimes returns LoadGen's arrival times at one query per second.
func poissonTimes(seed uint64) func() float64 {
	var due []int64
	i := -1
	return func() float64 {
		if i++; i == len(due) {
			longer, err := loadgen.ServerArrivals(1, seed, uint64(max(1024, 2*len(due))), 0)
			if err != nil {
				return math.Inf(1) // more than a century
			}
			due = longer
		}
		return float64(due[i]) / 1e9
	}
}

// gammaTimes returns arrival times with gamma-distributed gaps of mean 1, by Marsaglia and Tsang's method (ACM TOMS 26,
// 2000) with normal variables by Box and Muller. It does not scale the gaps to a total.
func gammaTimes(shape float64, seed uint64) func() float64 {
	src := rand.New(rand.NewPCG(seed, 0x67616d6d61))
	normal := func() float64 {
		return math.Sqrt(-2*math.Log(1-src.Float64())) * math.Cos(2*math.Pi*src.Float64())
	}
	large := shape
	if shape < 1 {
		large++
	}
	d := large - 1./3
	c := 1 / math.Sqrt(9*d)
	draw := func() float64 {
		for {
			x := normal()
			v := 1 + c*x
			if v <= 0 {
				continue
			}
			v *= v * v
			if math.Log(1-src.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
				return d * v
			}
		}
	}
	at, first := 0.0, true
	return func() float64 {
		if first {
			first = false
			return 0
		}
		gap := draw()
		if shape < 1 {
			gap *= math.Pow(1-src.Float64(), 1/shape)
		}
		at += gap / shape
		return at
	}
}

// scaleTime divides a time by a speed.
func scaleTime(d time.Duration, speed float64) int64 {
	if speed == 1 {
		return int64(d)
	}
	return int64(float64(d) / speed)
}
