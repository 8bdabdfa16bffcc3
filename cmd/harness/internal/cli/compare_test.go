package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/figure"

	"github.com/plumbline-ml/plumbline/bench/compare"
	"github.com/plumbline-ml/plumbline/bench/record"
)

// saved writes n results of a Server run, whose rates lie a little above rate, into folders below dir.
func (s *shell) saved(dir string, n int, rate float64, change func(*record.Run)) string {
	s.t.Helper()
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
		if err := record.Save(filepath.Join(s.dir, dir, fmt.Sprint(i)), r); err != nil {
			s.t.Fatal(err)
		}
	}
	return filepath.Join(s.dir, dir)
}

func TestCompare(t *testing.T) {
	s := newShell(t)
	base, next := s.saved("base", 7, 100, nil), s.saved("new", 7, 97, nil)
	s.want(0, s.run("compare", base, next), "7 runs against 7", "-3.0 %", "worse (p < 0.001)", "Mann-Whitney U test")
	s.want(0, s.run("compare", base, base), "within the spread (p = 1.000)")
	one := filepath.Join(base, "0")
	s.want(0, s.run("compare", one, filepath.Join(next, "0")), "no verdict", "make four of each at least")
	list := strings.Join([]string{one, filepath.Join(base, "1")}, ",")
	s.want(0, s.run("compare", list, next), "7 runs against 2")
}

func TestCompareJSONAndHTML(t *testing.T) {
	s := newShell(t)
	hostile := func(r *record.Run) { r.Model = "<script>alert(1)</script>" }
	base, next := s.saved("base", 4, 100, hostile), s.saved("new", 4, 97, hostile)
	page := filepath.Join(s.dir, "page.html")
	s.want(0, s.run("compare", base, next, "--json", "--html", page))
	var c compare.Comparison
	if err := json.Unmarshal([]byte(s.stdout.String()), &c); err != nil || len(c.Pairs) != 1 {
		t.Errorf("%v in %s", err, s.stdout.String())
	}
	text, err := os.ReadFile(page)
	if err != nil || strings.Contains(string(text), "<script") || !strings.Contains(string(text), "&lt;script&gt;") {
		t.Errorf("%v: %s", err, text)
	}
	s.want(2, s.run("compare", base, next, "--html", filepath.Join(page, "x")), "not a directory")
}

func TestCompareRefuses(t *testing.T) {
	s := newShell(t)
	base := s.saved("base", 1, 100, nil)
	next := s.saved("new", 1, 97, func(r *record.Run) { r.Rules = "v5.0" })
	s.want(2, s.run("compare", base, next), `rules differs (rules): "v6.1" in`, "--allow-unlike WHAT,...")
	s.want(0, s.run("compare", base, next, "--allow-unlike", "rules"), "rules  v6.1 -> v5.0")
	s.want(2, s.run("compare", base, next, "--allow-unlike", "rule"), `did you mean "rules"?`)
	s.want(2, s.run("compare", base), "want two arguments, BASE and NEW, found 1")
	s.want(6, s.run("compare", base, s.dir+"/none"), "none: no such file")
	under := s.saved("under", 1, 97, func(r *record.Run) { r.Begin() })
	s.want(6, s.run("compare", base, under), "no run that came to its end (1 run under way, or killed)")
	newer := s.write("newer/result.json", `{"schema": "plumbline.result", "schema_version": 2}`)
	s.want(6, s.run("compare", base, newer), "a newer harness wrote it: schema version 2, and this one reads up to 1")
	cut := s.write("cut/result.json", `{"schema": "plumbline.result", "schema_ver`)
	s.want(6, s.run("compare", cut, newer), "cut/result.json", "newer/result.json")
}

func TestCompareFailIf(t *testing.T) {
	s := newShell(t)
	base, next := s.saved("base", 7, 100, nil), s.saved("new", 7, 97, nil)
	run := func(conditions ...string) int {
		args := []string{"compare", base, next}
		for _, c := range conditions {
			args = append(args, "--fail-if", c)
		}
		return s.run(args...)
	}
	s.want(3, run("Server.result < -2%"),
		"failed: Server.result < -2%: resnet50 Server performance 97.300 samples/s, "+
			"was 100.30 samples/s: worse (p < 0.001)")
	s.want(0, run("Server.result < -4%", "p99 > +5%"))
	s.want(3, run("Server.result < -4%", "p99 > 12ms"), "failed: p99 > 12ms: resnet50 Server performance 12.500 ms")
	s.want(2, run("Server.p98 > +5%", "Offline.p99 > 3ms"), `did you mean "p99"`, "there is no such run")
	s.want(2, run("p99"), "no operator")
	s.want(3, s.run("compare", base, next, "--json", "--fail-if", "p99 > 12ms"))
	if !json.Valid([]byte(s.stdout.String())) || !strings.Contains(s.stderr.String(), "failed: p99") {
		t.Errorf("stdout %s, stderr %s", s.stdout.String(), s.stderr.String())
	}
}

func TestRunFailIf(t *testing.T) {
	s := newShell(t)
	run := func(conditions ...string) int {
		args := []string{"run", "resnet50", "--scenario", "Server", "--out", s.out(), "--force"}
		for _, c := range conditions {
			args = append(args, "--fail-if", c)
		}
		return s.run(args...)
	}
	s.want(0, run("Server.p99 > 1000s", "accuracy < 90%"))
	s.want(3, run("p99 > 0ms"), "VALID (smoke)", "failed: p99 > 0ms: resnet50 Server performance ")
	s.want(3, run("accuracy < 99 %"), "failed: accuracy < 99 %: resnet50 Offline accuracy 95.000 %")
	s.want(2, run("p99 > +5%"), "harness compare BASE NEW takes it")
	s.want(2, run("p98 > 5ms", "MultiStream.p99 > 1ms"), `did you mean "p90"`, "there is no such run")
	s.want(2, run("x", "y"), `"x": no operator`, `"y": no operator`)
	s.want(2, run("MultiStream.p99 > 1ms"), "there is no such run; there are resnet50 Server performance")
	s.want(2, run("ttft.p99 > 1ms"), `unknown metric "ttft.p99"`) // known before the run, and not measured by it
	s.fakes["resnet50"].Score.Metrics[0].Value = 50
	s.want(4, run("p99 > 0ms"), "BELOW TARGET", "failed: p99 > 0ms")
}
