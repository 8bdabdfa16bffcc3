package loadgen_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

// goldenCase is one run of the official LoadGen with a SUT that answers inside IssueQuery. Lists may be shortened.
// Their totals and checksums are those of the whole lists.
type goldenCase struct {
	Name      string
	Exact     string `json:"deterministic"` // "full", or the facts that do not depend on timing
	Settings  goldenSettings
	QSL       struct{ Total, Performance int }
	Effective map[string]any
	Generated []goldenGenerated
	Events    [][]any

	LoadsTotal  []int             `json:"loads_total"`
	LoadsSHA    []string          `json:"loads_sha256_u64le"`
	Loads       []json.RawMessage `json:"loads"`
	Queries     [][]uint64
	QueriesN    int      `json:"queries_total"`
	SamplesN    int      `json:"samples_total"`
	SamplesSHA  string   `json:"samples_sha256_u64le"`
	SizesSHA    string   `json:"query_sizes_sha256_u64le"`
	Schedule    []uint64 `json:"schedule_ns"`
	ScheduleN   int      `json:"schedule_total"`
	ScheduleSHA string   `json:"schedule_sha256_u64le"`
	AccuracyN   int      `json:"accuracy_log_total"`
	AccuracySHA string   `json:"accuracy_log_sha256_u64le"`
	Messages    [][2]string
	Result      map[string]any
	Trials      [][2]any `json:"fpp_runs"` // target_qps, "pass" or "fail"
}

type goldenGenerated struct {
	Queries  uint64 `json:"query_count"`
	PerQuery uint64 `json:"samples_per_query"`
	Duration uint64 `json:"duration_ns"`
}

// TestGoldenCases repeats the runs of the official LoadGen with StartTest on virtual time. The SUT answers at once,
// each Server query is issued exactly when it is due, and runs of any length take milliseconds. The loaded, issued,
// scheduled and logged samples must be equal.
func TestGoldenCases(t *testing.T) {
	walkGolden(t, filepath.Join(golden.Root(t), "loadgen", "cases")+"/")
}

// TestGoldenOwnCases does the same with the few cases in this repository.
func TestGoldenOwnCases(t *testing.T) { walkGolden(t, filepath.Join("testdata", "cases")+"/") }

// TestGoldenFoundCases requires that StartTest refuses runs in which the official program reads out of range.
func TestGoldenFoundCases(t *testing.T) {
	walkGolden(t, filepath.Join(golden.Root(t), "found", "loadgen_"))
}

// walkGolden runs the cases in files whose paths have this prefix.
func walkGolden(t *testing.T, dir string) {
	files, err := filepath.Glob(dir + "*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s (%v)", dir, err)
	}
	for _, f := range files {
		c := readCase(t, f)
		t.Run(c.Name, func(t *testing.T) {
			c.check(t)
		})
	}
	t.Logf("%d cases", len(files))
}

func readCase(t *testing.T, path string) *goldenCase {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := &goldenCase{}
	d := json.NewDecoder(bytes.NewReader(quoteNonFinite(text)))
	d.UseNumber()
	if err := d.Decode(c); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return c
}

// refused reports whether the official program runs nothing in the case, or reads out of range.
func (c *goldenCase) refused() bool {
	return len(c.Events) == 0 || c.Settings.refused(c.QSL.Total, c.QSL.Performance)
}

// endless reports whether a search exceeds one query per nanosecond, the rate at which ours ends.
func (c *goldenCase) endless() bool {
	for _, trial := range c.Trials {
		if qps, err := trial[0].(json.Number).Float64(); err == nil && qps > 1e9 {
			return true
		}
	}
	return false
}

