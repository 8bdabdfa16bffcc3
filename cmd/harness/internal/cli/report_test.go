package cli

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	s := newShell(t)
	s.want(0, s.run("run", "resnet50", "--scenario", "Server", "--out", s.out()))
	s.want(0, s.run("report", s.out()), "2 runs: 1 VALID (smoke), 1 PASS", "latency over time", "throughput over time",
		"issue delay", "99.9 %")
	page := filepath.Join(s.dir, "page.html")
	s.want(0, s.run("report", s.out(), "--html", page))
	text, err := os.ReadFile(page)
	if err != nil || !bytes.Contains(text, []byte("<figure id=\"run-1-latency\">")) {
		t.Errorf("%v: a page of %d bytes without latencies", err, len(text))
	}
	if s.stdout.String() != "" {
		t.Errorf("with a page it prints %s", s.stdout.String())
	}
	s.want(0, s.run("report", s.out(), "--text", "--html", page), "latency over time")
}

func TestReportPlots(t *testing.T) {
	s := newShell(t)
	s.want(0, s.run("run", "resnet50", "--scenario", "Server,Offline", "--mode", "performance", "--out", s.out()))
	picture, vector := filepath.Join(s.dir, "p.png"), filepath.Join(s.dir, "p.svg")
	s.want(0, s.run("report", s.out(), "--plot", "issue-delay", "--png", picture, "--svg", vector))
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
	s.want(2, s.run("report", s.out(), "--plot", "throughput", "--png", picture), "2 runs have it")
	s.want(2, s.run("report", s.out(), "--plot", "latencies", "--png", picture), "no such plot", "latency-histogram")
	s.want(2, s.run("report", s.out(), "--png", picture), "--plot NAME goes with")
	s.want(2, s.run("report", s.out(), "--plot", "latency"), "--plot NAME goes with")
	s.want(2, s.run("report", s.out(), "--plot", "issue-delay", "--png", filepath.Join(picture, "x")), "not a directory")
}

func TestReportOfNothing(t *testing.T) {
	s := newShell(t)
	s.want(2, s.run("report"), "the folder of a run is missing")
	s.want(6, s.run("report", s.dir), "result.json")
	s.want(6, s.run("report", filepath.Join(s.dir, "none")), "no such file")
}
