package loadgen_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// sum64 returns the SHA-256 of the values as little-endian uint64.
func sum64(v []uint64) string {
	h := sha256.New()
	if err := binary.Write(h, binary.LittleEndian, v); err != nil {
		panic(err) // writing to a hash cannot fail
	}
	return hex.EncodeToString(h.Sum(nil))
}

func itoa(n int) string { return strconv.Itoa(n) }

func (c *goldenCase) checkEvents(t *testing.T, w *witness) {
	t.Helper()
	var want []string
	for _, e := range c.Events {
		switch name := e[0].(string); name {
		case "issue":
			n, err := e[1].(json.Number).Int64()
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, slices.Repeat([]string{name}, int(n))...)
		case "unload":
			want = append(want, "unload same")
		default:
			want = append(want, name)
		}
	}
	if got := summary(w.events); c.Exact == "full" && got != summary(want) {
		t.Errorf("calls:\n got %s\nwant %s", got, summary(want))
	}
}

func (c *goldenCase) checkLoads(t *testing.T, w *witness) {
	t.Helper()
	if len(w.loads) != len(c.LoadsSHA) {
		t.Fatalf("%d loads, want %d", len(w.loads), len(c.LoadsSHA))
	}
	for i, load := range w.loads {
		if len(load) != c.LoadsTotal[i] || sum64(load) != c.LoadsSHA[i] {
			t.Errorf("load %d: %d indices %s..., want %d: %.100s", i, len(load), head(load), c.LoadsTotal[i], c.Loads[i])
		}
	}
}

func head(v []uint64) string { return fmt.Sprint(v[:min(len(v), 20)]) }

func (c *goldenCase) checkQueries(t *testing.T, w *witness) {
	t.Helper()
	var samples, sizes []uint64
	for i, q := range w.Queries() {
		sizes = append(sizes, uint64(len(q.Samples)))
		at := len(samples)
		for _, s := range q.Samples {
			if int(s.ID) != len(samples) {
				t.Fatalf("query %d: response id %d, want the dense number %d", i, s.ID, len(samples))
			}
			samples = append(samples, uint64(s.Index))
		}
		if c.Exact == "full" && i < len(c.Queries) && !hasPrefix(samples[at:], c.Queries[i]) {
			t.Fatalf("query %d: samples %s, want %s", i, head(samples[at:]), head(c.Queries[i]))
		}
	}
	if len(samples) != c.SamplesN || sum64(samples) != c.SamplesSHA {
		t.Errorf("%d samples, want %d, or other ones after those listed", len(samples), c.SamplesN)
	}
	if c.Exact == "full" && (len(sizes) != c.QueriesN || sum64(sizes) != c.SizesSHA) {
		t.Errorf("%d queries, want %d, or of other sizes", len(sizes), c.QueriesN)
	}
}

func hasPrefix(v, prefix []uint64) bool {
	return len(v) >= len(prefix) && slices.Equal(v[:len(prefix)], prefix)
}

// checkSchedule compares the issue times with the official schedule. On virtual time each query is issued when it is
// due.
func (c *goldenCase) checkSchedule(t *testing.T, w *witness) {
	t.Helper()
	if c.ScheduleSHA == "" {
		return
	}
	var got []uint64
	queries := w.Queries()
	start := 0
	for _, end := range w.ends {
		for _, q := range queries[start:end] {
			got = append(got, uint64(q.At-queries[start].At))
		}
		start = end
	}
	for i, want := range c.Schedule {
		if i < len(got) && got[i] != want {
			t.Fatalf("query %d is issued at %d ns, want %d", i, got[i], want)
		}
	}
	if len(got) != c.ScheduleN || sum64(got) != c.ScheduleSHA {
		t.Errorf("%d issue times, want %d with another checksum", len(got), c.ScheduleN)
	}
}

