package results_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/compare"
)

// savedRuns writes n results of a Server run, whose rates lie a little above rate, into folders below dir.
func savedRuns(s *clitest.Shell, dir string, n int, rate float64, change func(*record.Run)) string {
	s.T.Helper()
	for i := range n {
		r := record.Run{
			Model: "resnet50", Scenario: "Server", Mode: "performance", Status: record.Complete, Verdict: "VALID", Rules: "v6.1",
			Performance: &record.Performance{
				Metric: record.Figure{Name: "completed samples per second", Unit: "samples/s",
					Value: figure.Number(rate + float64(i)/10)},
				Latency: record.Latency{Count: 1, Percentiles: []record.Percentile{{P: 0.99, NS: 12_500_000}}},
			},
		}
		if change != nil {
			change(&r)
		}
		if err := record.Save(filepath.Join(s.Dir, dir, fmt.Sprint(i)), r); err != nil {
			s.T.Fatal(err)
		}
	}
	return filepath.Join(s.Dir, dir)
}

func TestCompare(t *testing.T) {
	s := clitest.New(t)
	base, next := savedRuns(s, "base", 7, 100, nil), savedRuns(s, "new", 7, 97, nil)
	s.Want(0, s.Run("compare", base, next), "7 runs against 7", "-3.0 %", "worse (p < 0.001)", "Mann-Whitney U test")
	s.Want(0, s.Run("compare", base, base), "within the spread (p = 1.000)")
	markdown, junit := filepath.Join(s.Dir, "summary.md"), filepath.Join(s.Dir, "junit.xml")
	s.Want(3, s.Run("compare", base, next, "--fail-if", "Server.result < -2%", "--markdown", markdown, "--junit", junit))
	for _, want := range []string{"| worse (p &lt; 0.001) |", "1 failed", "Mann-Whitney U test"} {
		testfile.RequireText(t, want, markdown)
	}
	testfile.RequireText(t, `<testsuite name="fail-if" tests="1" failures="1"`, junit)
	one := filepath.Join(base, "0")
	s.Want(0, s.Run("compare", one, filepath.Join(next, "0")), "no verdict", "make four of each at least")
	list := strings.Join([]string{one, filepath.Join(base, "1")}, ",")
	s.Want(0, s.Run("compare", list, next), "7 runs against 2")
}

func TestCompareJSONAndHTML(t *testing.T) {
	s := clitest.New(t)
	hostile := func(r *record.Run) { r.Model = "<script>alert(1)</script>" }
	base, next := savedRuns(s, "base", 4, 100, hostile), savedRuns(s, "new", 4, 97, hostile)
	page := filepath.Join(s.Dir, "page.html")
	s.Want(0, s.Run("compare", base, next, "--json", "--html", page))
	var c compare.Comparison
	if err := json.Unmarshal([]byte(s.Stdout.String()), &c); err != nil || len(c.Pairs) != 1 {
		t.Errorf("%v in %s", err, s.Stdout.String())
	}
	text, err := os.ReadFile(page)
	if err != nil || strings.Contains(string(text), "<script") || !strings.Contains(string(text), "&lt;script&gt;") {
		t.Errorf("%v: %s", err, text)
	}
	s.Want(2, s.Run("compare", base, next, "--html", filepath.Join(page, "x")), "not a directory")
}

func TestCompareRefuses(t *testing.T) {
	s := clitest.New(t)
	base := savedRuns(s, "base", 1, 100, nil)
	next := savedRuns(s, "new", 1, 97, func(r *record.Run) { r.Rules = "v5.0" })
	s.Want(2, s.Run("compare", base, next), `rules differs (rules): "v6.1" in`, "--allow-unlike WHAT,...")
	s.Want(0, s.Run("compare", base, next, "--allow-unlike", "rules"), "rules  v6.1 -> v5.0")
	s.Want(2, s.Run("compare", base, next, "--allow-unlike", "rule"), `did you mean "rules"?`)
	s.Want(2, s.Run("compare", base), "want two arguments, BASE and NEW, found 1")
	s.Want(6, s.Run("compare", base, s.Dir+"/none"), "none: file does not exist")
	under := savedRuns(s, "under", 1, 97, func(r *record.Run) { r.Begin() })
	s.Want(6, s.Run("compare", base, under), "no run that came to its end (1 run under way, or killed)")
	newer := s.File("newer/result.json", `{"schema": "plumbline.result", "schema_version": 2}`)
	s.Want(6, s.Run("compare", base, newer), "a newer harness wrote it: schema version 2, and this one reads up to 1")
	cut := s.File("cut/result.json", `{"schema": "plumbline.result", "schema_ver`)
	s.Want(6, s.Run("compare", cut, newer), "cut/result.json", "newer/result.json")
}

func TestCompareFailIf(t *testing.T) {
	s := clitest.New(t)
	base, next := savedRuns(s, "base", 7, 100, nil), savedRuns(s, "new", 7, 97, nil)
	run := func(conditions ...string) int {
		args := []string{"compare", base, next}
		for _, c := range conditions {
			args = append(args, "--fail-if", c)
		}
		return s.Run(args...)
	}
	s.Want(3, run("Server.result < -2%"),
		"failed: Server.result < -2%: resnet50 Server performance 97.300 samples/s, "+
			"was 100.30 samples/s: worse (p < 0.001)")
	s.Want(0, run("Server.result < -4%", "p99 > +5%"))
	s.Want(3, run("Server.result < -4%", "p99 > 12ms"), "failed: p99 > 12ms: resnet50 Server performance 12.500 ms")
	s.Want(2, run("Server.p98 > +5%", "Offline.p99 > 3ms"), `did you mean "p99"`, "there is no such run")
	s.Want(2, run("p99"), "no operator")
	s.Want(3, s.Run("compare", base, next, "--json", "--fail-if", "p99 > 12ms"))
	if !json.Valid([]byte(s.Stdout.String())) || !strings.Contains(s.Stderr.String(), "failed: p99") {
		t.Errorf("stdout %s, stderr %s", s.Stdout.String(), s.Stderr.String())
	}
}

func TestRunFailIf(t *testing.T) {
	s := clitest.New(t)
	run := func(conditions ...string) int {
		args := []string{"run", "resnet50", "--scenario", "Server", "--out", s.Out(), "--force"}
		for _, c := range conditions {
			args = append(args, "--fail-if", c)
		}
		return s.Run(args...)
	}
	s.Want(0, run("Server.p99 > 1000s", "accuracy < 90%"))
	s.Want(3, run("p99 > 0ms"), "VALID (smoke)", "failed: p99 > 0ms: resnet50 Server performance ")
	s.Want(3, run("accuracy < 99 %"), "failed: accuracy < 99 %: resnet50 Offline accuracy 95.000 %")
	s.Want(2, run("p99 > +5%"), "use harness compare BASE NEW")
	s.Want(2, run("p98 > 5ms", "MultiStream.p99 > 1ms"), `did you mean "p90"`, "there is no such run")
	s.Want(2, run("x", "y"), `"x": no operator`, `"y": no operator`)
	s.Want(2, run("MultiStream.p99 > 1ms"), "there is no such run; there are resnet50 Server performance")
	s.Want(2, run("ttft.p99 > 1ms"), `unknown metric "ttft.p99"`) // known before the run, and not measured by it
	s.Fakes["resnet50"].Score.Metrics[0].Value = 50
	s.Want(4, run("p99 > 0ms"), "BELOW TARGET", "failed: p99 > 0ms")
}
