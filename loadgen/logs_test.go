package loadgen

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// logged writes the logs of a judged series and returns their directory.
func logged(t *testing.T, l LogSettings, e EffectiveSettings, p *testSeries) *Result {
	t.Helper()
	g, err := openLogs(l)
	if err != nil {
		t.Fatal(err)
	}
	s := DefaultTestSettings()
	s.Scenario = e.Scenario
	g.logStart("sut", 12, "qsl", 100, 10)
	g.logRequested(s)
	g.logEffective(e, s)
	g.logMode(PerformanceOnly)
	g.logLoadedSet([]SampleIndex{3, 1, 2})
	g.logGenerated(p)
	if err := g.accuracyWriter().Write(5, 6, []byte{0xAB}); err != nil {
		t.Error(err)
	}
	g.logWarning("careful")
	g.logError("went wrong")
	g.logSeriesEnd(p)
	r := &Result{SUTName: "sut"}
	judgeSeries(s, e, p, r)
	p.index, p.firstQuery, p.firstSample = func(i int) SampleIndex { return SampleIndex(i) * 10 }, 7, 1000
	g.traceSeries(p)
	if err := g.finishLogs(r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestLogs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	var copied bytes.Buffer
	p := plan(3, 1, time.Second, time.Microsecond, constant(2*time.Millisecond))
	r := logged(t, LogSettings{OutDir: dir, Prefix: "p_", Suffix: "_s", EnableTrace: true, CopySummaryTo: &copied},
		effectiveFor(Server), p)
	want := []string{"p_summary_s.txt", "p_detail_s.txt", "p_accuracy_s.json", "p_trace_s.json"}
	for i, path := range r.LogFiles {
		if path != filepath.Join(dir, want[i]) {
			t.Errorf("log file %s, want %s", path, want[i])
		}
	}
	if len(r.Errors) != 1 || r.Errors[0] != (LoggedError{Key: "error_runtime", Message: "went wrong"}) ||
		len(r.Warnings) != 1 || !r.Warnings[0].Warning {
		t.Errorf("errors %v, warnings %v", r.Errors, r.Warnings)
	}
	if r.AccuracySampleCount != 1 {
		t.Errorf("%d accuracy entries", r.AccuracySampleCount)
	}
	summary := slurp(t, r.LogFiles[0])
	if summary != copied.String() || !strings.HasSuffix(summary,
		"\n1 warning encountered. See detailed log.\n\n1 ERROR encountered. See detailed log.\n") {
		t.Errorf("summary %q, copy %q", summary, copied.String())
	}
	checkTrace(t, r.LogFiles[3])
	if got := slurp(t, r.LogFiles[2]); got != "[\n{ \"seq_id\" : 5, \"qsl_idx\" : 6, \"data\" : \"AB\" }\n]\n" {
		t.Errorf("accuracy log %q", got)
	}
}

func checkTrace(t *testing.T, path string) {
	t.Helper()
	r := mllog.NewTraceReader(strings.NewReader(slurp(t, path)))
	for i := uint64(0); ; {
		e, err := r.Next()
		if err != nil {
			if i != 3 {
				t.Errorf("%d samples in the trace: %v", i, err)
			}
			return
		}
		s, ok := e.Sample()
		if !ok {
			continue
		}
		s.Scheduled = 0
		if want := (mllog.TraceSample{SampleSeq: 1000 + i, QuerySeq: 7 + i, Index: 10 * i, IssueDelay: 1000,
			Latency: 2e6}); s != want {
			t.Errorf("trace %+v, want %+v", s, want)
		}
		i++
	}
}

func slurp(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestDetailEntriesSayWhereTheyComeFrom(t *testing.T) {
	dir := t.TempDir()
	logged(t, LogSettings{OutDir: dir}, effectiveFor(Server), plan(3, 1, time.Second, 0, constant(1)))
	f, err := os.Open(filepath.Join(dir, "mlperf_log_detail.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	entries, err := mllog.ReadDetail(f)
	if err != nil {
		t.Fatal(err)
	}
	last := time.Duration(0)
	for _, e := range entries {
		if !strings.HasSuffix(e.File, ".go") || e.Line == 0 || e.PID != int64(os.Getpid()) || e.Time < last {
			t.Errorf("%+v", e)
		}
		last = e.Time
		if e.Error != strings.HasPrefix(e.Key, "error_") || e.Warning != strings.HasPrefix(e.Key, "warning_") {
			t.Errorf("%+v", e)
		}
	}
}

func TestNoOutDirWritesNoFile(t *testing.T) {
	t.Chdir(t.TempDir())
	var copied bytes.Buffer
	r := logged(t, LogSettings{CopySummaryTo: &copied, EnableTrace: true}, effectiveFor(Server),
		plan(3, 1, time.Second, 0, constant(1)))
	if files, _ := os.ReadDir("."); len(files) > 0 || len(r.LogFiles) > 0 {
		t.Errorf("files %v, %v", files, r.LogFiles)
	}
	if len(r.Errors) != 1 || len(r.Warnings) != 1 || !strings.Contains(copied.String(), "MLPerf Results Summary") {
		t.Errorf("%v %v %q", r.Errors, r.Warnings, copied.String())
	}
}

func TestAccuracyOnlySummaryIsTheFooter(t *testing.T) {
	dir := t.TempDir()
	g, err := openLogs(LogSettings{OutDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.finishLogs(&Result{}); err != nil {
		t.Fatal(err)
	}
	const want = "\nNo warnings encountered during test.\n\nNo errors encountered during test.\n"
	if got := slurp(t, filepath.Join(dir, "mlperf_log_summary.txt")); got != want {
		t.Errorf("%q", got)
	}
	if got := slurp(t, filepath.Join(dir, "mlperf_log_trace.json")); got != "" {
		t.Errorf("trace without tracing: %q", got)
	}
}

func TestOpenLogsFaults(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, taken := range []string{"mlperf_log_detail.txt", "mlperf_log_trace.json"} {
		if err := os.Mkdir(filepath.Join(dir, taken), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		dir  string
		want []string
	}{
		{filepath.Join(file, "below"), []string{"output directory", "file"}},
		{dir, []string{"mlperf_log_detail.txt", "mlperf_log_trace.json"}},
	} {
		_, err := openLogs(LogSettings{OutDir: c.dir})
		if !errors.Is(err, ErrLogs) {
			t.Errorf("%s: %v, want ErrLogs", c.dir, err)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%v: want %s in it", err, part)
			}
		}
	}
}

// TestLogsThatDisappear requires an error that names the missing logs, for several ways in which they can disappear.
func TestLogsThatDisappear(t *testing.T) {
	detail := func(dir string) string { return filepath.Join(dir, "mlperf_log_detail.txt") }
	for name, c := range map[string]struct {
		deed func(dir string) error
		gone int // missing logs
	}{
		"nothing happens":       {func(string) error { return nil }, 0},
		"another file is there": {func(dir string) error { return os.WriteFile(filepath.Join(dir, "mine"), nil, 0o600) }, 0},
		"deleted":               {func(dir string) error { return os.Remove(detail(dir)) }, 1},
		"moved":                 {func(dir string) error { return os.Rename(detail(dir), detail(dir)+".old") }, 1},
		"replaced": {func(dir string) error {
			return errors.Join(os.Remove(detail(dir)), os.WriteFile(detail(dir), nil, 0o600))
		}, 1},
		"replaced by a link": {func(dir string) error {
			return errors.Join(os.Rename(detail(dir), detail(dir)+".old"), os.Symlink(detail(dir)+".old", detail(dir)))
		}, 1},
		"the folder is deleted": {os.RemoveAll, 4},
		"the folder is moved":   {func(dir string) error { return os.Rename(dir, dir+".old") }, 4},
		"the folder is replaced": {func(dir string) error {
			return errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700), os.WriteFile(detail(dir), nil, 0o600))
		}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			g, err := openLogs(LogSettings{OutDir: dir})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.deed(dir); err != nil {
				t.Skip(err) // this system prevents it
			}
			err = g.finishLogs(&Result{})
			if errors.Is(err, ErrLogsLost) != (c.gone > 0) || errors.Is(err, ErrLogs) != (c.gone > 0) {
				t.Fatalf("error %v, %d logs are lost", err, c.gone)
			}
			if c.gone > 0 && strings.Count(err.Error(), "mlperf_log_") != c.gone {
				t.Errorf("error %v, want %d logs named", err, c.gone)
			}
		})
	}
}

// TestLogsFollowNoLinks replaces the logs by links. StartTest must not write to the links' targets.
func TestLogsFollowNoLinks(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	names := []string{"mlperf_log_summary.txt", "mlperf_log_detail.txt", "mlperf_log_accuracy.json",
		"mlperf_log_trace.json"}
	for _, name := range names {
		target := filepath.Join(elsewhere, name)
		if err := os.WriteFile(target, []byte("precious"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	g, err := openLogs(LogSettings{OutDir: dir, EnableTrace: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.finishLogs(&Result{}); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if got := slurp(t, filepath.Join(elsewhere, name)); got != "precious" {
			t.Errorf("what a link in the place of %s names was written to: %q", name, got)
		}
		if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || !info.Mode().IsRegular() {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

func TestEntriesFromManyGoroutines(t *testing.T) {
	dir := t.TempDir()
	g, err := openLogs(LogSettings{OutDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				g.logMessage("m")
				g.logWarning("w")
				g.logError("e")
				_ = g.accuracyWriter().Write(1, 2, []byte{3})
			}
		})
	}
	wg.Wait()
	r := &Result{}
	if err := g.finishLogs(r); err != nil {
		t.Fatal(err)
	}
	if len(r.Errors) != 400 || len(r.Warnings) != 400 || r.AccuracySampleCount != 400 {
		t.Errorf("%d errors, %d warnings, %d entries", len(r.Errors), len(r.Warnings), r.AccuracySampleCount)
	}
	entries, err := mllog.ReadDetail(strings.NewReader(slurp(t, filepath.Join(dir, "mlperf_log_detail.txt"))))
	if err != nil || len(entries) != 1200 {
		t.Errorf("%d entries: %v", len(entries), err)
	}
}

// The names of the logs may contain the date, and the detail log may have an identical copy. An error of the copy
// affects only the copy.
func TestDatetimeAndCopies(t *testing.T) {
	var copied bytes.Buffer
	r := logged(t, LogSettings{OutDir: t.TempDir(), PrefixWithDatetime: true, CopyDetailTo: &copied}, effectiveFor(Server),
		plan(3, 1, time.Second, 0, constant(1)))
	detail := slurp(t, r.LogFiles[1])
	_, rest, _ := strings.Cut(detail, `"key": "test_datetime", "value": "`)
	at, _, _ := strings.Cut(rest, `"`)
	if name := filepath.Base(r.LogFiles[1]); at == "" || name != "mlperf_log_"+at+"_detail.txt" {
		t.Errorf("detail log %s of a test that began at %q", name, at)
	}
	if copied.String() != detail {
		t.Error("the copy differs from the log")
	}
	var alone bytes.Buffer
	logged(t, LogSettings{CopyDetailTo: &alone}, effectiveFor(Server), plan(3, 1, time.Second, 0, constant(1)))
	if strings.Count(alone.String(), "\n") != strings.Count(detail, "\n") {
		t.Error("without a directory the copy is another")
	}
	dir := t.TempDir()
	g, err := openLogs(LogSettings{OutDir: dir, CopyDetailTo: failingWriter{}})
	if err != nil {
		t.Fatal(err)
	}
	g.logError("first")
	g.logError("second")
	if err := g.finishLogs(&Result{}); !errors.Is(err, errNoSpace) || !errors.Is(err, ErrLogs) {
		t.Errorf("the copy's fault is not told: %v", err)
	}
	if text := slurp(t, filepath.Join(dir, "mlperf_log_detail.txt")); !strings.Contains(text, "second") {
		t.Errorf("the copy's fault costs the log: %q", text)
	}
}

var errNoSpace = errors.New("no space")

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errNoSpace }

// The trace shows the phases of the test in addition to its samples.
func TestTraceShowsPhases(t *testing.T) {
	dir := t.TempDir()
	s := DefaultTestSettings()
	s.Mode, s.MinDuration, s.MinQueryCount = SubmissionRun, 0, 64
	if _, err := StartTest(t.Context(), echo{}, echo{}, s, LogSettings{OutDir: dir, EnableTrace: true}); err != nil {
		t.Fatal(err)
	}
	text := slurp(t, filepath.Join(dir, "mlperf_log_trace.json"))
	if !json.Valid([]byte(text)) {
		t.Error("the trace is not JSON")
	}
	var spans []string
	for r := mllog.NewTraceReader(strings.NewReader(text)); ; {
		e, err := r.Next()
		if err != nil {
			break
		}
		if e.Phase == "X" {
			spans = append(spans, e.Name)
		}
	}
	one := []string{"GenerateQueries", "RunQueries", "UnloadSamples"}
	want := slices.Concat([]string{"LoadSamples"}, one, []string{"LoadSamples", "WarmUp"}, one)
	if !slices.Equal(spans, want) {
		t.Errorf("spans %v, want %v", spans, want)
	}
}

// echo is a SUT and a library of eight samples.
type echo struct{}

func (echo) Name() string                                              { return "echo" }
func (echo) TotalSampleCount() int                                     { return 8 }
func (echo) PerformanceSampleCount() int                               { return 8 }
func (echo) LoadSamplesToRAM(context.Context, []SampleIndex) error     { return nil }
func (echo) UnloadSamplesFromRAM(context.Context, []SampleIndex) error { return nil }
func (echo) FlushQueries(context.Context) error                        { return nil }
func (echo) WarmUp(context.Context) error                              { return nil }

func (echo) IssueQuery(_ context.Context, q Query, r Responder) error {
	r.QuerySamplesComplete([]QuerySampleResponse{{ID: q.Samples[0].ID}})
	return nil
}
