package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestTuneAndRun(t *testing.T) {
	s := newShell(t)
	s.env["PLUMBLINE_CONFIG"] = filepath.Join(s.dir, "settings")
	file := filepath.Join(s.dir, "settings", "tuning", "resnet50.json")
	s.want(0, s.run("tune", "resnet50", "--try-batch", "3", "--try-sessions", "2", "--try-threads", "5", "--time", "5ms"), "written to "+file, "--tuning")
	s.want(0, s.run("run", "resnet50", "--tuning", file, "--sessions", "7", "--scenario", "Offline", "--mode", "performance", "--out", s.out()),
		"batch 3, 7 sessions, 5 threads ("+file+")")
	d := s.result()
	if r := d.Runs[0]; r.Tuning != file || r.Options.Batch != 3 || r.Options.Sessions != 7 || r.Options.BackendOptions["threads"] != "5" {
		t.Errorf("the result has tuning %q and options %+v", r.Tuning, r.Options)
	}
	s.want(2, s.run("run", "mobilenet", "--tuning", file, "--out", s.out()), "it is for resnet50, not mobilenet")
}

func TestTuneFaults(t *testing.T) {
	s := newShell(t)
	s.want(2, s.run("tune", "resnet50", "--try-batch", "0", "--time", "0s"), "--try-batch", "--time")
	s.want(2, s.run("run", "resnet50", "--tuning", s.write("x.json", "{}")), "x.json", "schema")
	if strings.Contains(s.stdout.String(), "sha256") {
		t.Error("a run began")
	}
}