func (c *goldenCase) check(t *testing.T) {
	clock := &loadgentest.Clock{}
	w := c.witness(clock)
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(loadgentest.WithClock(t.Context(), clock), 10*time.Minute)
	defer cancel()
	r, err := loadgen.StartTest(ctx, w, library{w}, c.Settings.test(), loadgen.LogSettings{OutDir: dir})
	if c.refused() {
		if !errors.Is(err, loadgen.ErrBadSettings) || len(w.events) != 0 {
			t.Fatalf("error %v and %d calls, want ErrBadSettings and none", err, len(w.events))
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if c.endless() {
		if len(r.Warnings) == 0 || !strings.Contains(r.Warnings[0].Message, "no failing rate found") {
			t.Errorf("warnings %v, want that no rate fails", r.Warnings)
		}
		return
	}
	c.checkCalls(t, w)
	c.checkSchedule(t, w)
	c.checkDetail(t, filepath.Join(dir, "mlperf_log_detail.txt"))
	c.checkAccuracyLog(t, filepath.Join(dir, "mlperf_log_accuracy.json"))
	c.checkResult(t, r)
}

// checkCalls compares the calls to the SUT and its library.
func (c *goldenCase) checkCalls(t *testing.T, w *witness) {
	t.Helper()
	c.checkEvents(t, w)
	c.checkLoads(t, w)
	c.checkQueries(t, w)
}

// witness is a SUT that records the calls to itself and to its library.
type witness struct {
	loadgentest.Script
	QSL    loadgentest.QSL
	clock  *loadgentest.Clock
	events []string
	loads  [][]uint64
	ends   []int // the number of queries up to the end of each series
}

// witness returns the case's SUT. Without a clock its times are real.
func (c *goldenCase) witness(clock *loadgentest.Clock) *witness {
	w := &witness{QSL: loadgentest.QSL{Total: c.QSL.Total, Performance: c.QSL.Performance}, clock: clock}
	w.Clock = clock
	if c.Settings.UseTokenLatencies {
		w.FirstToken = func(loadgen.QuerySample) time.Duration { return 0 }
		w.Tokens = func(loadgen.QuerySample) int64 { return 2 }
	}
	if len(c.Trials) > 0 {
		w.Latency = func(loadgen.QuerySample) time.Duration { return c.trialLatency(len(w.ends)) }
	}
	return w
}

// trialLatency returns the latency with which a trial of FindPeakPerformance has the official outcome.
func (c *goldenCase) trialLatency(trial int) time.Duration {
	if c.Trials[trial][1] == "fail" {
		return c.Settings.test().ServerTargetLatency + time.Millisecond
	}
	return 0
}

func (w *witness) IssueQuery(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
	w.events = append(w.events, "issue")
	return w.Script.IssueQuery(ctx, q, r)
}

func (w *witness) FlushQueries(ctx context.Context) error {
	w.events = append(w.events, "flush")
	w.ends = append(w.ends, len(w.Queries()))
	return w.Script.FlushQueries(ctx)
}

// library is the QSL of a witness.
type library struct{ *witness }

func (l library) Name() string                { return l.QSL.Name() }
func (l library) TotalSampleCount() int       { return l.QSL.TotalSampleCount() }
func (l library) PerformanceSampleCount() int { return l.QSL.PerformanceSampleCount() }

func (l library) LoadSamplesToRAM(_ context.Context, set []loadgen.SampleIndex) error {
	l.events = append(l.events, "load")
	l.loads = append(l.loads, widened(set))
	return nil
}

func (l library) UnloadSamplesFromRAM(_ context.Context, set []loadgen.SampleIndex) error {
	same := "other"
	if equal(widened(set), l.loads[len(l.loads)-1]) {
		same = "same"
	}
	l.events = append(l.events, "unload "+same)
	return nil
}

func widened(set []loadgen.SampleIndex) []uint64 {
	out := make([]uint64, len(set))
	for i, v := range set {
		out[i] = uint64(v)
	}
	return out
}

func equal(a, b []uint64) bool { return sum64(a) == sum64(b) }

// summary shortens repetitions of one event: "load issue*40 flush unload same".
func summary(events []string) string {
	var out []string
	for i := 0; i < len(events); {
		n := 1
		for i+n < len(events) && events[i+n] == events[i] {
			n++
		}
		out = append(out, events[i]+"*"+itoa(n))
		i += n
	}
	return strings.Join(out, " ")
}
