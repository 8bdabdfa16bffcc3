package loadgen_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

func tokenSettings(scenario loadgen.Scenario, mode loadgen.Mode) loadgen.TestSettings {
	s := quick(scenario, mode)
	s.UseTokenLatencies = true
	return s
}

// speaking answers with its first token after ttft and another one every tpot.
func speaking(clock *loadgentest.Clock, ttft, tpot time.Duration,
	tokens func(loadgen.QuerySample) int64) *loadgentest.Script {
	return &loadgentest.Script{
		Clock: clock, Tokens: tokens,
		FirstToken: func(loadgen.QuerySample) time.Duration { return ttft },
		Latency: func(s loadgen.QuerySample) time.Duration {
			return ttft + tpot*time.Duration(tokens(s)-1)
		},
	}
}

func runTokens(t *testing.T, s loadgen.TestSettings, ttft, tpot time.Duration,
	tokens func(loadgen.QuerySample) int64) *loadgen.Result {
	t.Helper()
	clock := &loadgentest.Clock{}
	r, err := loadgen.StartTest(loadgentest.WithClock(t.Context(), clock), speaking(clock, ttft, tpot, tokens),
		loadgentest.QSL{Total: 100, Performance: 30}, s, loadgen.LogSettings{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func tenTokens(loadgen.QuerySample) int64 { return 10 }

func TestTokenTimes(t *testing.T) {
	for _, scenario := range []loadgen.Scenario{loadgen.SingleStream, loadgen.MultiStream, loadgen.Server} {
		t.Run(scenario.String(), func(t *testing.T) {
			s := tokenSettings(scenario, loadgen.PerformanceOnly)
			s.ServerTargetQPS = 100
			r := runTokens(t, s, 20*time.Millisecond, 3*time.Millisecond, tenTokens)
			k := r.Tokens
			if k == nil || k.Count != 10*r.SampleCount || r.Verdict != loadgen.Valid {
				t.Fatalf("tokens %+v, verdict %s %v", k, r.Verdict, r.Reasons)
			}
			for name, of := range map[string]struct {
				loadgen.TokenLatency
				want time.Duration
			}{"TTFT": {k.TTFT, 20 * time.Millisecond}, "TPOT": {k.TPOT, 3 * time.Millisecond}} {
				l := of.Latency
				if l.N != int(r.SampleCount) || l.Min != of.want || l.Max != of.want || l.Mean != of.want ||
					of.Target.Latency != of.want {
					t.Errorf("%s %+v, target %+v, want %v of all samples", name, l, of.Target, of.want)
				}
			}
			if rate := float64(k.Count) / r.Duration.Seconds(); k.PerSec != rate || k.WithOverhead <= rate {
				t.Errorf("%v tokens/s, %v with overhead, want %v and more", k.PerSec, k.WithOverhead, rate)
			}
		})
	}
}

func TestOfflineTokens(t *testing.T) {
	clock := &loadgentest.Clock{}
	sut := &loadgentest.Script{Clock: clock, Tokens: tenTokens,
		Latency: func(s loadgen.QuerySample) time.Duration { return time.Second }}
	r, err := loadgen.StartTest(loadgentest.WithClock(t.Context(), clock), sut, loadgentest.QSL{Total: 100},
		tokenSettings(loadgen.Offline, loadgen.PerformanceOnly), loadgen.LogSettings{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Tokens.PerSec != 7000 || r.Metric != 7000 || r.MetricUnit != "tokens/s" || r.Verdict != loadgen.Valid {
		t.Errorf("%v tokens/s, metric %v %s, verdict %s", r.Tokens.PerSec, r.Metric, r.MetricUnit, r.Verdict)
	}
}

func TestServerTokenLimits(t *testing.T) {
	for _, c := range []struct {
		name       string
		ttft, tpot time.Duration
		rules      []string
		texts      string
	}{
		{"met", 50, 50, nil, ""},
		{"ttft", 1, 50, []string{"ttft", "early_stopping"}, "TTFT constrain not met: Reduce target QPS to improve latency. "},
		{"tpot", 50, 1, []string{"tpot", "early_stopping"}, "TPOT constrain not met: Reduce target QPS to improve latency. "},
		{"both", 1, 1, []string{"ttft", "tpot", "early_stopping"},
			"TTFT constrain not met: Reduce target QPS to improve latency.  * TPOT constrain not met: Reduce target QPS to " +
				"improve latency. "},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := tokenSettings(loadgen.Server, loadgen.PerformanceOnly)
			s.ServerTTFTLatency, s.ServerTPOTLatency = c.ttft*time.Millisecond, c.tpot*time.Millisecond
			r := runTokens(t, s, 20*time.Millisecond, 3*time.Millisecond, tenTokens)
			var rules []string
			for _, reason := range r.Reasons {
				rules = append(rules, reason.Rule)
			}
			if !slices.Equal(rules, c.rules) || r.PerformanceConstraintsMet != (c.rules == nil) {
				t.Errorf("reasons %+v, want %v", r.Reasons, c.rules)
			}
			// TTFT is evaluated only if TPOT passes.
			if evaluated := r.Tokens.TTFT.EarlyStopping.Text != ""; evaluated != r.Tokens.TPOT.EarlyStopping.Met {
				t.Errorf("early stopping of TTFT %q, of TPOT %q",
					r.Tokens.TTFT.EarlyStopping.Text, r.Tokens.TPOT.EarlyStopping.Text)
			}
		})
	}
}

func TestInferredTokens(t *testing.T) {
	for _, scenario := range loadgen.Scenarios() {
		s := quick(scenario, loadgen.PerformanceOnly)
		s.InferTokenLatencies, s.TokenLatencyScalingFactor = true, 69
		clock := &loadgentest.Clock{}
		sut := &loadgentest.Script{Clock: clock, Latency: func(loadgen.QuerySample) time.Duration { return time.Millisecond }}
		r, err := loadgen.StartTest(loadgentest.WithClock(t.Context(), clock), sut, loadgentest.QSL{Total: 10}, s,
			loadgen.LogSettings{})
		if err != nil {
			t.Fatal(err)
		}
		want := 69 * (r.CompletedSamplesPerSec + r.SamplesPerSec)
		if scenario == loadgen.SingleStream || scenario == loadgen.MultiStream {
			want = 0
		}
		if r.InferredTokensPerSec != want || r.Tokens != nil {
			t.Errorf("%v: %v inferred tokens/s, want %v", scenario, r.InferredTokensPerSec, want)
		}
	}
}

// The accuracy log contains the first token's bytes, the answer and its number of tokens for each logged sample.
func TestTokensInTheAccuracyLog(t *testing.T) {
	for _, scenario := range loadgen.Scenarios() {
		s := tokenSettings(scenario, loadgen.SubmissionRun)
		s.AccuracyLogProbability = 0.5
		dir := t.TempDir()
		sut := &loadgentest.NullSUT{Data: []byte{0xAB}, Tokens: 7}
		r, err := loadgen.StartTest(t.Context(), sut, loadgentest.QSL{Total: 50}, s, loadgen.LogSettings{OutDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, "mlperf_log_accuracy.json"))
		if err != nil {
			t.Fatal(err)
		}
		entry := `"data" : "AB", "token_data" : "AB", "token_count" : 7 }`
		if scenario == loadgen.Offline {
			entry = `"data" : "AB", "token_count" : 7 }`
		}
		if n := strings.Count(string(text), entry); n != int(r.AccuracySampleCount) || n < 200 {
			t.Errorf("%v: %d of %d entries end in %s", scenario, n, r.AccuracySampleCount, entry)
		}
	}
}

// tokenFault is a SUT that answers correctly except for one sample.
type tokenFault struct {
	loadgentest.NullSUT
	do func(r loadgen.Responder, s loadgen.QuerySample)
}

// IssueQuery answers all samples correctly except that with id 2.
func (f *tokenFault) IssueQuery(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
	for _, s := range q.Samples {
		if s.ID == 2 {
			f.do(r, s)
		} else if err := f.NullSUT.IssueQuery(ctx, loadgen.Query{Samples: []loadgen.QuerySample{s}}, r); err != nil {
			return err
		}
	}
	return nil
}

func TestTokenFaultsEndTheTest(t *testing.T) {
	one := func(s loadgen.QuerySample, tokens int64) []loadgen.QuerySampleResponse {
		return []loadgen.QuerySampleResponse{{ID: s.ID, NTokens: tokens}}
	}
	for _, c := range []struct {
		name    string
		do      func(r loadgen.Responder, s loadgen.QuerySample)
		says    string
		offline bool // also a fault in Offline
	}{
		{"no tokens", func(r loadgen.Responder, s loadgen.QuerySample) {
			r.FirstTokenComplete(one(s, 0))
			r.QuerySamplesComplete(one(s, 0))
		}, "NTokens = 0", true},
		{"one token", func(r loadgen.Responder, s loadgen.QuerySample) {
			r.FirstTokenComplete(one(s, 0))
			r.QuerySamplesComplete(one(s, 1))
		}, "NTokens = 1, want 2 to", true},
		{"negative", func(r loadgen.Responder, s loadgen.QuerySample) {
			r.FirstTokenComplete(one(s, 0))
			r.QuerySamplesComplete(one(s, -5))
		}, "NTokens = -5", true},
		{"too many", func(r loadgen.Responder, s loadgen.QuerySample) {
			r.FirstTokenComplete(one(s, 0))
			r.QuerySamplesComplete(one(s, 1<<40))
		}, "NTokens = 1099511627776", true},
		{"no first token", func(r loadgen.Responder, s loadgen.QuerySample) { r.QuerySamplesComplete(one(s, 5)) },
			"without reporting its first token", false},
		{"first token twice", func(r loadgen.Responder, s loadgen.QuerySample) {
			r.FirstTokenComplete(one(s, 0))
			r.FirstTokenComplete(one(s, 0))
			r.QuerySamplesComplete(one(s, 5))
		}, "the first token of response id 2 (sample", false},
		{"first token late", func(r loadgen.Responder, s loadgen.QuerySample) {
			r.FirstTokenComplete(one(s, 0))
			r.QuerySamplesComplete(one(s, 5))
			r.FirstTokenComplete(one(s, 0))
		}, "after its answer", false},
		{"first token of none", func(r loadgen.Responder, s loadgen.QuerySample) {
			r.FirstTokenComplete(one(loadgen.QuerySample{ID: 4000}, 0))
			r.FirstTokenComplete(one(s, 0))
			r.QuerySamplesComplete(one(s, 5))
		}, "response id 4000, which was not issued", false},
	} {
		for _, scenario := range loadgen.Scenarios() {
			t.Run(fmt.Sprintf("%s/%v", c.name, scenario), func(t *testing.T) {
				sut := &tokenFault{NullSUT: loadgentest.NullSUT{Tokens: 3}, do: c.do}
				s := tokenSettings(scenario, loadgen.PerformanceOnly)
				if scenario == loadgen.Offline && !c.offline {
					if _, err := loadgen.StartTest(t.Context(), sut, loadgentest.QSL{Total: 10}, s,
						loadgen.LogSettings{}); err != nil {
						t.Error(err)
					}
					return
				}
				aborted(t, t.Context(), sut, loadgentest.QSL{Total: 10}, s, loadgen.ErrProtocol, c.says)
			})
		}
	}
}

func TestTokenSettings(t *testing.T) {
	for name, change := range map[string]func(*loadgen.TestSettings){
		"ttft_latency":                 func(s *loadgen.TestSettings) { s.ServerTTFTLatency = 0 },
		"tpot_latency":                 func(s *loadgen.TestSettings) { s.ServerTPOTLatency = -1 },
		"token_latency_scaling_factor": func(s *loadgen.TestSettings) { s.InferTokenLatencies = true },
	} {
		s := tokenSettings(loadgen.Server, loadgen.PerformanceOnly)
		change(&s)
		_, err := loadgen.StartTest(t.Context(), &loadgentest.NullSUT{Tokens: 2}, loadgentest.QSL{Total: 10}, s,
			loadgen.LogSettings{})
		if !errors.Is(err, loadgen.ErrBadSettings) || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want one about %s", err, name)
		}
	}
}
