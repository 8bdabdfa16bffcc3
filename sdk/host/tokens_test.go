package host_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"
	"github.com/plumbline-ml/plumbline/sdk/internal/testkit/tokens"
)

// tokenSettings returns settings with token latencies.
func tokenSettings(s loadgen.Scenario) loadgen.TestSettings {
	t := settings(s)
	t.UseTokenLatencies = true
	t.ServerTTFTLatency, t.ServerTPOTLatency = 2*time.Second, 200*time.Millisecond
	t.ServerTargetQPS, t.OfflineExpectedQPS = 500, 1000
	return t
}

// generate runs a test with token latencies.
func generate(
	t *testing.T, p *host.Plugin, o sdk.Options, l loadgen.LogSettings, change func(*loadgen.TestSettings),
) (*loadgen.Result, error) {
	t.Helper()
	ctx, cancel := p.Context(t.Context())
	defer cancel()
	w, err := p.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	s := tokenSettings(o.Scenario)
	if change != nil {
		change(&s)
	}
	r, err := loadgen.StartTest(ctx, w.SUT(), w.QSL(), s, l)
	return r, errors.Join(err, w.Close())
}

func TestTokenLatencies(t *testing.T) {
	p := launch(t, tokensEnv+"=1")
	const first, delay = 4 * time.Millisecond, time.Millisecond
	for _, s := range loadgen.Scenarios() {
		t.Run(s.String(), func(t *testing.T) {
			o := sdk.Options{Scenario: s, Count: 100, BackendOptions: map[string]string{"first": first.String(),
				"delay": delay.String()}}
			r, err := generate(t, p, o, loadgen.LogSettings{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			n := r.SampleCount
			if c := r.Tokens.Count; c < n*tokens.MinTokens || c > n*(tokens.MinTokens+tokens.VaryTokens-1) {
				t.Errorf("%d tokens for %d samples", c, n)
			}
			if s == loadgen.Offline {
				return
			}
			if got := r.Tokens.TTFT.Latency.Min; got < first {
				t.Errorf("shortest time to the first token %v, want %v or more", got, first)
			}
			if got := r.Tokens.TPOT.Latency; uint64(got.N) != n || got.Max <= 0 {
				t.Errorf("times per token %+v of %d samples", got, n)
			}
		})
	}
}

func TestTokensInTheAccuracyLog(t *testing.T) {
	p := launch(t, tokensEnv+"=1")
	const count = 50
	for _, s := range []loadgen.Scenario{loadgen.Server, loadgen.Offline} {
		t.Run(s.String(), func(t *testing.T) {
			dir := t.TempDir()
			_, err := generate(t, p, sdk.Options{Scenario: s, Count: count}, loadgen.LogSettings{OutDir: dir},
				func(s *loadgen.TestSettings) { s.Mode = loadgen.AccuracyOnly })
			if err != nil {
				t.Fatal(err)
			}
			scorer, err := p.OpenScorer(t.Context(), sdk.ScoreOptions{Count: count})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range accuracyLog(t, dir) {
				if err := scorer.Add(e); err != nil {
					t.Fatal(err)
				}
				if n := tokens.Count(int(e.QSLIndex)); e.TokenCount != int64(n) {
					t.Errorf("sample %d: %d tokens, want %d", e.QSLIndex, e.TokenCount, n)
				}
				if want := e.Data[:4]; s == loadgen.Server && string(e.TokenData) != string(want) {
					t.Errorf("sample %d: first token % x, want % x", e.QSLIndex, e.TokenData, want)
				}
			}
			score, err := scorer.Result()
			if err != nil || score.Samples != count || score.Metrics[0].Value != 100 {
				t.Errorf("%+v, error %v", score, err)
			}
		})
	}
}

// accuracyLog reads the accuracy log of a run.
func accuracyLog(t *testing.T, dir string) []mllog.AccuracyEntry {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "mlperf_log_accuracy.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []mllog.AccuracyEntry
	for reader := mllog.NewAccuracyReader(f); ; {
		e, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		e.Data, e.TokenData = append([]byte(nil), e.Data...), append([]byte(nil), e.TokenData...)
		all = append(all, e)
	}
}

func TestAGeneratorWithoutTokenLatencies(t *testing.T) {
	p := launch(t, tokensEnv+"=1")
	r, err := generate(t, p, sdk.Options{Scenario: loadgen.Server, Count: 50}, loadgen.LogSettings{},
		func(s *loadgen.TestSettings) { s.UseTokenLatencies = false })
	if err != nil || r.Tokens != nil {
		t.Errorf("tokens %v, error %v", r.Tokens, err)
	}
}

// Prompts above the user's limit wait, and the number of concurrent prompts never exceeds it. The generator counts
// them.
func TestPromptsWait(t *testing.T) {
	p := launch(t, tokensEnv+"=1")
	o := sdk.Options{Scenario: loadgen.Offline, Sessions: 3, Count: 64, BackendOptions: map[string]string{"delay": "1ms"}}
	if _, err := generate(t, p, o, loadgen.LogSettings{}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := generate(t, p, sdk.Options{BackendOptions: map[string]string{"dealy": "1ms"}}, loadgen.LogSettings{},
		nil); !errors.Is(err, sdk.ErrUsage) {
		t.Errorf("error %v, want one of class sdk.ErrUsage", err)
	}
}

// long changes settings to those of a run that a fault ends: see untilFault.
func long(s *loadgen.TestSettings) { s.MinDuration = time.Minute }

func TestWrongTokensAreLoadGensToReport(t *testing.T) {
	for fault, part := range map[string]string{
		"tokens-raw": "", "tokens-first-twice": "first token of response id", "tokens-no-first": "without reporting its " +
			"first token",
		"tokens-no-count": "NTokens = 0", "tokens-unknown": "was not issued", "twice": "NTokens = 0",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			p, err := launchFaulty(t, fault)
			if err != nil {
				t.Fatal(err)
			}
			if part == "" {
				if _, err = generate(t, p, sdk.Options{Scenario: loadgen.Server}, loadgen.LogSettings{}, nil); err != nil {
					t.Error(err)
				}
				return
			}
			_, err = generate(t, p, sdk.Options{Scenario: loadgen.Server}, loadgen.LogSettings{}, long)
			if !errors.Is(err, loadgen.ErrProtocol) || !strings.Contains(err.Error(), part) {
				t.Errorf("error %v, want LoadGen's, which says %q", err, part)
			}
		})
	}
	t.Run("tokens-ragged", func(t *testing.T) {
		t.Parallel()
		p, err := launchFaulty(t, "tokens-ragged")
		if err != nil {
			t.Fatal(err)
		}
		_, err = generate(t, p, sdk.Options{Scenario: loadgen.Server}, loadgen.LogSettings{}, long)
		wantFailure(t, err, host.KindProtocol, "bytes, want a multiple of 4")
	})
}
