package runs

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/faulty"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
	"github.com/plumbline-ml/plumbline/internal/testkit/slow"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// event is the part of an event that the tests read.
type event struct {
	Event    string
	Run      int
	Progress *struct{ Done uint64 }
	Result   *struct{ Performance *measured }
	End      *struct {
		ExitCode int `json:"exit_code"`
	}
}

// measured is the part of a run's performance that the tests read.
type measured struct {
	Latency latencies
}

type latencies struct {
	Count       int
	Percentiles []struct {
		P  float64
		NS int64
	}
}

// at returns a percentile in ns.
func (l latencies) at(p float64) int64 {
	for _, q := range l.Percentiles {
		if q.P == p {
			return q.NS
		}
	}
	return 0
}

func readEvent(t *testing.T, line string) event {
	t.Helper()
	var e event
	if err := json.Unmarshal([]byte(line), &e); err != nil {
		t.Fatalf("%v: %q", err, line)
	}
	return e
}

// receiver keeps the requests of OpenTelemetry's exporter unchanged.
type receiver struct {
	*httptest.Server
	mu   sync.Mutex
	last []byte
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		body := io.Reader(q.Body)
		if q.Header.Get("Content-Encoding") == "gzip" {
			body, _ = gzip.NewReader(q.Body)
		}
		text, err := io.ReadAll(body)
		if err != nil || q.URL.Path != "/v1/metrics" {
			t.Errorf("%s: %v", q.URL, err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.last = text
	}))
	t.Cleanup(r.Close)
	return r
}

// watched is a harness that reports where it can be watched.
type watched struct {
	*exec.Cmd
	events        *bufio.Scanner
	stderr        *reading
	metrics, page string
}

// reading keeps a process's output while a test reads it.
type reading struct {
	lines *bufio.Scanner
	text  strings.Builder
}

func (l *reading) next() bool {
	ok := l.lines.Scan()
	l.text.WriteString(l.lines.Text() + "\n")
	return ok
}

// watch starts a harness with all ways to watch it.
func watch(t *testing.T, otlp string, args ...string) *watched {
	t.Helper()
	cmd := harness.Command(t, built.Harness(), append(args, "--events", "-", "--metrics", "0", "--web", "0", "--otlp",
		otlp)...)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w := &watched{Cmd: cmd, events: bufio.NewScanner(stdout), stderr: &reading{lines: bufio.NewScanner(stderr)}}
	w.events.Buffer(nil, 1<<20)
	for (w.metrics == "" || w.page == "") && w.stderr.next() {
		if at, ok := strings.CutPrefix(w.stderr.lines.Text(), "metrics at "); ok {
			w.metrics = at
		}
		if at, ok := strings.CutPrefix(w.stderr.lines.Text(), "page at "); ok {
			w.page = at
		}
	}
	if w.page == "" {
		t.Fatalf("it does not say where it can be watched:\n%s", w.stderr.text.String())
	}
	return w
}

// until reads events up to a given one.
func (w *watched) until(t *testing.T, want func(event) bool) event {
	t.Helper()
	for w.events.Scan() {
		if e := readEvent(t, w.events.Text()); want(e) {
			return e
		}
	}
	t.Fatalf("the events end before: %v", w.events.Err())
	return event{}
}

// pageEvents reads the page's events to the end.
func pageEvents(t *testing.T, page string) <-chan []event {
	t.Helper()
	r, err := http.Get(page + "events")
	if err != nil {
		t.Fatal(err)
	}
	all := make(chan []event, 1)
	go func() {
		defer r.Body.Close()
		var heard []event
		lines := bufio.NewScanner(r.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if line, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				var e event
				_ = json.Unmarshal([]byte(line), &e)
				heard = append(heard, e)
			}
		}
		all <- heard
	}()
	return all
}

func fetchText(t *testing.T, url string) string {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v, %s: %s", url, err, r.Status, text)
	}
	return string(text)
}

