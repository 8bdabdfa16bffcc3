package results_test

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

// TestReportOldLogs: a folder with logs of v0.5 or v0.7 alone is reported with the result that was published.
func TestReportOldLogs(t *testing.T) {
	s := clitest.New(t)
	for scenario, want := range map[loadgen.Scenario]string{
		loadgen.MultiStream: "102 samples ", loadgen.Server: "scheduled samples per second, in 1 min",
		loadgen.SingleStream: "90th percentile latency, in 1 min", loadgen.Offline: "66,000 samples in 1 min",
	} {
		if err := (loadgentest.OldRun{Text: true, Scenario: scenario, Streams: 102}).Write(s.Out()); err != nil {
			t.Fatal(err)
		}
		s.Want(0, s.Run("report", s.Out()), "1 run: 1 VALID", scenario.String(), want, "Logging allocation detected")
		for _, never := range []string{"rehearsal", "too few", " 0 queries", "stopping", "PySUT"} {
			if strings.Contains(s.Stdout.String(), never) {
				t.Errorf("%v: the report says %q:\n%s", scenario, never, s.Stdout.String())
			}
		}
	}
}

func TestReport(t *testing.T) {
	s := clitest.New(t)
	s.Want(0, s.Run("run", "resnet50", "--scenario", "Server", "--out", s.Out()))
	s.Want(0, s.Run("report", s.Out()), "2 runs: 1 VALID (smoke), 1 PASS", "latency over time", "throughput over time",
		"issue delay", "99.9 %")
	page := filepath.Join(s.Dir, "page.html")
	s.Want(0, s.Run("report", s.Out(), "--html", page))
	text, err := os.ReadFile(page)
	if err != nil || !bytes.Contains(text, []byte("<figure id=\"run-1-latency\">")) {
		t.Errorf("%v: a page of %d bytes without latencies", err, len(text))
	}
	if s.Stdout.String() != "" {
		t.Errorf("with a page it prints %s", s.Stdout.String())
	}
	s.Want(0, s.Run("report", s.Out(), "--text", "--html", page), "latency over time")
}

// TestReportOfFewQueries says in text and page which percentiles the queries are too few for.
func TestReportOfFewQueries(t *testing.T) {
	s := clitest.New(t)
	s.Want(3, s.Run("run", "resnet50", "--scenario", "SingleStream", "--mode", "performance",
		"--set", "min_query_count=20", "--set", "max_query_count=20", "--set", "min_duration=0", "--out", s.Out()))
	s.Want(0, s.Run("report", s.Out()), "too few")
	s.Want(0, s.Run("compare", s.Out(), s.Out()), "too few latencies (20) for p97, p99, p99.9")
	page := filepath.Join(s.Dir, "page.html")
	s.Want(0, s.Run("report", s.Out(), "--html", page))
	if text, err := os.ReadFile(page); err != nil || !bytes.Contains(text, []byte(">too few</td>")) {
		t.Errorf("%v: the page does not say which percentiles have too few values", err)
	}
}

func TestReportPlots(t *testing.T) {
	s := clitest.New(t)
	s.Want(0, s.Run("run", "resnet50", "--scenario", "Server,Offline", "--mode", "performance", "--out", s.Out()))
	picture, vector := filepath.Join(s.Dir, "p.png"), filepath.Join(s.Dir, "p.svg")
	s.Want(0, s.Run("report", s.Out(), "--plot", "issue-delay", "--png", picture, "--svg", vector))
	text, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(text)); err != nil {
		t.Error(err)
	}
	if text, err = os.ReadFile(vector); err != nil || !strings.HasPrefix(string(text), `<svg xmlns="`) {
		t.Errorf("%v: %.60s", err, text)
	}
	for _, said := range []string{"Issue delay over time</text>", "resnet50 Server performance; "} {
		if !strings.Contains(string(text), said) {
			t.Errorf("the picture does not say %s: %.1000s", said, text)
		}
	}
	s.Want(0, s.Run("report", s.Out(), "--plot", "overview-throughput", "--svg", vector))
	if text, err = os.ReadFile(vector); err != nil || !strings.Contains(string(text), "Throughput of each run</text>") {
		t.Errorf("%v: %.60s", err, text)
	}
	s.Want(2, s.Run("report", s.Out(), "--plot", "throughput", "--png", picture), "2 runs have it", "plots/")
	s.Want(2, s.Run("report", s.Out(), "--plot", "latencies", "--png", picture), "no such plot", "latency-histogram")
	s.Want(2, s.Run("report", s.Out(), "--png", picture), "--plot NAME goes with")
	s.Want(2, s.Run("report", s.Out(), "--plot", "latency"), "--plot NAME goes with")
	s.Want(2, s.Run("report", s.Out(), "--plot", "issue-delay", "--png", filepath.Join(picture, "x")), "not a directory")
}

// TestReportPlotsOfEachRun: in a folder each run has a file of its name, whatever that is.
func TestReportPlotsOfEachRun(t *testing.T) {
	s := clitest.New(t)
	for _, label := range []string{"../../evil", "b"} {
		s.Want(0, s.Run("run", "resnet50", "--scenario", "Offline", "--mode", "performance", "--label", label, "--out",
			s.Out(label[len(label)-1:])))
	}
	plots := filepath.Join(s.Dir, "plots")
	s.Want(0, s.Run("report", s.Out(), "--plot", "throughput", "--png", plots+"/", "--svg", plots))
	s.Want(0, s.Run("report", s.Out(), "--plot", "overview-throughput", "--svg", plots))
	files, err := filepath.Glob(filepath.Join(plots, "*"))
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	want := []string{"-..-evil-resnet50-Offline-performance-throughput.png",
		"-..-evil-resnet50-Offline-performance-throughput.svg", "b-resnet50-Offline-performance-throughput.png",
		"b-resnet50-Offline-performance-throughput.svg", "overview-throughput.svg"}
	if err != nil || !slices.Equal(files, want) {
		t.Errorf("%q, %v, want %q", files, err, want)
	}
}

func TestReportOfNothing(t *testing.T) {
	s := clitest.New(t)
	s.Want(2, s.Run("report"), "the folder of a run is missing")
	s.Want(6, s.Run("report", s.Dir), "result.json")
	s.Want(6, s.Run("report", filepath.Join(s.Dir, "none")), "file does not exist; want the --out folder")
}