// checkDetail compares the messages, the generated counts and the effective settings of the detail log.
func (c *goldenCase) checkDetail(t *testing.T, path string) {
	t.Helper()
	var messages [][2]string
	var generated []goldenGenerated
	effective := map[string]any{}
	for _, e := range readDetail(t, path) {
		switch key := e.Key; {
		case key == "generic_message" || strings.HasPrefix(key, "error_") || strings.HasPrefix(key, "warning_"):
			messages = append(messages, [2]string{key, e.Value.(string)})
		case key == "generated_query_count":
			generated = append(generated, goldenGenerated{Queries: e.uint(t)})
		case key == "generated_samples_per_query":
			generated[len(generated)-1].PerQuery = e.uint(t)
		case key == "generated_query_duration":
			generated[len(generated)-1].Duration = e.uint(t)
		case strings.HasPrefix(key, "effective_"):
			effective[strings.TrimPrefix(key, "effective_")] = e.Value
		}
	}
	if !slices.Equal(generated, c.Generated) {
		t.Errorf("generated %v, want %v", generated, c.Generated)
	}
	if !slices.Equal(messages, c.Messages) {
		t.Errorf("messages:\n got %q\nwant %q", messages, c.Messages)
	}
	for key, want := range c.Effective {
		if !sameValue(effective[key], want) {
			t.Errorf("effective_%s = %v, want %v", key, effective[key], want)
		}
	}
}

// sameValue compares two values of logs. It compares numbers with the six digits that logs contain.
func sameValue(got, want any) bool {
	a, ok1 := got.(json.Number)
	b, ok2 := want.(json.Number)
	if !ok1 || !ok2 {
		return got == want
	}
	x, errX := a.Float64()
	y, errY := b.Float64()
	return a == b || errX == nil && errY == nil && math.Abs(x-y) <= 1e-5*math.Abs(y) &&
		strings.ContainsAny(string(a+b), ".e")
}

type detailEntry struct {
	Key   string
	Value any
}

func (e detailEntry) uint(t *testing.T) uint64 {
	t.Helper()
	v, err := strconv.ParseUint(e.Value.(json.Number).String(), 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", e.Key, err)
	}
	return v
}

// readDetail reads one of our logs with numbers as text, because -nan is not JSON.
func readDetail(t *testing.T, path string) []detailEntry {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := mllog.ReadDetail(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	out := make([]detailEntry, len(entries))
	for i, e := range entries {
		out[i] = detailEntry{e.Key, e.Value}
		switch v := e.Value.(type) {
		case float64:
			out[i].Value = json.Number(strconv.FormatFloat(v, 'g', -1, 64))
		case uint64, int64:
			out[i].Value = json.Number(fmt.Sprint(v))
		}
	}
	return out
}

func (c *goldenCase) checkAccuracyLog(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var entries []struct {
		Seq uint64 `json:"seq_id"`
		QSL uint64 `json:"qsl_idx"`
	}
	if err := json.Unmarshal(text, &entries); err != nil {
		t.Fatal(err)
	}
	var flat []uint64
	for _, e := range entries {
		flat = append(flat, e.Seq, e.QSL)
	}
	if len(entries) != c.AccuracyN || c.AccuracyN > 0 && sum64(flat) != c.AccuracySHA {
		t.Errorf("%d entries in the accuracy log beginning with %s, want %d", len(entries), head(flat), c.AccuracyN)
	}
}

// checkResult compares the results that depend only on counts.
func (c *goldenCase) checkResult(t *testing.T, r *loadgen.Result) {
	t.Helper()
	if want, ok := c.Result["result_query_count"].(json.Number); ok &&
		want.String() != strconv.FormatUint(r.QueryCount, 10) {
		t.Errorf("result_query_count = %d, want %v", r.QueryCount, want)
	}
	if want, ok := c.Result["result_min_queries_met"].(bool); ok && want != r.MinQueriesMet {
		t.Errorf("result_min_queries_met = %v, want %v", r.MinQueriesMet, want)
	}
	var trials [][2]any
	for _, trial := range r.Trials {
		outcome := map[bool]string{true: "pass", false: "fail"}[trial.Met]
		trials = append(trials, [2]any{json.Number(strconv.FormatFloat(trial.TargetQPS, 'f', -1, 64)), outcome})
	}
	if got, want := fmt.Sprint(trials), strings.ReplaceAll(fmt.Sprint(c.Trials), ".0 ", " "); got != want {
		t.Errorf("trials %s, want %s", got, want)
	}
}