// TestWatchedWhileItRuns watches a run that finishes and one that is interrupted, in all ways at once: the metrics of
// the first one agree with its result, and every watcher learns of the end.
func TestWatchedWhileItRuns(t *testing.T) {
	out, to := t.TempDir(), newReceiver(t)
	w := watch(t, to.URL, "run", "null", "--scenario", "SingleStream,Server", "--mode", "performance", "--smoke",
		"--out", out, "--force", "--set", "SingleStream.min_duration=1500", "--set", "Server.min_duration=600000",
		"--set", "Server.target_qps=200")
	heard := pageEvents(t, w.page)
	if text := fetchText(t, w.page); !strings.Contains(text, "page.js") {
		t.Errorf("no page: %s", text)
	}
	dashboard, err := os.ReadFile(filepath.Join(built.Root(), "examples", "monitoring", "dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	if fetchText(t, strings.TrimSuffix(w.metrics, "metrics")+"dashboard.json") != string(dashboard) {
		t.Error("the dashboard is not the one in examples/monitoring")
	}
	first := w.until(t, func(e event) bool { return e.Event == "result" })
	w.until(t, func(e event) bool { return e.Run == 2 && e.Progress != nil && e.Progress.Done > 0 })
	wantScrape(t, fetchText(t, w.metrics), first)
	if err := w.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	last := w.until(t, func(e event) bool { return e.End != nil })
	for w.stderr.next() {
	}
	_ = w.Wait() // the exit code is checked
	if code := w.ProcessState.ExitCode(); code != 130 || last.End.ExitCode != 130 {
		t.Errorf("exit code %d, the last event says %d, want 130:\n%s", code, last.End.ExitCode, w.stderr.text.String())
	}
	page := <-heard
	if page[0].Event != "begin" || page[len(page)-1].End == nil {
		t.Errorf("the page heard %d events, the last %+v", len(page), page[len(page)-1])
	}
	if to.mu.Lock(); !bytes.Contains(to.last, []byte("plumbline.sample.latency")) {
		t.Errorf("the receiver has %d bytes without latencies", len(to.last))
	}
	to.mu.Unlock()
	for _, url := range []string{w.metrics, w.page} {
		if r, err := http.Get(url); err == nil {
			_ = r.Body.Close()
			t.Errorf("%s is still served", url)
		}
	}
}

// wantScrape expects the latencies of a run's result among metrics: their number, and the 99th percentile in its
// bucket.
func wantScrape(t *testing.T, metrics string, e event) {
	t.Helper()
	latency := e.Result.Performance.Latency
	p99 := float64(latency.at(0.99)) / 1e9
	bucket := regexp.MustCompile(`^plumbline_sample_latency_seconds_bucket\{.*run="` + strconv.Itoa(e.Run) +
		`".*le="([^"]*)"\} (\d+)$`)
	below, n, rank := 0, 0, int(float64(latency.Count)*0.99)
	for line := range strings.Lines(metrics) {
		m := bucket.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		upTo, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		if n, err = strconv.Atoi(m[2]); err != nil {
			t.Fatal(err)
		}
		if upTo < p99 {
			below = n
		} else if below <= rank && n <= rank {
			t.Errorf("%d samples up to %v s, and element %d of the result is %v s", n, upTo, rank, p99)
		}
	}
	if n != latency.Count || below > rank {
		t.Errorf("%d samples, %d of them below the 99th percentile, and the result has %d", n, below, latency.Count)
	}
}

// TestEventsOfAWholeRun runs to the end, including an accuracy run.
func TestEventsOfAWholeRun(t *testing.T) {
	out := t.TempDir()
	path := filepath.Join(out, "events.jsonl")
	harness.Run(t, "run", "dlrm-v3", "--scenario", "Offline", "--mode", "submission", "--out",
		filepath.Join(out, "out"), "--events", path).WantCode(t, 0)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		if e := readEvent(t, line); e.Progress == nil && e.Event != "distribution" {
			names = append(names, e.Event)
		}
	}
	want := "begin plan open start result open start result end"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("events %s, want %s", got, want)
	}
	harness.Run(t, "run", "dlrm-v3", "--scenario", "Offline", "--out", filepath.Join(out, "out2"), "--events",
		path).WantCode(t, 2)
}

