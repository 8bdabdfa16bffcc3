package loadgen_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// logCase is a run of the official LoadGen with its four logs.
type logCase struct {
	Name     string
	Settings struct {
		goldenSettings
		Defer bool // answers come from FlushQueries
	}
	QSL            [2]int   // total and performance count
	SleepS         *float64 `json:"sleep_s"`
	Prefix, Suffix string
	Audit          string
	Conf           [][]string
	Double         bool
	NTokens        *int64 `json:"n_tokens"`
	// NTokensMod makes n_tokens grow with the sample's index modulo NTokensMod.
	NTokensMod uint32 `json:"n_tokens_mod"`

	dir string
	met []bool // outcomes of FindPeakPerformance's trials
	// hung reports that the official program hung and was killed. Its logs end at an error, and ours continue.
	hung bool
}

// TestGoldenLogs repeats runs of the official LoadGen and compares all logs. If a run has a trace log, it repeats the
// issue and completion times of the trace, and the summary, detail and accuracy logs must have the same content.
// Otherwise the SUT answers after the same sleep, and the logs must have the same form.
func TestGoldenLogs(t *testing.T) {
	checkTable(t, walkLogs(t, filepath.Join(golden.Root(t), "loadgen", "logs")))
}

// TestOwnGoldenLogs does the same with the few runs in this repository.
func TestOwnGoldenLogs(t *testing.T) { walkLogs(t, filepath.Join("testdata", "logs")) }

// walkLogs returns the result of the comparison of each run.
func walkLogs(t *testing.T, dir string) map[string]string {
	dirs, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no runs in %s (%v)", dir, err)
	}
	outcomes := map[string]string{}
	for _, dir := range dirs {
		name := filepath.Base(dir)
		t.Run(name, func(t *testing.T) { outcomes[name] = readLogCase(t, dir).check(t) })
	}
	return outcomes
}

