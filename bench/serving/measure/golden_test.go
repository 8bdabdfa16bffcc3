package measure_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/golden"

	"github.com/plumbline-ml/plumbline/bench/serving/measure"
	"github.com/plumbline-ml/plumbline/bench/serving/measure/measuretest"
)

// beyond are fields of ours that the cases do not have.
var beyond = []string{"/tokens_per_event", "/user/p1", "/user/p1_linear", "/user/p50_failed", "/user/p90_failed",
	"/user/p95_failed", "/user/p97_failed", "/user/p99_failed", "/user/p99.9_failed", "/user/p1_failed"}

// TestGoldenFigures compares figures with those that an independent program made of the same records.
func TestGoldenFigures(t *testing.T) {
	golden.Each(t, "serving/events/*.json", func(t *testing.T, path string) {
		c := measuretest.Read(t, path)
		text, err := json.Marshal(measure.Of(c.Records(), c.Measure()))
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

// sameAgain reads figures and writes them again.
func sameAgain(t *testing.T, text []byte) {
	t.Helper()
	var f measure.Figures
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(f); err != nil || !bytes.Equal(again, text) {
		t.Errorf("read and written again: %v\n%s\nwas\n%s", err, again, text)
	}
}

// differences are those of two values of JSON; a number may be off by 1e-9. What is null may be absent.
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