// TestReaderOfEventsGoesAway: when the reader of a pipe goes away, the harness and the run continue.
func TestReaderOfEventsGoesAway(t *testing.T) {
	out := t.TempDir()
	cmd := harness.Command(t, built.Harness(), "run", "null", "--scenario", "SingleStream", "--mode", "performance",
		"--smoke",
		"--out", out, "--force", "--events", "-")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = w, &stderr
	_ = cmd.Run() // the exit code is checked
	w.Close()
	if code := cmd.ProcessState.ExitCode(); code != 2 || !strings.Contains(stderr.String(), "events are lost") {
		t.Errorf("exit code %d:\n%s", code, stderr.String())
	}
	var d results.Document
	testfile.ReadJSON(t, filepath.Join(out, "result.json"), &d)
	if len(d.Runs) != 1 || d.Runs[0].Status != "complete" {
		t.Errorf("the run is lost: %+v", d)
	}
}

// TestReceiverThatHangs: a receiver that hangs delays the end by a few seconds, and has no other effect.
func TestReceiverThatHangs(t *testing.T) {
	let := make(chan struct{})
	to := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-let }))
	defer to.Close()
	defer close(let)
	r := harness.Run(t, "run", "null", "--scenario", "SingleStream", "--mode", "performance", "--smoke", "--out",
		t.TempDir(),
		"--force", "--otlp", to.URL)
	if r.Code != 0 || !strings.Contains(r.Stderr, "times the receiver did not take the metrics") {
		t.Errorf("exit code %d:\n%s", r.Code, r.Both())
	}
}

// TestThousandsOfConnections opens connections to the page and to the metrics of a run that send no request, half of
// one, or many and read nothing: the run finishes without a shortage of file descriptors, and scrapers are answered.
// There are 2,000 connections, four times the descriptors that the harness may open, and 10,000 in make test-all.
func TestThousandsOfConnections(t *testing.T) {
	h := faulty.PrepareHeld(t, "--metrics", "0", "--web", "0", "--mode", "accuracy", "--count", "4000")
	h.Logs = filepath.Join(h.Out, "faulty", "SingleStream", "accuracy") // its verdict does not depend on pauses
	h.Cmd.Args = append([]string{"sh", "-c", `ulimit -n 512; exec "$0" "$@"`, h.Cmd.Path}, h.Cmd.Args[1:]...)
	h.Cmd.Path = "/bin/sh"
	h.Start(t)
	said := h.Said.String()
	metrics, page := addressOf(t, said, "metrics"), addressOf(t, said, "page")
	wanted := 2_000
	if slow.All() {
		wanted = 10_000
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if most := int(limit.Cur) - 500; most < wanted {
		t.Logf("this process may open %d files: %d connections instead of %d", limit.Cur, most, wanted)
		wanted = most
	}
	requests := []string{"", "GET / HT", strings.Repeat("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", 50),
		"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"}
	for i := range wanted {
		c, err := net.Dial("tcp", []string{metrics, page}[i%2])
		if err != nil {
			t.Fatalf("connection %d: %v", i+1, err)
		}
		defer c.Close()
		_, _ = io.WriteString(c, requests[i/2%len(requests)]) // it may already be closed
	}
	client := &http.Client{Transport: &http.Transport{}, Timeout: harness.Patience}
	defer client.CloseIdleConnections()
	for _, url := range []string{"http://" + metrics + "/metrics", "http://" + page + "/"} {
		r, err := client.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || r.StatusCode != http.StatusOK || len(text) == 0 {
			t.Errorf("%s: %s, %d bytes, %v", url, r.Status, len(text), err)
		}
	}
	if files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", h.Cmd.Process.Pid)); err == nil && len(files) > 400 {
		t.Errorf("%d files are open in the harness", len(files))
	}
	client.CloseIdleConnections()
	if code := h.LetGo(t); code != 0 {
		t.Errorf("exit code %d, want 0; it printed:\n%s", code, h.Said)
	}
}

// addressOf finds an address in the harness's output.
func addressOf(t *testing.T, said, what string) string {
	t.Helper()
	_, rest, found := strings.Cut(said, what+" at http://")
	address, _, _ := strings.Cut(rest, "/")
	if !found {
		t.Fatalf("no address of the %s in:\n%s", what, said)
	}
	return address
}
