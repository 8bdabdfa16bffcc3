package loadgen_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/official"
)

// TestOfficialDriverOnGoldenCases repeats the cases with the driver in real time. The loaded, issued and logged samples
// must be those of the official program.
func TestOfficialDriverOnGoldenCases(t *testing.T) {
	l := golden.Library(t, official.Open)
	files, err := filepath.Glob(filepath.Join(golden.Root(t), "loadgen", "cases", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases (%v)", err)
	}
	for _, f := range files {
		c := readCase(t, f)
		t.Run(c.Name, func(t *testing.T) { c.drive(t, l) })
	}
}

func (c *goldenCase) drive(t *testing.T, l *official.Library) {
	if c.refused() || c.endless() {
		t.Skip("ours refuses these settings, or ends the search")
	}
	dir := t.TempDir()
	w := c.witness(nil)
	r, err := l.StartTest(t.Context(), w, library{w}, c.Settings.test(), loadgen.LogSettings{OutDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Trials) > 0 { // in real time the outcomes of trials depend on the machine
		if len(r.Trials) == 0 || r.Trials[0].TargetQPS != c.Settings.test().ServerTargetQPS {
			t.Errorf("trials %+v", r.Trials)
		}
		return
	}
	c.checkCalls(t, w)
	c.checkAccuracyLog(t, filepath.Join(dir, "mlperf_log_accuracy.json"))
	c.checkResult(t, r)
	if c.Settings.Mode != "AccuracyOnly" && r.Verdict == "" {
		t.Error("there is no verdict")
	}
}

// TestOfficialDriverOnGoldenLogs repeats the recorded runs with the driver. The settings, the sets and the counts in
// the detail log must be equal. If the verdict is that of the recorded run, the keys must also have the same order.
func TestOfficialDriverOnGoldenLogs(t *testing.T) {
	l := golden.Library(t, official.Open)
	dirs, err := filepath.Glob(filepath.Join(golden.Root(t), "loadgen", "logs", "*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no logs (%v)", err)
	}
	for _, dir := range dirs {
		c := readLogCase(t, dir)
		t.Run(c.Name, func(t *testing.T) { c.drive(t, l) })
	}
}

func (c *logCase) drive(t *testing.T, l *official.Library) {
	if c.hung || c.misbehaves() || len(c.Conf) > 0 || c.Settings.Scenario == "" {
		t.Skip("the official program misbehaves here, or reads its configuration by itself")
	}
	out := t.TempDir()
	s, logs := c.configure(t, out)
	if c.Audit != "" {
		logs.Audit = filepath.Join(t.TempDir(), mlconf.AuditFile)
		if err := os.WriteFile(logs.Audit, []byte(c.Audit), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	qsl := pyQSL{loadgentest.QSL{Total: c.QSL[0], Performance: c.QSL[1]}}
	if _, err := l.StartTest(t.Context(), c.sleeper(), qsl, s, logs); err != nil {
		t.Fatal(err)
	}
	if s.Mode == loadgen.FindPeakPerformance {
		c.sameFacts(t, out, "requested_", "effective_", "qsl_")
		return
	}
	c.sameFacts(t, out, "requested_", "effective_", "loaded_", "generated_", "qsl_", "sut_name")
	if got, want := c.keys(t, out), c.keys(t, c.dir); verdict(got) == verdict(want) && !slices.Equal(got, want) {
		t.Errorf("keys:\n got %q\nwant %q", got, want)
	}
}

// pySUT and pyQSL have the names of the recorded runs' SUT and QSL.
type pySUT struct{ *loadgentest.Script }

func (pySUT) Name() string { return "PySUT" }

type pyQSL struct{ loadgentest.QSL }

func (pyQSL) Name() string { return "PyQSL" }

// queue returns the latencies of a SUT that answers one query after another, each in the same time.
func queue(each time.Duration) func(loadgen.QuerySample) time.Duration {
	var free time.Time
	return func(loadgen.QuerySample) time.Duration {
		now := time.Now()
		if free.Before(now) {
			free = now
		}
		free = free.Add(each)
		return free.Sub(now)
	}
}

// sleeper returns a SUT with the latencies of the recorded run's SUT. That one answered one query after another, which
// ends a search.
func (c *logCase) sleeper() loadgen.SUT {
	sleep := time.Millisecond
	if c.SleepS != nil {
		sleep = time.Duration(*c.SleepS * float64(time.Second))
	}
	script := &loadgentest.Script{
		Latency: func(loadgen.QuerySample) time.Duration { return sleep },
		Data:    func(s loadgen.QuerySample) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(s.Index)) },
	}
	if c.Settings.Mode == "FindPeakPerformance" {
		script.Latency = queue(sleep)
	}
	if c.Settings.UseTokenLatencies {
		script.FirstToken = func(loadgen.QuerySample) time.Duration { return sleep }
		script.Latency = func(loadgen.QuerySample) time.Duration { return 2 * sleep }
		script.Tokens = func(s loadgen.QuerySample) int64 { return c.tokensOf(s.Index) }
	}
	return pySUT{script}
}

// sameFacts compares the entries of the detail log whose keys have one of the prefixes.
func (c *logCase) sameFacts(t *testing.T, out string, prefixes ...string) {
	t.Helper()
	facts := func(dir string) []string {
		var list []string
		for _, e := range c.details(t, dir) {
			if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(e.Key, p) }) {
				list = append(list, e.Key+" = "+e.Value)
			}
		}
		return list
	}
	got, want := facts(out), facts(c.dir)
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("got %s, want %s", got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d settings and counts, want %d", len(got), len(want))
	}
}

// keys returns the keys of the detail log without warnings of the logger, with the values of the conditions.
func (c *logCase) keys(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	for _, e := range c.details(t, dir) {
		switch {
		case strings.HasPrefix(e.Key, "warning_"):
		case strings.HasSuffix(e.Key, "_met"), e.Key == "result_validity":
			list = append(list, e.Key+" = "+e.Value)
		default:
			list = append(list, e.Key)
		}
	}
	return list
}

// verdict returns the run's conditions that determine the set of keys.
func verdict(keys []string) string {
	var list []string
	for _, k := range keys {
		if strings.Contains(k, " = ") || k == "error_runtime" {
			list = append(list, k)
		}
	}
	return strings.Join(list, ", ")
}