func readLogCase(t *testing.T, dir string) *logCase {
	t.Helper()
	c := &logCase{Name: filepath.Base(dir), dir: dir}
	text, err := os.ReadFile(filepath.Join(dir, "case.json"))
	if errors.Is(err, os.ErrNotExist) {
		c.hung = true
		c.recover(t)
		return c
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(quoteNonFinite(text), c); err != nil {
		t.Fatalf("%s: %v", dir, err)
	}
	return c
}

// check compares one run and returns the result: "equal in content", "equal in form", "our error: ..." or a text that
// the official run hung.
func (c *logCase) check(t *testing.T) string {
	c.met = c.trials(t)
	out, exact, err := c.run(t)
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
	if c.hung {
		c.compareBeginning(t, out)
		return "our run, where the official one hangs"
	}
	c.compareDetail(t, out, exact)
	c.compareSummary(t, out, exact)
	compareBytes(t, c.read(t, out, "accuracy", ".json"), c.read(t, c.dir, "accuracy", ".json"))
	if exact {
		return "equal in content"
	}
	return "equal in form"
}

// run repeats the run. It returns the directory of its logs, and whether its times are those of a trace. Without a
// trace it tries SUTs of different speeds until the verdict is that of the official run, because the speed of the
// official run's machine is not known.
func (c *logCase) run(t *testing.T) (out string, exact bool, err error) {
	trace, tokens := c.trace(t)
	want := c.rates(t)
	for _, p := range c.paces() {
		sut := newReplay(c, trace, tokens, p)
		if len(trace) > 0 {
			sut.findLead(want)
		}
		out = t.TempDir()
		var r *loadgen.Result
		r, err = c.start(t, sut, out)
		if len(trace) > 0 || err != nil || c.sameChecks(t, r) {
			break
		}
	}
	return out, len(trace) > 0, err
}

// tempo is the speed of a SUT: a factor on the case's times, and for trials of a search that met the limit, the
// distance between queries over the limit; 0: none.
type tempo struct {
	slower float64
	late   uint64
}

// paces lists the tempos to try, the most likely first.
func (c *logCase) paces() []tempo {
	if len(c.met) > 0 {
		over := 1 - c.Settings.test().ServerTargetLatencyPercentile
		return []tempo{{1, 0}, {1, uint64(1/over) + 1}}
	}
	return []tempo{{1, 0}, {1.3, 0}, {2, 0}, {4, 0}, {16, 0}, {0.5, 0}, {0.1, 0}, {0, 0}}
}

func (c *logCase) start(t *testing.T, sut *replay, out string) (*loadgen.Result, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(withVirtual(t.Context(), sut), 10*time.Minute)
	defer cancel()
	qsl := replayQSL{&loadgentest.QSL{Total: c.QSL[0], Performance: c.QSL[1]}, sut}
	s, l := c.configure(t, out)
	return loadgen.StartTest(ctx, sut, qsl, s, l)
}

// sameChecks reports whether a result passes the checks that the official run passed.
func (c *logCase) sameChecks(t *testing.T, r *loadgen.Result) bool {
	t.Helper()
	passed := map[string]bool{
		"result_perf_constraints_met": r.PerformanceConstraintsMet, "early_stopping_met": r.EarlyStoppingMet,
		"result_min_duration_met": r.MinDurationMet,
	}
	for _, e := range c.entries(t, c.dir) {
		if got, known := passed[e.Key]; known && e.Value != got {
			return false
		}
	}
	return true
}

// configure returns the run's settings and log settings. It applies the run's configuration files, then its own
// settings, then its audit settings.
func (c *logCase) configure(t *testing.T, outDir string) (loadgen.TestSettings, loadgen.LogSettings) {
	t.Helper()
	s, l := loadgen.DefaultTestSettings(), loadgen.LogSettings{OutDir: outDir, Prefix: c.Prefix, Suffix: c.Suffix}
	var official mlconf.Official
	for _, conf := range c.Conf {
		if _, err := official.FromConfig(&s, &conf[0], conf[1], conf[2], mlconf.ConfUser); err != nil {
			t.Fatal(err)
		}
	}
	s, l.ConfigErrors = c.Settings.over(s), official.Errors
	if c.Settings.Mode == "" {
		s.Mode = loadgen.PerformanceOnly
	}
	if c.Audit != "" {
		if _, err := official.FromConfig(&s, &c.Audit, "*", s.Scenario.String(), mlconf.ConfAudit); err != nil {
			t.Fatal(err)
		}
		l.Audit = mlconf.AuditFile
	}
	return s, l
}

// misbehaves reports whether the official LoadGen continues in a run for which ours returns an error.
func (c *logCase) misbehaves() bool {
	few := c.Settings.UseTokenLatencies && c.NTokens != nil && *c.NTokens < 2
	return c.Double || few || c.Settings.refused(c.QSL[0], c.QSL[1])
}

// tokensOf returns the number of tokens of an answer.
func (c *logCase) tokensOf(index loadgen.SampleIndex) int64 {
	n := int64(5)
	if c.NTokens != nil {
		n = *c.NTokens
	}
	if c.NTokensMod > 0 {
		n += int64(uint32(index) % c.NTokensMod)
	}
	return n
}

// trace reads the samples of the trace log and their first tokens, ordered by number.
func (c *logCase) trace(t *testing.T) (samples, tokens []mllog.TraceSample) {
	t.Helper()
	r := mllog.NewTraceReader(bytes.NewReader(c.read(t, c.dir, "trace", ".json")))
	for {
		e, err := r.Next()
		if err != nil {
			break // the end; other tests cover the reader
		}
		if s, ok := e.Sample(); ok {
			samples = append(samples, s)
		}
		if s, ok := e.Token(); ok {
			tokens = append(tokens, s)
		}
	}
	slices.SortFunc(samples, func(a, b mllog.TraceSample) int { return int(a.SampleSeq) - int(b.SampleSeq) })
	if c.Settings.Scenario == "Server" {
		slices.SortFunc(tokens, func(a, b mllog.TraceSample) int { return int(a.Scheduled - b.Scheduled) })
	} else {
		slices.SortFunc(tokens, func(a, b mllog.TraceSample) int { return int(a.SampleSeq) - int(b.SampleSeq) })
	}
	return samples, tokens
}

// trials returns the outcomes of FindPeakPerformance's trials that the following trials reveal.
func (c *logCase) trials(t *testing.T) []bool {
	var met []bool
	tried := 0.0
	for _, e := range c.entries(t, c.dir) {
		if strings.Contains(fmt.Sprint(e.Value), "Initial lower bound does not satisfy") {
			return []bool{false}
		}
		m := searched.FindStringSubmatch(fmt.Sprint(e.Value))
		if m == nil {
			continue
		}
		low, _ := strconv.ParseFloat(m[1], 64)
		if tried > 0 {
			met = append(met, low == tried)
		}
		tried = low
		if next := m[2] + m[3]; next != "" {
			tried, _ = strconv.ParseFloat(next, 64)
		}
	}
	return met
}

// searched matches the lower bound and the tried rate: the upper bound or, in the binary search, the middle.
var searched = regexp.MustCompile(`^(?:` +
	`FindPeakPerformance: Check validity of the base settings field: |FindBoundaries: Checking fields \[|` +
	`FindPeakPerformanceBinarySearch: .*\[|FindPeakPerformance: Found peak performance field: )([\d.]+)` +
	`(?:, ([\d.]+)\)$|, [\d.]+\): ([\d.]+))?`)

// rates returns the rates in the official run's logs.
func (c *logCase) rates(t *testing.T) map[string]float64 {
	rates := map[string]float64{}
	for _, e := range c.entries(t, c.dir) {
		if v, ok := e.Float(); ok {
			rates[e.Key] = v
		}
	}
	return rates
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

// The keys whose values differ between runs: those of hosts, dates, builds and clocks.
var volatile = regexp.MustCompile(
	`^(loadgen_.*|test_datetime|get_sut_name_duration_ns|power_begin|power_end|logger_.*)$`)

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

// detailLine is an entry without the values that depend on the run's environment. Value is the text in the log.
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

// recover determines the settings of a run without a description from its detail log.
func (c *logCase) recover(t *testing.T) {
	t.Helper()
	settings := map[string]any{}
	for _, e := range c.entries(t, c.dir) {
		if name, ok := strings.CutPrefix(e.Key, "requested_"); ok {
			settings[name] = e.Value
		}
		n, _ := e.Uint()
		switch e.Key {
		case "qsl_reported_total_count":
			c.QSL[0] = int(n)
		case "qsl_reported_performance_count":
			c.QSL[1] = int(n)
		}
	}
	settings["mode"] = settings["test_mode"]
	text, err := json.Marshal(map[string]any{"settings": settings})
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, c); err != nil {
		t.Fatal(err)
	}
}

// compareBeginning compares the detail log up to the error at which the official program hung.
func (c *logCase) compareBeginning(t *testing.T, out string) {
	t.Helper()
	got, want := c.details(t, out), c.details(t, c.dir)
	want = want[:len(want)-1]
	if len(got) <= len(want) {
		t.Fatalf("%d entries, want more than %d", len(got), len(want))
	}
	for i, w := range want {
		if volatile.MatchString(w.Key) {
			got[i], w = kindOnly(got[i]), kindOnly(w)
		}
		if got[i] != w {
			t.Fatalf("detail log, entry %d:\n got %+v\nwant %+v", i, got[i], w)
		}
	}
}

// noise matches warnings of the official logger about itself.
var noise = regexp.MustCompile(`CAS failed|Logging allocation detected`)

// kindOnly reduces a value to its type: its first byte, or a mark for numbers.
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
		want = regexp.MustCompile(`.* warnings? encountered.*`).ReplaceAll(want,
			[]byte("No warnings encountered during test."))
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

// indexData returns the payload of the runs' SUT: the index of the sample.
func indexData(index loadgen.SampleIndex) []byte {
	return binary.LittleEndian.AppendUint32(nil, uint32(index))
}
