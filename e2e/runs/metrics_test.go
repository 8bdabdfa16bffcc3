package runs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestPrometheus lets a real Prometheus scrape runs of all kinds each second. At the end its values agree with
// result.json: the number of samples exactly, and the 99th percentile within its bucket. make test-extra OF=metrics
// runs it.
func TestPrometheus(t *testing.T) {
	program := os.Getenv("PLUMBLINE_PROMETHEUS")
	if program == "" {
		t.Skip("PLUMBLINE_PROMETHEUS names no Prometheus: make test-extra OF=metrics")
	}
	target, out := harness.FreeAddress(t), t.TempDir()
	server := startPrometheus(t, program, target)
	r := harness.Run(t, "run", "null", "--mode", "performance", "--smoke", "--out", out, "--force", "--metrics", target,
		"--set", "min_duration=4000", "--set", "Server.target_qps=500", "--set", "Offline.target_qps=1000000")
	if r.Code != 0 && r.Code != 3 { // 3: a busy machine
		t.Fatalf("exit code %d:\n%s", r.Code, r.Both())
	}
	if !strings.Contains(r.Stderr, "waiting for the last scrape") {
		t.Errorf("the last values are not waited for:\n%s", r.Stderr)
	}
	var d struct {
		Runs []struct {
			Scenario    string
			Performance measured
		}
	}
	testfile.ReadJSON(t, filepath.Join(out, "result.json"), &d)
	if len(d.Runs) != 4 {
		t.Fatalf("%d runs, want those of four scenarios", len(d.Runs))
	}
	for i, run := range d.Runs {
		latency := run.Performance.Latency
		of := fmt.Sprintf(`plumbline_sample_latency_seconds_%%s{run="%d",scenario=%q}`, i+1, run.Scenario)
		count := server.ask(t, fmt.Sprintf("last_over_time("+of+"[10m])", "count"))
		p99 := server.ask(t, fmt.Sprintf("histogram_quantile(0.99, last_over_time("+of+"[10m]))", "bucket"))
		want := float64(latency.at(0.99)) / 1e9
		t.Logf("%s: %.0f samples, Prometheus' p99 %.6g s, LoadGen's %.6g s", run.Scenario, count, p99, want)
		if count != float64(latency.Count) {
			t.Errorf("%s: Prometheus has %v samples, the result %d", run.Scenario, count, latency.Count)
		}
		if math.Abs(p99/want-1) > 0.125 { // the widest bucket
			t.Errorf("%s: Prometheus' 99th percentile is %v s, the result's %v s", run.Scenario, p99, want)
		}
	}
}

// TestPrometheusDashboard asks a real Prometheus, which has scraped runs of all scenarios and of a language model, for
// every query of the dashboard in examples/monitoring: no answer is empty.
func TestPrometheusDashboard(t *testing.T) {
	program := os.Getenv("PLUMBLINE_PROMETHEUS")
	if program == "" {
		t.Skip("PLUMBLINE_PROMETHEUS names no Prometheus: make test-extra OF=metrics")
	}
	target, dir := harness.FreeAddress(t), t.TempDir()
	server, began := startPrometheus(t, program, target), time.Now()
	testfile.Write(t, filepath.Join(dir, "suite.yaml"), `
runs:
- {run: "null", mode: performance, smoke: true, set: [min_duration=4000, Server.target_qps=500,
    Offline.target_qps=1000000]}
- {run: llama3.1-8b, mode: performance, smoke: true, scenario: Server}
`)
	r := harness.Run(t, "run", filepath.Join(dir, "suite.yaml"), "--out", filepath.Join(dir, "out"), "--metrics", target)
	if r.Code != 0 && r.Code != 3 { // 3: a busy machine
		t.Fatalf("exit code %d:\n%s", r.Code, r.Both())
	}
	var d struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	testfile.ReadJSON(t, filepath.Join(built.Root(), "examples", "monitoring", "dashboard.json"), &d)
	if len(d.Panels) == 0 {
		t.Fatal("no panels")
	}
	for _, p := range d.Panels {
		for _, q := range p.Targets {
			expr := strings.NewReplacer("$__rate_interval", "5s", "$run", ".*").Replace(q.Expr)
			if n := server.series(t, expr, began); n == 0 {
				t.Errorf("%s: %s is empty", p.Title, expr)
			}
		}
	}
}

// series counts the series that a query returned since a time.
func (p prometheus) series(t *testing.T, query string, since time.Time) int {
	t.Helper()
	var answer struct {
		Data struct{ Result []any }
	}
	text := fetchText(t, fmt.Sprintf("%s/api/v1/query_range?query=%s&start=%d&end=%d&step=1", p, url.QueryEscape(query),
		since.Unix(), time.Now().Unix()))
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatalf("%s: %v, %s", query, err, text)
	}
	return len(answer.Data.Result)
}

// prometheus is the address of its API.
type prometheus string

// startPrometheus starts a Prometheus that scrapes target each second, and waits until it is ready.
func startPrometheus(t *testing.T, program, target string) prometheus {
	t.Helper()
	dir, at := t.TempDir(), harness.FreeAddress(t)
	example, err := os.ReadFile(filepath.Join(built.Root(), "examples", "monitoring", "prometheus.yml"))
	if err != nil {
		t.Fatal(err)
	}
	config := strings.Replace(string(example), "127.0.0.1:9464", target, 1)
	path := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(path, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--config.file="+path, "--storage.tsdb.path="+filepath.Join(dir, "data"),
		"--web.listen-address="+at)
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &printed
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait() // it reports that it was ended
	})
	p := prometheus("http://" + at)
	for end := time.Now().Add(harness.Patience); !p.ready(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			t.Fatalf("Prometheus is not ready:\n%s", printed.String())
		}
	}
	return p
}

func (p prometheus) ready() bool {
	c, err := net.Dial("tcp", strings.TrimPrefix(string(p), "http://"))
	if err != nil {
		return false
	}
	c.Close()
	return true
}

// ask evaluates a query with one value.
func (p prometheus) ask(t *testing.T, query string) float64 {
	t.Helper()
	var answer struct {
		Data struct {
			Result []struct{ Value [2]any }
		}
	}
	text := fetchText(t, string(p)+"/api/v1/query?query="+url.QueryEscape(query))
	if err := json.Unmarshal([]byte(text), &answer); err != nil || len(answer.Data.Result) != 1 {
		t.Fatalf("%s: %v, %s", query, err, text)
	}
	v, err := strconv.ParseFloat(fmt.Sprint(answer.Data.Result[0].Value[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
