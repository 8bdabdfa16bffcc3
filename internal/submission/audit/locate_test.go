package audit

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestLocate finds the logs of a test in the layouts of v6 and v5, and beside an audit's run.
func TestLocate(t *testing.T) {
	t.Chdir(t.TempDir())
	const v6, v5, compliance = "closed/x/results/s/resnet50/Offline", "closed/y/results/s/bert-99/Server",
		"closed/y/compliance/s/bert-99/Server"
	const old = "closed/y/compliance/s/ssd-small/Offline"
	both := FoundLogs{"TEST04", ResultLogs(old + "/TEST04-A"), ResultLogs(old + "/TEST04-B"), "ssd-small", "Offline", true}
	const first, audits = "closed/z/results/s/gnmt/Server", "closed/z/audit/s/gnmt/Server"
	for _, dir := range []string{
		v6 + "/performance/run_1", v6 + "/TEST01/performance/run_1", v6 + "/TEST04/performance/run_1",
		v5 + "/performance/run_1", compliance + "/TEST01/performance/run_1", "run",
		old + "/TEST04-A/performance/run_1", old + "/TEST04-B/performance/run_1",
		first + "/performance/run_1", audits + "/TEST05/performance/run_1",
	} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, "mlperf_log_detail.txt"), "")
	}
	found := func(test, results, run, model, scenario string) FoundLogs {
		return FoundLogs{test, ResultLogs(results), ResultLogs(run), model, scenario, false}
	}
	for _, c := range []struct {
		dir, results, test string
		want               FoundLogs
	}{
		{v6, "", "TEST01", found("TEST01", v6, v6+"/TEST01", "resnet50", "Offline")},
		{v6 + "/", "", "TEST04", found("TEST04", v6, v6+"/TEST04", "resnet50", "Offline")},
		{v6 + "/TEST01", "", "TEST01", found("TEST01", v6, v6+"/TEST01", "resnet50", "Offline")},
		{v6 + "/TEST04", "", "", found("TEST04", v6, v6+"/TEST04", "resnet50", "Offline")},
		{v6 + "/TEST04/performance/run_1", "", "", found("TEST04", v6, v6+"/TEST04", "resnet50", "Offline")},
		{compliance, "", "", found("TEST01", v5, compliance+"/TEST01", "bert-99", "Server")},
		{audits, "", "", found("TEST05", first, audits+"/TEST05", "gnmt", "Server")},
		{audits + "/TEST05", "", "TEST05", found("TEST05", first, audits+"/TEST05", "gnmt", "Server")},
		{old, "", "", both}, {old, "", "TEST04", both}, {old + "/TEST04-A", "", "", both}, {old + "/TEST04-B", "", "", both},
		{old + "/TEST04-B/performance/run_1", "", "", both}, {old + "/TEST04-A", "", "TEST04", both},
		{"run", v6, "TEST01", FoundLogs{"TEST01", ResultLogs(v6), logsIn("run"), "resnet50", "Offline", false}},
		{"run", "", "TEST06", FoundLogs{Test: "TEST06", Run: logsIn("run")}},
	} {
		got, err := Locate(c.dir, c.results, c.test)
		if err != nil || len(got) != 1 || got[0] != c.want {
			t.Errorf("%s, %s: %v\n%+v, want\n%+v", c.dir, c.test, err, got, c.want)
		}
	}
	if all, err := Locate(v6, "", ""); err != nil || len(all) != 2 {
		t.Errorf("%v, %v", all, err)
	}
	if _, err := Locate("nowhere", "", "TEST01"); !errors.Is(err, ErrMissing) || errors.Is(err, ErrRequest) {
		t.Error(err)
	}
	if _, err := Locate("run", "", ""); !errors.Is(err, ErrRequest) {
		t.Error(err)
	}
	if _, err := Locate("run", "", "TEST01"); !errors.Is(err, ErrRequest) {
		t.Error(err)
	}
}
