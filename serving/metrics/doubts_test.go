package metrics_test

import (
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// TestClientLimited checks each of the three reasons why the client is the limit.
func TestClientLimited(t *testing.T) {
	// With a TTFT of 200 ms, up to 5 ms of waiting do not affect the server's figures.
	served := func(queue, ttft int64) *metrics.Figures {
		var all []metrics.Request
		for i := range int64(200) {
			r := answer(i*1e9, i*1e9+ttft, i*1e9+1e9)
			r.Sent += queue
			all = append(all, r)
		}
		return metrics.ComputeFigures(all, metrics.FigureRules{})
	}
	for _, c := range []struct {
		name   string
		client metrics.ClientLoad
		f      *metrics.Figures
		want   string
	}{
		{"idle", metrics.ClientLoad{CPU: 0.8}, served(0, 200e6), ""},
		{"busy", metrics.ClientLoad{CPU: 0.81}, served(0, 200e6), "81 % of its processors' time"},
		{"5 ms", metrics.ClientLoad{}, served(5e6, 200e6), ""},
		{"6 ms", metrics.ClientLoad{}, served(6e6, 200e6), "6 ms late, want at most 5 ms"},
		{"2 ms", metrics.ClientLoad{}, served(2e6, 20e6), "2 ms late, want at most 1 ms, 5 %"},
		{"70 us", metrics.ClientLoad{Users: 1}, served(7e4, 600e3), ""},
		{"0.9 ms", metrics.ClientLoad{}, served(9e5, 2e6), ""},
		{"1.1 ms", metrics.ClientLoad{}, served(11e5, 2e6), "1.1 ms late, want at most 1 ms"},
		{"capped", metrics.ClientLoad{Capped: true}, served(6e6, 200e6), ""},
		{"one user", metrics.ClientLoad{Users: 1}, served(0, 200e6), ""},
		{"two users", metrics.ClientLoad{Users: 2}, served(0, 200e6), "1 requests of 2 users"},
	} {
		got := strings.Join(c.client.LimitReasons(c.f), "; ")
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestNotes(t *testing.T) {
	abouts := func(f *metrics.Figures, shared bool) string {
		var all []string
		for _, n := range f.Notes(shared) {
			all = append(all, n.About)
			if n.Text == "" {
				t.Errorf("nothing is said about %s", n.About)
			}
		}
		return strings.Join(all, ",")
	}
	many := func(n int, change func(i int, r *metrics.Request)) *metrics.Figures {
		var all []metrics.Request
		for i := range n {
			r := answer(0, 1e6, 2e6, 3e6)
			r.Usage.Prompt, r.Usage.Cached = 100, 0
			change(i, &r)
			all = append(all, r)
		}
		return metrics.ComputeFigures(all, metrics.FigureRules{Tokenizer: true})
	}
	bundled := func(from int) func(i int, r *metrics.Request) {
		return func(i int, r *metrics.Request) {
			if i >= from {
				r.Events.Reset()
				r.Events.Add(metrics.StreamEvent{At: 1e6, Kind: metrics.Content, Text: true, IDs: 3})
			}
		}
	}
	whole := func(counted int64) func(i int, r *metrics.Request) {
		return func(i int, r *metrics.Request) {
			r.Events.Reset()
			r.Events.Add(metrics.StreamEvent{At: 1e6, Kind: metrics.Content, Text: true})
			r.Events.Add(metrics.StreamEvent{At: 2e6, Kind: metrics.Content, Text: true})
			r.Retokenized = counted
		}
	}
	for _, c := range []struct {
		name   string
		f      *metrics.Figures
		shared bool
		want   string
	}{
		{"nothing", many(100, func(int, *metrics.Request) {}), false, ""},
		{"99 of 100 stream", many(100, bundled(99)), false, "bundled"},
		{"999 of 1000 stream", many(1000, bundled(999)), false, ""},
		{"2 % cached", many(100, func(_ int, r *metrics.Request) { r.Usage.Cached = 2 }), false, "cached"},
		{"2 % cached of a shared beginning", many(100, func(_ int, r *metrics.Request) { r.Usage.Cached = 2 }), true, ""},
		{"1 % cached", many(100, func(_ int, r *metrics.Request) { r.Usage.Cached = 1 }), false, ""},
		{"102 for 100", many(100, func(_ int, r *metrics.Request) { r.AskedIn, r.Usage.Prompt = 100, 102 }), false,
			"lengths"},
		{"99 for 100", many(100, func(_ int, r *metrics.Request) { r.AskedIn, r.Usage.Prompt = 100, 99 }), false, ""},
		{"3 for 4", many(100, func(_ int, r *metrics.Request) { r.AskedOut = 4 }), false, "lengths"},
		{"99 answers", many(99, func(int, *metrics.Request) {}), false, "few requests"},
		{"uncounted", many(100, whole(metrics.Unknown)), false, "uncounted"},
		{"estimated", many(100, whole(7)), false, "estimated"},
		{"no request", many(0, whole(7)), false, ""},
	} {
		if got := abouts(c.f, c.shared); got != c.want {
			t.Errorf("%s: notes on %q, want %q", c.name, got, c.want)
		}
	}
	few := many(5, func(int, *metrics.Request) {}).Notes(false)
	if len(few) != 1 || !strings.Contains(few[0].Text, "5 answers of 5 requests: too few for p90, p99") {
		t.Errorf("%v", few)
	}
}

func TestRatesThatAreThere(t *testing.T) {
	f := metrics.ComputeFigures([]metrics.Request{answer(0, 1e6, 11e6, 21e6)}, metrics.FigureRules{})
	if u, n := f.UserRate(), f.CountedTokensPerSec(); u == nil || *u != 100 || n == nil || *n != *f.TokensPerSec {
		t.Errorf("user %v, tokens %v", u, n)
	}
	f = metrics.ComputeFigures([]metrics.Request{failed(0, 1e9)}, metrics.FigureRules{})
	if f.UserRate() != nil || f.CountedTokensPerSec() != nil || *f.TokensPerSec != 0 {
		t.Errorf("user %v, tokens %v of a refusal", f.UserRate(), f.CountedTokensPerSec())
	}
}
