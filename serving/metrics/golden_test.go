package metrics_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"

	"github.com/plumbline-ml/plumbline/internal/testkit/servingtest"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// beyond contains our fields that the cases do not contain.
var beyond = []string{"/tokens_per_event", "/user/p1", "/user/p1_linear", "/user/p50_failed", "/user/p90_failed",
	"/user/p95_failed", "/user/p97_failed", "/user/p99_failed", "/user/p99.9_failed", "/user/p1_failed"}

// TestGoldenFigures compares figures with those that an independent program computed from the same records.
func TestGoldenFigures(t *testing.T) {
	golden.Each(t, "serving/events/*.json", func(t *testing.T, path string) {
		c := servingtest.ReadCase(t, path)
		text, err := json.Marshal(metrics.ComputeFigures(c.Records(), c.FigureRules()))
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		for _, d := range differences("", got, c.Expect) {
			t.Error(d)
		}
		sameAgain(t, text)
	})
}

// TestGoldenOthers compares figures with those that other tools compute from the same records. If a tool defines a
// figure in the same way, the values are equal in every case with an answer and without a window.
func TestGoldenOthers(t *testing.T) {
	folder := filepath.Join(golden.Root(t), "serving")
	type series struct{ Mean, P99 *float64 }
	var others struct {
		Cases map[string]struct {
			VLLM     map[string]*float64
			GuideLLM map[string]*float64
			AIPerf   map[string]*series
		}
	}
	golden.ReadJSON(t, filepath.Join(folder, "others.json"), &others)
	compared := 0
	for name, theirs := range others.Cases {
		path := filepath.Join(folder, "events", name+".json")
		if _, err := os.Stat(path); err != nil {
			continue
		}
		c := servingtest.ReadCase(t, path)
		rules := c.FigureRules()
		f := metrics.ComputeFigures(c.Records(), rules)
		if f.TTFT.N == 0 || rules.Window != nil {
			continue
		}
		compared++
		same := func(what string, theirs *float64, unit, ours float64) {
			if theirs == nil || math.Abs(*theirs*unit-ours) > 1e-6*math.Abs(ours) {
				t.Errorf("%s: %s is %v of theirs, %v of ours", name, what, theirs, ours)
			}
		}
		linear := func(d metrics.Distribution) float64 {
			p, _ := d.PercentileAt(0.99)
			return p.Linear
		}
		const ms = 1e6
		same("vLLM's p99 TTFT", theirs.VLLM["ttft_p99_ms"], ms, linear(f.TTFTSent))
		same("vLLM's p99 E2E", theirs.VLLM["e2e_p99_ms"], ms, linear(f.E2ESent))
		same("vLLM's p99 ITL", theirs.VLLM["itl_p99_ms"], ms, linear(f.Gap))
		same("GuideLLM's mean TTFT", theirs.GuideLLM["ttft_mean_ms"], ms, f.TTFTSent.Mean)
		same("AIPerf's p99 TTFT", theirs.AIPerf["ttft_ns"].P99, 1, linear(f.TTFTSent))
		same("AIPerf's mean TTFT", theirs.AIPerf["ttft_ns"].Mean, 1, f.TTFTSent.Mean)
		same("AIPerf's p99 E2E", theirs.AIPerf["e2e_ns"].P99, 1, linear(f.E2ESent))
	}
	if t.Logf("%d cases compared", compared); compared == 0 {
		t.Error("no case was compared")
	}
}

// sameAgain reads figures and writes them again.
func sameAgain(t *testing.T, text []byte) {
	t.Helper()
	var f metrics.Figures
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(f); err != nil || !bytes.Equal(again, text) {
		t.Errorf("read and written again: %v\n%s\nwas\n%s", err, again, text)
	}
}

// differences returns the differences of two JSON values. Numbers may differ by 1e-9, and null values may be absent.
func differences(path string, got, want any) []string {
	g, isObject := got.(map[string]any)
	if w, ok := want.(map[string]any); ok && isObject {
		var all []string
		for name := range w {
			if _, there := g[name]; there || w[name] != nil {
				all = append(all, differences(path+"/"+name, g[name], w[name])...)
			}
		}
		for name := range g {
			if _, there := w[name]; !there && !slices.Contains(beyond, path+"/"+name) {
				all = append(all, fmt.Sprintf("%s/%s: %v, want nothing", path, name, g[name]))
			}
		}
		return all
	}
	a, number := got.(float64)
	if b, ok := want.(float64); ok && number {
		if b == math.Trunc(b) && !strings.HasSuffix(path, "_linear") && !strings.HasSuffix(path, "mean") {
			if a != b && !(a != math.Trunc(a) && close(a, b)) {
				return []string{fmt.Sprintf("%s: %v, want %v", path, a, b)}
			}
			return nil
		}
		if !close(a, b) {
			return []string{fmt.Sprintf("%s: %v, want %v", path, a, b)}
		}
		return nil
	}
	if got != want {
		return []string{fmt.Sprintf("%s: %v, want %v", path, got, want)}
	}
	return nil
}

func close(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }
