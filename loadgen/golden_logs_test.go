package loadgen_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// logCase is a run of the official LoadGen of which the four logs are kept.
type logCase struct {
	Name     string
	Settings struct {
		goldenSettings
		Defer       bool // answers come from FlushQueries
		InferTokens bool `json:"infer_token_latencies"`
	}
	QSL            [2]int   // total and performance count
	SleepS         *float64 `json:"sleep_s"`
	Prefix, Suffix string
	Audit          string
	Conf           [][]string
	Double         bool

	dir string
}

// TestGoldenLogs repeats runs of the official LoadGen and compares all logs. Where its trace log is kept, the issue and
// completion times are those of the trace, and the summary, detail and accuracy logs must be equal in content; else
// the SUT answers after the same sleep, and they must be equal in form.
func TestGoldenLogs(t *testing.T) { walkLogs(t, filepath.Join(goldenDir(t), "loadgen", "logs")) }

// TestOwnGoldenLogs does the same with the few runs that are kept beside the code.
func TestOwnGoldenLogs(t *testing.T) { walkLogs(t, filepath.Join("testdata", "logs")) }

func walkLogs(t *testing.T, dir string) {
	dirs, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no runs in %s (%v)", dir, err)
	}
	outcomes := map[string]int{}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			how := readLogCase(t, dir).check(t)
			t.Log(how)
			kind, _, _ := strings.Cut(how, ":")
			outcomes[kind]++
			if kind == "not delivered" {
				t.Skip(how)
			}
		})
	}
	t.Logf("%d runs: %v", len(dirs), outcomes)
}

func readLogCase(t *testing.T, dir string) *logCase {
	t.Helper()
	c := &logCase{Name: filepath.Base(dir), dir: dir}
	text, err := os.ReadFile(filepath.Join(dir, "case.json"))
	if errors.Is(err, os.ErrNotExist) {
		return c // the run hung and was killed
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, c); err != nil {
		t.Fatalf("%s: %v", dir, err)
	}
	return c
}

// check compares one run and says how: "equal in content", "equal in form", "our error: ..." or "not delivered: ...".
func (c *logCase) check(t *testing.T) string {
	if why := c.notDelivered(); why != "" {
		return "not delivered: " + why
	}
	trace := c.trace(t)
	sut := newReplay(c, trace)
	if rate, queries := c.overhead(t); len(trace) > 0 && rate > 0 {
		sut.findLead(rate, queries)
	}
	out := t.TempDir()
	ctx, cancel := context.WithTimeout(withVirtual(t.Context(), sut), time.Minute)
	defer cancel()
	qsl := replayQSL{&loadgentest.QSL{Total: c.QSL[0], Performance: c.QSL[1]}, sut}
	settings := c.Settings.test()
	if c.Settings.Mode == "" {
		settings.Mode = loadgen.PerformanceOnly
	}
	_, err := loadgen.StartTest(ctx, sut, qsl, settings, loadgen.LogSettings{OutDir: out, Prefix: c.Prefix, Suffix: c.Suffix})
	if c.misbehaves() {
		if err == nil {
			t.Errorf("no error where the official LoadGen misbehaves")
			return "equal"
		}
		return "our error: " + err.Error()
	}
	if err != nil {
		t.Fatal(err)
	}
	exact := len(trace) > 0
	c.compareDetail(t, out, exact)
	c.compareSummary(t, out, exact)
	if exact {
		compareBytes(t, c.read(t, out, "accuracy", ".json"), c.read(t, c.dir, "accuracy", ".json"))
		return "equal in content"
	}
	return "equal in form"
}

func (c *logCase) notDelivered() string {
	switch s := c.Settings; {
	case len(s.Scenario) == 0:
		return "several issue threads"
	case s.Mode == "FindPeakPerformance" && s.Scenario == "Server":
		return "FindPeakPerformance"
	case s.ServerCoalesceQueries:
		return "coalesced queries"
	case s.UseTokenLatencies:
		return "token latencies"
	case s.InferTokens:
		return "inferred tokens"
	case c.Audit != "":
		return "audit.config in StartTest: package mlconf applies it"
	case c.Conf != nil:
		return "errors of FromConfig before StartTest: package mlconf reports them"
	}
	return ""
}

// misbehaves names the runs in which the official LoadGen goes on where ours returns an error.
func (c *logCase) misbehaves() bool {
	s := c.Settings
	return c.Double || s.Mode == "FindPeakPerformance" || s.IssueUnique && s.IssueSame ||
		s.ServerTargetQPS != nil && *s.ServerTargetQPS <= 0
}

