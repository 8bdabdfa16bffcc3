package record

import (
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/bench/serving/measure"
)

// ModeServing is the mode of a run that measures a server without a benchmark.
const ModeServing = "serving"

// Serving is what was measured of a server of language models without a benchmark, at one load: a point of a sweep.
type Serving struct {
	Load ServingLoad `json:"load"`
	// Label says what the load is where LoadGen has no scenario for it: "no LoadGen scenario: closed loop". Sentence goes
	// with figures of a closed loop wherever they are shown.
	Label    string `json:"label,omitempty"`
	Sentence string `json:"closed_loop,omitempty"`

	Server ServingServer `json:"server"`
	Asked  ServingAsked  `json:"asked"`

	Figures *measure.Figures `json:"figures"`
	// Ended is what ended the point: "requests", "duration", "errors", "interrupt".
	Ended string `json:"ended,omitempty"`
	// Holds says whether the point keeps all objectives; absent where there are none.
	Holds *bool `json:"holds,omitempty"`
	// Flags are doubts about the point and limits that it misses, a phrase each: "client-limited", "not stationary",
	// "misses p99 ttft < 500ms".
	Flags []string `json:"flags"`
}

// ServingLoad is the load of a point.
type ServingLoad struct {
	By    string  `json:"by"`              // users, rate, maximum, replay
	Value float64 `json:"value,omitempty"` // how many users, or requests per second; 0 where the load is no number
	// Arrival is how requests of a rate follow each other; Think how long users think, in seconds; Users how many requests
	// may be under way at most beside a rate.
	Arrival string  `json:"arrival,omitempty"`
	Think   float64 `json:"think_s,omitempty"`
	Cap     int     `json:"at_most,omitempty"`
}

// ServingServer is what a server said of itself.
type ServingServer struct {
	URLs      []string `json:"urls"`
	Kind      string   `json:"kind"` // vllm, sglang, trtllm, llamacpp, openai, other
	Version   string   `json:"version,omitempty"`
	Model     string   `json:"model"`
	MaxLength int      `json:"max_length,omitempty"` // tokens of a prompt and its answer
}

// ServingAsked is what was asked.
type ServingAsked struct {
	API    string `json:"api"`
	Data   string `json:"data,omitempty"` // the file
	ISL    string `json:"isl,omitempty"`  // as it was given
	OSL    string `json:"osl,omitempty"`
	Prefix string `json:"prefix,omitempty"`
	Whole  bool   `json:"not_streamed,omitempty"`
	// Seed is the user's, PointSeed that of the point's prompts and times.
	Seed      uint64 `json:"seed"`
	PointSeed uint64 `json:"point_seed"`
}

// verdict is what is said of a point that came to its end: objectives decide, where there are any.
func (s *Serving) verdict() (string, exitcode.Code) {
	switch {
	case s.Holds == nil:
		return "measured", exitcode.Valid
	case *s.Holds:
		return "HOLDS", exitcode.Valid
	}
	return "MISSES", exitcode.Invalid
}

// nsPerMilli is how many nanoseconds a millisecond has.
const nsPerMilli = 1e6

// serving lists the figures of a server.
func (l *figureList) serving(s *Serving) {
	if s == nil || s.Figures == nil {
		return
	}
	f := s.Figures
	known := func(i metric.Info, v *float64, scale float64) {
		if v != nil {
			l.add(i, *v*scale)
		}
	}
	known(metric.TokensPerSecond, f.TokensPerSec, 1)
	known(metric.RequestsPerSecond, f.RequestsPerSec, 1)
	if median, ok := f.TPOT.At(0.5); ok && median.Value > 0 {
		l.add(metric.User, 1e9/median.Value)
	}
	known(metric.Goodput, f.Goodput, 1)
	known(metric.Attainment, f.Attainment, 100)
	known(metric.TokensPerGPU, f.TokensPerSecPerGPU, 1)
	for _, of := range []struct {
		metric.Times
		d measure.Distribution
	}{
		{metric.TTFT, f.TTFT}, {metric.TTFO, f.TTFO}, {metric.TPOT, f.TPOT}, {metric.E2E, f.E2E}, {metric.Gap, f.Gap},
		{metric.Stall, f.Stall}, {metric.Queueing, f.Queue}, {metric.TTFTSent, f.TTFTSent}, {metric.E2ESent, f.E2ESent},
	} {
		l.distribution(of.Times, of.d)
	}
	if f.Requests > 0 {
		l.add(metric.FailedRequests, 100*float64(f.FailedTotal())/float64(f.Requests))
	}
	known(metric.CachedTokens, f.CachedShare, 100)
	l.add(metric.Requests, float64(f.Requests))
	l.add(metric.Concurrency, f.ConcurrencyMean)
	l.add(metric.ConcurrencyPeak, float64(f.ConcurrencyPeak))
}

// distribution lists the statistics of times in nanoseconds.
func (l *figureList) distribution(of metric.Times, d measure.Distribution) {
	if d.N == 0 {
		return
	}
	l.add(of.Mean(), d.Mean/nsPerMilli)
	for _, p := range d.Percentiles {
		l.add(of.At(p.P), p.Value/nsPerMilli)
	}
	l.add(of.Min(), d.Min/nsPerMilli)
	l.add(of.Max(), d.Max/nsPerMilli)
}
