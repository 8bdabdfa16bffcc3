package settings

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

const ms = time.Millisecond

// TestServerKeepsItsLimitAtTheRateOfOneStream runs Server with a single-server queue on virtual time, at the rate
// derived from one stream's measurements. If the limit is at least twice the time of a sample, the run is VALID at any
// speed of the machine.
func TestServerKeepsItsLimitAtTheRateOfOneStream(t *testing.T) {
	for _, takes := range []time.Duration{10 * ms / 10, 15 * ms / 10, 2 * ms, 3 * ms, 5 * ms, 7 * ms} {
		t.Run(takes.String(), func(t *testing.T) {
			r := request(Smoke)
			r.Model.Smoke[1].Value = "1000" // a rate at which 1 ms per sample is an overload
			s := load(t, r)
			s.MinQueryCount = 1000
			text, err := s.UseStream(Alone{Mean: takes, Latency: takes})
			if err != nil || text == "" || s.ServerTargetQPS >= 1000 {
				t.Fatalf("%v, %q, target_qps %v", err, text, s.ServerTargetQPS)
			}
			res := queued(t, s, takes)
			if res.Verdict != loadgen.Valid {
				t.Errorf("%s: %v: %v", text, res.Verdict, res.Reasons)
			}
		})
	}
}

// queued runs LoadGen on one server that takes the same time for each sample.
func queued(t *testing.T, s Settings, takes time.Duration) *loadgen.Result {
	clock := &loadgentest.Clock{}
	var free time.Duration
	sut := &loadgentest.Script{Clock: clock, Latency: func(loadgen.QuerySample) time.Duration {
		free = max(free, clock.Now()) + takes
		return free - clock.Now()
	}}
	ctx := loadgentest.WithClock(t.Context(), clock)
	res, err := loadgen.StartTest(ctx, sut, loadgentest.QSL{Total: 1024}, s.TestSettings, loadgen.LogSettings{})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestRateOfOneStream compares rates derived from SingleStream with the limit of 15 ms and the model's own 50
// queries/s.
func TestRateOfOneStream(t *testing.T) {
	for _, c := range []struct {
		name      string
		mean, p99 time.Duration
		want      float64
	}{
		{"quick: the model's own rate", 2 * ms, 3 * ms, 50},
		{"just quick enough", 7 * ms, 8 * ms, 11.9},
		{"half", 3 * ms, 3 * ms, 50},
		{"with slow ones", 3 * ms, 14 * ms, 27.8},
		{"hardly any room", 14 * ms, 15 * ms, 5.95},
		{"beyond the limit", 14 * ms, 16 * ms, 50},
		{"far beyond", 900 * ms, 950 * ms, 50},
		{"not measured", 0, 0, 50},
	} {
		s := load(t, request(Smoke))
		text, err := s.UseStream(Alone{Mean: c.mean, Latency: c.p99})
		if err != nil || s.ServerTargetQPS != c.want {
			t.Errorf("%s: target_qps %v, %v; want %v", c.name, s.ServerTargetQPS, err, c.want)
		}
		origin := origins(s)["target_qps"]
		if changed := c.want != 50; changed != Measured(origin) || changed != strings.Contains(text, fmt.Sprint(c.want)) {
			t.Errorf("%s: origin %q, %q", c.name, origin, text)
		}
		beyond := c.p99 > s.ServerTargetLatency
		if said := s.Beyond(Alone{Latency: c.p99}); (said != "") != beyond {
			t.Errorf("%s: %q", c.name, said)
		}
	}
}

// TestRateOfOneStreamEndsInTime checks that a low rate does not make a smoke run longer than ten minutes.
func TestRateOfOneStreamEndsInTime(t *testing.T) {
	s := load(t, request(Smoke))
	s.MinQueryCount, s.ServerTargetLatency = 6000, time.Hour
	if _, err := s.UseStream(Alone{Mean: time.Minute, Latency: time.Minute}); err != nil ||
		s.ServerTargetQPS != 10 {
		t.Errorf("target_qps %v, %v", s.ServerTargetQPS, err)
	}
}

// TestRateOfOneStreamLeavesWhatIsWritten checks that a user's rate and the rates of other scenarios stay.
func TestRateOfOneStreamLeavesWhatIsWritten(t *testing.T) {
	for name, change := range map[string]func(*Request){
		"user.conf": func(r *Request) { r.UserConf = userConf(t, "*.Server.target_qps = 49\n") },
		"--set":     func(r *Request) { r.Overrides = overrides(t, "target_qps=49") },
		"Offline":   func(r *Request) { r.Scenario = loadgen.Offline },
		"MultiStream": func(r *Request) {
			r.Scenario = loadgen.MultiStream
		},
	} {
		r := request(Smoke)
		change(&r)
		s := load(t, r)
		before := s.TestSettings
		text, err := s.UseStream(Alone{Mean: 9 * ms, Latency: 9 * ms})
		if err != nil || text != "" || s.TestSettings != before {
			t.Errorf("%s: %q, %v, target_qps %v", name, text, err, s.ServerTargetQPS)
		}
	}
}

// TestBeyond checks all latency limits of scenarios.
func TestBeyond(t *testing.T) {
	server := loadgen.TestSettings{Scenario: loadgen.Server, ServerTargetLatency: 10 * ms}
	tokens := loadgen.TestSettings{
		Scenario: loadgen.Server, UseTokenLatencies: true, ServerTTFTLatency: 2 * time.Second, ServerTPOTLatency: 200 * ms,
		ServerTargetLatency: ms,
	}
	interval := loadgen.TestSettings{Scenario: loadgen.MultiStream, MultiStreamArrivalInterval: 50 * ms}
	for _, c := range []struct {
		name string
		s    loadgen.TestSettings
		a    Alone
		says string
	}{
		{"in time", server, Alone{Latency: 10 * ms}, ""},
		{"late", server, Alone{Latency: 11 * ms}, "limit for an answer is 10 ms, and it took 11 ms"},
		{"unknown", server, Alone{}, ""},
		{"an answer of tokens", tokens, Alone{Latency: time.Hour, FirstToken: time.Second, PerToken: 100 * ms}, ""},
		{"a late first token", tokens, Alone{FirstToken: 3 * time.Second}, "a first token is 2000 ms, and it took 3000 ms"},
		{"late tokens", tokens, Alone{FirstToken: ms, PerToken: 250 * ms}, "for a token is 200 ms, and it took 250 ms"},
		{"at an interval", interval, Alone{Latency: 51 * ms}, "MultiStream can hardly be VALID"},
		{"at an interval, in time", interval, Alone{Latency: 49 * ms}, ""},
		{"MultiStream", loadgen.TestSettings{Scenario: loadgen.MultiStream}, Alone{Latency: time.Hour}, ""},
		{"SingleStream", loadgen.TestSettings{Scenario: loadgen.SingleStream}, Alone{Latency: time.Hour}, ""},
		{"Offline", loadgen.TestSettings{Scenario: loadgen.Offline}, Alone{Latency: time.Hour}, ""},
	} {
		var s Settings
		s.TestSettings, c.a.Took = c.s, "it took"
		if got := s.Beyond(c.a); (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
			t.Errorf("%s: %q, want %q", c.name, got, c.says)
		}
	}
}