// trace reads the samples of the trace log, in the order of their numbers.
func (c *logCase) trace(t *testing.T) []mllog.TraceSample {
	t.Helper()
	r := mllog.NewTraceReader(bytes.NewReader(c.read(t, c.dir, "trace", ".json")))
	var list []mllog.TraceSample
	for {
		e, err := r.Next()
		if err != nil {
			break // the end: the reader's own tests are elsewhere
		}
		if s, ok := e.Sample(); ok {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b mllog.TraceSample) int { return int(a.SampleSeq) - int(b.SampleSeq) })
	return list
}

// overhead is the official rate with overhead and the number of queries, of SingleStream performance runs.
func (c *logCase) overhead(t *testing.T) (rate float64, queries int) {
	for _, e := range c.entries(t, c.dir) {
		switch e.Key {
		case "result_qps_with_loadgen_overhead":
			rate, _ = e.Float()
		case "result_query_count":
			n, _ := e.Uint()
			queries = int(n)
		}
	}
	return rate, queries
}

func (c *logCase) entries(t *testing.T, dir string) []mllog.DetailEntry {
	t.Helper()
	entries, err := mllog.ReadDetail(bytes.NewReader(c.read(t, dir, "detail", ".txt")))
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func (c *logCase) read(t *testing.T, dir, kind, ext string) []byte {
	t.Helper()
	prefix := c.Prefix
	if prefix == "" {
		prefix = "mlperf_log_"
	}
	text, err := os.ReadFile(filepath.Join(dir, prefix+kind+c.Suffix+ext))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The keys whose values differ from run to run: of hosts, dates, builds and clocks.
var volatile = regexp.MustCompile(`^(loadgen_.*|test_datetime|get_sut_name_duration_ns|power_begin|power_end|logger_.*)$`)

// The keys whose values depend on the latencies.
var timed = regexp.MustCompile(`^(result_.*|early_stopping_.*|error_runtime)$`)

func (c *logCase) compareDetail(t *testing.T, out string, exact bool) {
	t.Helper()
	got, want := c.details(t, out), c.details(t, c.dir)
	for i := range min(len(got), len(want)) {
		g, w := got[i], want[i]
		switch {
		case volatile.MatchString(w.Key):
			g, w = kindOnly(g), kindOnly(w)
		case timed.MatchString(w.Key) && !exact:
			g, w = withoutNumbers(g), withoutNumbers(w)
		}
		if g != w {
			t.Fatalf("detail log, entry %d:\n got %+v\nwant %+v", i, g, w)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("detail log: %d entries, want %d", len(got), len(want))
	}
}

// detailLine is an entry without what the run's circumstances fill in; Value is as written.
type detailLine struct {
	Key, Value     string
	Error, Warning bool
}

func (c *logCase) details(t *testing.T, dir string) []detailLine {
	t.Helper()
	var list []detailLine
	for _, e := range c.entries(t, dir) {
		line := mllog.AppendDetail(nil, mllog.DetailEntry{Value: e.Value})
		value := bytes.TrimPrefix(line, []byte(mllog.DetailPrefix+`{"key": "", "value": `))
		value, _, _ = bytes.Cut(value, []byte(`, "time_ms": `))
		if noise.Match(value) {
			continue
		}
		list = append(list, detailLine{e.Key, string(value), e.Error, e.Warning})
	}
	return list
}

// noise are warnings of the official logger about itself.
var noise = regexp.MustCompile(`CAS failed|Logging allocation detected`)

// kindOnly leaves the kind of a value: its first byte, or that it is a number.
func kindOnly(l detailLine) detailLine {
	l.Value = numbers.ReplaceAllString(l.Value, "N")[:1]
	return l
}

var numbers = regexp.MustCompile(`-?\b(\d+(\.\d+)?(e[+-]\d+)?|nan|inf)\b`)

func withoutNumbers(l detailLine) detailLine {
	l.Value = numbers.ReplaceAllString(l.Value, "N")
	return l
}

func (c *logCase) compareSummary(t *testing.T, out string, exact bool) {
	t.Helper()
	got, want := c.read(t, out, "summary", ".txt"), c.read(t, c.dir, "summary", ".txt")
	if !exact {
		got, want = numbers.ReplaceAll(got, []byte("N")), numbers.ReplaceAll(want, []byte("N"))
	}
	if noise.Match(c.read(t, c.dir, "detail", ".txt")) {
		want = regexp.MustCompile(`.* warnings? encountered.*`).ReplaceAll(want, []byte("No warnings encountered during test."))
	}
	compareBytes(t, got, want)
}

func compareBytes(t *testing.T, got, want []byte) {
	t.Helper()
	g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("line %d:\n got %.300q\nwant %.300q", i+1, g[i], w[i])
		}
	}
	if len(g) != len(w) {
		t.Fatalf("%d lines, want %d", len(g), len(w))
	}
}

// indexData is the payload of the runs' SUT: the index of the sample.
func indexData(index loadgen.SampleIndex) []byte {
	return binary.LittleEndian.AppendUint32(nil, uint32(index))
}
