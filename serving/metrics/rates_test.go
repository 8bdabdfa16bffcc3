package metrics_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// TestRatesAgree checks that in any window of a closed loop, requests per second times tokens per answer equal tokens
// per second, and that goodput does not exceed requests per second, for 2 to 64 users without think time.
func TestRatesAgree(t *testing.T) {
	for _, users := range []int64{2, 3, 16, 64} {
		for waves := int64(2); waves <= 12; waves += 5 {
			var all []metrics.Request
			took := int64(200e6)
			for u := range users {
				at := u * took / users / 3 // users do not start at once
				for range waves {
					r := answer(at)
					for k := range int64(32) {
						r.End = at + 45e6 + k*5e6
						r.Events.Add(metrics.StreamEvent{At: r.End, Kind: metrics.Content, Text: true, IDs: 1})
					}
					all, at = append(all, r), r.End
				}
			}
			window := &metrics.Window{From: took / 3, To: took*(waves-1) + took/7}
			f := metrics.ComputeFigures(all, metrics.FigureRules{Window: window, Shares: true,
				Limits: metrics.RequestLimits{metrics.TTFT: 50e6}})
			requests, tokens := *f.RequestsPerSec, *f.TokensPerSec
			if math.Abs(requests*32-tokens) > 1e-9*tokens || *f.Goodput > requests*(1+1e-9) {
				t.Errorf("%d users, %d waves: %v requests/s of 32 tokens, %v tokens/s, %v good ones", users, waves, requests,
					tokens, *f.Goodput)
			}
			if waves < 3 && users < 10 && f.RoughReason(len(all)) == "" {
				t.Errorf("%d users, %d waves: nothing says that rates are rough", users, waves)
			}
		}
	}
}

// TestRatesOfFew checks that the rate of a few requests does not exceed the rate of sending, and that a note states
// that rates are rough.
func TestRatesOfFew(t *testing.T) {
	for n := int64(1); n <= 40; n++ {
		for _, rate := range []float64{0.0156, 1, 50} {
			var all []metrics.Request
			for i := range n { // all arrive in the first half of their time
				due := int64(float64(i) / rate / 2 * 1e9)
				all = append(all, answer(due, due+10e6, due+15e6))
			}
			least := int64(float64(n) / rate * 1e9)
			f := metrics.ComputeFigures(all, metrics.FigureRules{OpenLoop: true, Least: least})
			if got := *f.RequestsPerSec; got > rate*(1+1e-9) || math.Abs(*f.TokensPerSec-2*got) > 1e-9*got {
				t.Errorf("%d requests at %v/s: %v requests/s, %v tokens/s", n, rate, got, *f.TokensPerSec)
			}
			if rough := f.RoughReason(int(n)) != ""; rough != (n < 30) {
				t.Errorf("%d requests: rough is %v", n, rough)
			}
		}
	}
}

// TestNoRates checks that rates without answers are not called rough.
func TestNoRates(t *testing.T) {
	for n := range 3 {
		var all []metrics.Request
		for i := range n {
			all = append(all, failed(int64(i), 100))
		}
		if rough := metrics.ComputeFigures(all, metrics.FigureRules{}).RoughReason(n); rough != "" {
			t.Errorf("%d failed requests: %s", n, rough)
		}
	}
}

// TestAtOnce checks that answers whose tokens arrived at once have no TPOT, no gaps and no user speed, with any number
// of events, and that other answers have them, even after a long prompt.
func TestAtOnce(t *testing.T) {
	const ms = 1e6
	for _, c := range []struct {
		name    string
		at      []int64
		bundled bool
	}{
		{"16 events", []int64{900 * ms, 900 * ms, 900 * ms, 900 * ms}, true},
		{"two", []int64{900 * ms, 900 * ms}, true},
		{"one token", []int64{900 * ms}, false},
		{"apart by a nanosecond", []int64{900 * ms, 900*ms + 1}, false},
		{"few quick tokens behind a long prompt", []int64{60_000 * ms, 60_000*ms + 2000, 60_000*ms + 4000}, false},
		{"the first alone", []int64{20 * ms, 900 * ms, 900 * ms}, false},
		{"the last alone", []int64{20 * ms, 20 * ms, 900 * ms}, false},
	} {
		r := answer(0, c.at...)
		m := metrics.MeasureRequest(&r, metrics.FigureRules{Untimed: true})
		_, tpot := m.Value(metrics.TPOT)
		_, stall := m.Value(metrics.Stall)
		several := len(c.at) > 1
		if m.IsBundled() != c.bundled || tpot != (several && !c.bundled) || stall != tpot || (m.TokenGaps() > 0) != tpot {
			t.Errorf("%s: bundled %v, TPOT %v, %d gaps", c.name, m.IsBundled(), tpot, m.TokenGaps())
		}
		if good := m.WithinLimits(metrics.RequestLimits{metrics.TPOT: 900 * ms}); good == c.bundled {
			t.Errorf("%s: within 900 ms of TPOT: %v", c.name, good)
		}
		f := metrics.ComputeFigures([]metrics.Request{r}, metrics.FigureRules{Untimed: true})
		if said := strings.Contains(fmt.Sprint(f.Notes(false)), "at once"); said != c.bundled {
			t.Errorf("%s: said %v: %v", c.name, said, f.Notes(false))
		}
	}
}
