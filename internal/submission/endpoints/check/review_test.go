package check

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/internal/testkit/madetrees"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// reviewed are the rules and paths of what Review says of a tree.
func reviewed(t *testing.T, tree fstest.MapFS) (all []string) {
	t.Helper()
	c := &submissionChecker{rules: endpoints.NewestRules(), keepsCurves: true}
	if err := c.checkFolder(tree, "org"); err != nil {
		t.Fatal(err)
	}
	for _, r := range ReviewCurves(c.curves) {
		if r.Severity != Warning || r.Section != sectionReview || r.Message == "" {
			t.Errorf("%+v", r)
		}
		all = append(all, r.Rule+" "+r.Path)
	}
	return all
}

// setting is a change of a value.
func setting(file string, value any, at ...any) madetrees.Change {
	text, _ := json.Marshal(value)
	return madetrees.Change{Op: "set", File: file, Path: at, Value: text}
}

// TestReview: each suspicion is one of the trees that were changed for it, and of no other.
func TestReview(t *testing.T) {
	const curve = "results/X200x8/gpt-oss-120b/"
	golden.Each(t, "endpoints/base/dedicated.tar.gz", func(t *testing.T, file string) {
		base := madetrees.Unpack(t, file)
		if all := reviewed(t, base); len(all) < 8 {
			t.Errorf("of a made tree, with one latency at all points: %q", all)
		}
		base = madetrees.ChangedTree(t, base, sound(t, base, curve))
		if all := reviewed(t, base); len(all) > 0 {
			t.Errorf("of a sound tree: %q", all)
		}
		for name, c := range map[string]struct {
			ops  []madetrees.Change
			want []string
		}{
			"throughput falls": {[]madetrees.Change{setting(curve+"r128/result_summary.json", 1e6,
				"output_sequence_lengths", "total")}, []string{"curve-order " + curve + "r128/result_summary.json"}},
			"a user is faster": {[]madetrees.Change{setting(curve+"r512/result_summary.json", 1e6, "tpot", "percentiles", "90")},
				[]string{"curve-order " + curve + "r512/result_summary.json"}},
			"one TTFT": {equalTimes(base, curve), []string{"ttft-of-load " + strings.TrimSuffix(curve, "/")}},
			"warm-up from the set": {[]madetrees.Change{setting(curve+"r24/point.yaml", "100 rows of gpt-oss-120b-perf",
				"warmup",
				"data_source")}, []string{"warmup-source " + curve + "r24/point.yaml"}},
			"the same, salted": {[]madetrees.Change{setting(curve+"r24/point.yaml", "gpt-oss-120b-perf, salted", "warmup",
				"data_source")}, nil},
			"a window up to the end": {[]madetrees.Change{setting(curve+"r24/result_summary.json", 6*4395, "n_samples_issued"),
				setting(curve+"r24/point.yaml", 5, "steady_state", "window", "super_pass_end")},
				[]string{"window-end " + curve + "r24/point.yaml"}},
			"a window with more after it": {[]madetrees.Change{setting(curve+"r24/result_summary.json", 8*4395,
				"n_samples_issued")}, nil},
			"tokens twice": {[]madetrees.Change{setting(curve+"r24/result_summary.json", 13.2e6/5, "tpot", "avg")},
				[]string{"tokens-of-time " + curve + "r24/result_summary.json"}},
			"one letter": {[]madetrees.Change{texts(curve+"r24/results.json", "a")},
				[]string{"tokens-of-text " + curve + "r24/results.json"}},
			"sentences": {[]madetrees.Change{texts(curve+"r24/results.json", strings.Repeat("word ", 90))}, nil},
			"one sample": {[]madetrees.Change{places(curve+"r24/sample_idx_map.json", 1)},
				[]string{"repeated-samples " + curve + "r24/sample_idx_map.json"}},
			"samples in turn": {[]madetrees.Change{places(curve+"r24/sample_idx_map.json", 500)}, nil},
		} {
			got := reviewed(t, madetrees.ChangedTree(t, base, c.ops))
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
		}
	})
}

// sound makes the times of a curve's points those of its tokens, TTFT one of the load, and runs longer than windows.
func sound(t *testing.T, base fstest.MapFS, curve string) (ops []madetrees.Change) {
	t.Helper()
	for name, f := range base {
		file := strings.TrimPrefix(name, "sub/")
		if !strings.HasPrefix(file, curve) || !strings.HasSuffix(file, "/"+summaryFile) {
			continue
		}
		var s struct {
			TTFT, TPOT struct{ Avg float64 }
			Lengths    struct{ Avg float64 } `json:"output_sequence_lengths"`
		}
		if err := json.Unmarshal(f.Data, &s); err != nil {
			t.Fatal(err)
		}
		users, _ := concurrencyInName(strings.Split(strings.TrimPrefix(file, curve), "/")[0])
		ops = append(ops, setting(file, 8*4395, "n_samples_issued"),
			setting(file, 1e8+1e6*float64(users), "ttft", "percentiles", "90"),
			setting(file, s.TTFT.Avg+s.TPOT.Avg*s.Lengths.Avg, "latency", "avg"))
	}
	return ops
}

// equalTimes set TTFT p90 of all points of a curve to one value.
func equalTimes(base fstest.MapFS, curve string) (ops []madetrees.Change) {
	for name := range base {
		file := strings.TrimPrefix(name, "sub/")
		if strings.HasPrefix(file, curve) && strings.HasSuffix(file, "/"+summaryFile) {
			ops = append(ops, setting(file, 1.2e8, "ttft", "percentiles", "90"))
		}
	}
	return ops
}

func wholeFile(file string, v any) madetrees.Change {
	text, _ := json.Marshal(v)
	value, _ := json.Marshal(string(text))
	return madetrees.Change{Op: "text", File: file, Value: value}
}

// texts are ten equal responses.
func texts(file, text string) madetrees.Change {
	all := map[string]string{}
	for i := range 10 {
		all[fmt.Sprint(i)] = text
	}
	return wholeFile(file, map[string]any{"responses": all})
}

// places are 1,000 requests of 500 samples: each one several times in a row, or all in turn.
func places(file string, apart int) madetrees.Change {
	var b strings.Builder
	b.WriteString(`{"performance": {`)
	for i := range 1000 {
		row := i % 500
		if apart == 1 {
			row = i / 2
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, `"%d": %d`, i, row)
	}
	b.WriteString("}}")
	value, _ := json.Marshal(b.String())
	return madetrees.Change{Op: "text", File: file, Value: value}
}
