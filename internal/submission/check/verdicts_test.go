package check_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/check"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// TestScoresOfVerdicts: a verdict is of its logs if it has their scores as far as it prints them.
func TestScoresOfVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		log             float64 // result_samples_per_second of both runs
		summary, scores string  // of both, as texts
		want            bool
	}{
		"all digits":            {0.81492, "0.81", "0.81492", true},
		"two decimals":          {0.81492, "0.81", "0.81", true},
		"one decimal":           {0.81492, "0.81", "0.8", true},
		"rounded up":            {0.8551, "0.86", "0.86", true},
		"rounded to nothing":    {0.0349, "0.03", "0.03", true},
		"cut, not rounded":      {0.8551, "0.86", "0.85", false},
		"of another run":        {0.81492, "0.81", "0.83", false},
		"of another, no digits": {0.81492, "0.81", "1", false},
		"large":                 {458.511, "458.51", "458.511", true},
		"large, of another run": {458.511, "458.51", "454.058", false},
		"the inverse":           {0.81492, "0.81", "1227114318.0", true},
	} {
		t.Run(name, func(t *testing.T) {
			files := soundFiles()
			for _, folder := range []string{sound + "/performance/run_1", sound + "/TEST01/performance/run_1"} {
				for file, text := range map[string]string{tree.DetailLog: `"result_samples_per_second", "value": 0.5`,
					tree.SummaryLog: "second: 0.5"} {
					from := files[folder+"/"+file]
					if !strings.Contains(from, text) {
						t.Fatalf("no %s in %s", text, from)
					}
					to := strings.TrimSuffix(text, "0.5") + map[string]string{tree.SummaryLog: c.summary}[file]
					if file == tree.DetailLog {
						line := mllog.AppendDetail(nil, mllog.DetailEntry{Key: "k", Value: c.log, File: "f"})
						_, value, _ := strings.Cut(string(line), `"value": `)
						value, _, _ = strings.Cut(value, ",")
						to += value
					}
					files[folder+"/"+file] = strings.ReplaceAll(from, text, to)
				}
			}
			files[sound+"/TEST01/verify_performance.txt"] = "reference score = " + c.scores + "\ntest score = " + c.scores +
				"\nTEST PASS\n"
			root := t.TempDir()
			for name, text := range files {
				put(t, root, name, text)
			}
			r := run(t, root)
			got := !slices.ContainsFunc(r.Findings, func(f check.Finding) bool { return f.Severity == check.Reject })
			if got != c.want {
				t.Errorf("accepted: %t\n%s", got, texts(r))
			}
		})
	}
}
