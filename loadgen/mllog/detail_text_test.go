package mllog_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// head is the beginning of the lines in the text form.
const head = `"pid": 1, "tid": 2, "ts": 30ns : `

// TestTextFormHasTheKeysOfLaterLogs compares logs of the same run in the text form and in JSON.
func TestTextFormHasTheKeysOfLaterLogs(t *testing.T) {
	for _, scenario := range loadgen.Scenarios() {
		for _, invalid := range []bool{false, true} {
			var logs [2]*mllog.Detail
			for i, text := range []bool{false, true} {
				dir := t.TempDir()
				run := loadgentest.OldRun{Text: text, Scenario: scenario, Invalid: invalid, Streams: 102, Rate: 45169.5}
				if err := run.Write(dir); err != nil {
					t.Fatal(err)
				}
				logs[i] = both(t, dir)
			}
			sameKeys(t, fmt.Sprintf("%v, invalid %v", scenario, invalid), logs[0], logs[1])
		}
	}
}

// both reads the logs in a folder.
func both(t *testing.T, dir string) *mllog.Detail {
	t.Helper()
	text, err1 := os.ReadFile(filepath.Join(dir, mllog.DetailFile))
	in, err2 := os.Open(filepath.Join(dir, mllog.SummaryFile))
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	s, err := mllog.ReadSummary(in)
	if err != nil {
		t.Fatal(err)
	}
	d := scan(t, string(text))
	if d.NumForeign+d.NumFaults > 0 {
		t.Errorf("%d lines are of no form, %v", d.NumForeign, d.Faults)
	}
	d.AddSummary(s)
	return d
}

// sameKeys requires each result, setting and count of a JSON log in the text log.
func sameKeys(t *testing.T, name string, json, text *mllog.Detail) {
	t.Helper()
	if json.Text || !text.Text {
		t.Errorf("%s: text form %v and %v", name, json.Text, text.Text)
	}
	compared := 0
	for _, key := range []string{"loadgen_version", "sut_name", "qsl_name", "qsl_reported_total_count",
		"requested_scenario", "requested_test_mode", "requested_multi_stream_target_qps", "effective_scenario",
		"effective_test_mode", "effective_samples_per_query", "effective_target_qps", "effective_target_latency_ns",
		"effective_target_latency_percentile", "effective_min_duration_ms", "effective_min_query_count",
		"effective_qsl_rng_seed", "effective_performance_sample_count", "loaded_qsl_set", "generated_query_count",
		"generated_samples_per_query", "result_validity", "result_min_duration_met", "result_min_queries_met",
		"result_scheduled_samples_per_sec", "result_samples_per_second", "result_min_latency_ns",
		"result_99.00_percentile_latency_ns", "result_99.00_percentile_per_query_latency_ns",
		"result_99.00_percentile_num_intervals_between_queries"} {
		a, inJSON := json.First(key)
		b, inText := text.First(key)
		if inJSON != inText || !reflect.DeepEqual(a.Value, b.Value) {
			t.Errorf("%s: %s is %v in JSON and %v in text", name, key, a.Value, b.Value)
		}
		if inJSON {
			compared++
		}
	}
	if compared < 23 || !slices.Equal(json.FirstLoaded, text.FirstLoaded) || len(text.FirstLoaded) != 3 {
		t.Errorf("%s: %d keys are in the log; loaded %v and %v", name, compared, json.FirstLoaded, text.FirstLoaded)
	}
}

// TestTextForm reads single lines, and titles with the lines below them.
func TestTextForm(t *testing.T) {
	for text, want := range map[string]struct {
		key   string
		value any
	}{
		"version : .5a1 @ 0ab":              {"loadgen_version", ".5a1 @ 0ab"},
		"git_log :\n\none ERROR : x\ntwo\n": {"loadgen_git_log_message", "one ERROR : x\ntwo"},
		"SHA1 of files :\n\nab /x.cc\ncd /y z.cc\n": {
			"loadgen_file_sha1", map[string]string{"/x.cc": "ab", "/y z.cc": "cd"}},
		"System Under Test (SUT) name: a : b":                              {"sut_name", "a : b"},
		"System Under Test (SUT) name: ":                                   {"sut_name", ""},
		"QSL total size: 50000":                                            {"qsl_reported_total_count", uint64(50000)},
		"Effective Settings:\n" + head + "Scenario : Single Stream":        {"effective_scenario", "SingleStream"},
		"Effective Settings:\n" + head + "Scenario : Multi Stream Free":    {"effective_scenario", "MultiStreamFree"},
		"Effective Settings:\n" + head + "Test mode : Submission":          {"effective_test_mode", "SubmissionRun"},
		"Effective Settings:\n" + head + "target_latency (ns): 15000000":   {"effective_target_latency_ns", uint64(15000000)},
		"Effective Settings:\n" + head + "target_latency_percentile : 0.9": {"effective_target_latency_percentile", .9},
		"Effective Settings:\n" + head + "target_qps : 1e+09":              {"effective_target_qps", 1e9},
		"Effective Settings:\n" + head + "min_duration (ms): -1":           {"effective_min_duration_ms", int64(-1)},
		"Requested Settings:\n" + head + "print_timestamps : true":         {"requested_print_timestamps", true},
		"Requested Settings:\n" + head + "Registered IssueQueryThread[0]. thread ID : 7\n" + head +
			"max_duration_ms : 0": {
			"requested_max_duration_ms", uint64(0)},
		"Requested Settings:\n" + head + "\n" + head + "word : 3": {"generic_message", "word : 3"},
		"Starting performance mode:": {
			"generic_message", "Starting performance mode"},
		`GeneratedQueries: "queries" : 3, "samples per query" : 4, "duration" : 5`: {"generated_query_duration", uint64(5)},
		`POWER_END: "mode" : Accuracy, "time" : 10-01-2019 10:01:00.000`:           {"power_end", "10-01-2019 10:01:00.000"},
		"ERROR : Loadgen built with uncommitted changes!": {
			"error_uncommitted_loadgen_changes", "Loadgen built with uncommitted changes!"},
		"ERROR : version : 3": {"error_runtime", "version : 3"},
		"Found Audit Config file (audit.config).": {
			"warning_generic_message", "Found Audit Config file (audit.config)."},
		"WARNING : slow":                    {"warning_generic_message", "slow"},
		"12 : tls_total_log_cas_fail_count": {"logger_tls_total_log_cas_fail_count", uint64(12)},
		`Loading QSL : "set" : "[]"`:        {"loaded_qsl_set", []uint64{}},
	} {
		d := scan(t, head+text+"\n")
		e, ok := d.First(want.key)
		if !ok || !reflect.DeepEqual(e.Value, want.value) || !d.Text || d.NumForeign+d.NumFaults > 0 {
			t.Errorf("%q: %s is %#v, want %#v; %+v", text, want.key, e.Value, want.value, d)
		}
		warns := strings.HasPrefix(text, "WARNING") || strings.HasPrefix(text, "Found Audit")
		if ok && e.PID != 1 || e.TID != 2 || e.Time != 30 || e.Error != strings.HasPrefix(text, "ERROR") ||
			e.Warning != warns {
			t.Errorf("%q: %+v", text, e)
		}
	}
}

// TestThreadsOf64Bits checks that a thread's number may need all 64 bits, in either form.
func TestThreadsOf64Bits(t *testing.T) {
	const tid = "13211173205586935513"
	for _, text := range []string{strings.Replace(head, `"tid": 2`, `"tid": `+tid, 1) + "version : 1\n",
		strings.Replace(line("loadgen_version", "1"), `"tid": 0`, `"tid": `+tid, 1)} {
		d := scan(t, text)
		if e, ok := d.First("loadgen_version"); !ok || d.NumFaults > 0 || fmt.Sprint(uint64(e.TID)) != tid {
			t.Errorf("%s: %+v, %+v", text, e, d)
		}
	}
}

// TestTextFormSaysWhatIsWrong checks that an unreadable line is a fault or a foreign line, and that reading continues.
func TestTextFormSaysWhatIsWrong(t *testing.T) {
	good := head + "version : 1\n"
	for text, want := range map[string]string{
		`"pid": x, "tid": 2, "ts": 30ns : y`:       `want "pid": N`,
		`"pid": 1, "tid": 2, "ts": 30 : y`:         `want "pid": N`,
		`"pid": 1`:                                 `want "pid": N`,
		head + "QSL total size: many":              "want a number",
		head + `Loading QSL : "set" : "[1,x]"`:     "want \"set\"",
		head + `GeneratedQueries: "queries" : few`: `want "queries"`,
		head + `POWER_BEGIN: now`:                  `want "time"`,
		"word":                                     "",
	} {
		d := scan(t, good+text+"\n"+good)
		if d.Count("loadgen_version") != 2 || d.NumForeign+d.NumFaults != 1 {
			t.Errorf("%q: %+v", text, d)
		} else if want != "" && (d.Faults[0].Line != 2 || !strings.Contains(d.Faults[0].Text, want)) {
			t.Errorf("%q: %v, want line 2 and %s", text, d.Faults[0], want)
		}
	}
}

// TestSummaryAddsWhatTheLogLacks checks that AddSummary adds missing results and does not change existing ones.
func TestSummaryAddsWhatTheLogLacks(t *testing.T) {
	d := scan(t, line("result_validity", "INVALID"))
	d.AddSummary(&mllog.Summary{Result: "VALID", Conditions: []mllog.Field{{Label: "Min queries satisfied", Value: "NO"},
		{Label: "Something else", Value: "Yes"}}, Stats: [][]mllog.Field{{{Label: "Min latency (ns)", Value: "none"}}}})
	if e, _ := d.First("result_validity"); e.Value != "INVALID" || d.Count("result_validity") != 1 {
		t.Errorf("the verdict is %v", e.Value)
	}
	if e, _ := d.First("result_min_queries_met"); e.Value != false || d.Has("result_min_latency_ns") {
		t.Errorf("%+v", d)
	}
}

// TestPointersAreNamed checks that every line reader reports a Git LFS pointer as such.
func TestPointersAreNamed(t *testing.T) {
	const text = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 300000000\n"
	readers := map[string]func(io.Reader) error{
		"detail":   func(r io.Reader) error { _, err := mllog.ScanDetail(r); return err },
		"entries":  func(r io.Reader) error { _, err := mllog.ReadDetail(r); return err },
		"summary":  func(r io.Reader) error { _, err := mllog.ReadSummary(r); return err },
		"accuracy": func(r io.Reader) error { _, err := mllog.NewAccuracyReader(r).Next(); return err },
		"trace":    func(r io.Reader) error { _, err := mllog.NewTraceReader(r).Next(); return err },
	}
	for name, read := range readers {
		for _, text := range []string{text, strings.ReplaceAll(text, "\n", "\r\n")} {
			err := read(strings.NewReader(text))
			if !errors.Is(err, mllog.ErrPointer) || !strings.Contains(err.Error(), "git lfs pull") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := read(strings.NewReader("x\n" + text)); errors.Is(err, mllog.ErrPointer) {
			t.Errorf("%s: a line further down is no pointer: %v", name, err)
		}
	}
}

// TestLongListsOfSamplesNeedLittleMemory checks that a line of millions of samples is not kept in memory, in any form.
func TestLongListsOfSamplesNeedLittleMemory(t *testing.T) {
	const megabytes = 12
	list := strings.Repeat("1048576,", 128<<10) // a megabyte
	after := line("after", 1)
	whole := line("loaded_qsl_set", []uint64{7, 8})
	begin, end, _ := strings.Cut(whole, "8]")
	for name, text := range map[string][2]string{
		"json": {begin, "8]" + end},
		"text": {head + `Loading QSL : "set" : "[7,`, "8]\"\n"},
	} {
		parts := []io.Reader{strings.NewReader(text[0])}
		for range megabytes {
			parts = append(parts, strings.NewReader(list))
		}
		parts = append(parts, strings.NewReader(text[1]), strings.NewReader(after))
		var before, behind runtime.MemStats
		runtime.ReadMemStats(&before)
		d, err := mllog.ScanDetail(io.MultiReader(parts...))
		runtime.ReadMemStats(&behind)
		if err != nil || d.NumFaults+d.NumForeign > 0 || d.NotJSON > 0 || !d.Has("after") ||
			!slices.Equal(d.FirstLoaded[:3], []uint64{7, 1048576, 1048576}) || len(d.FirstLoaded) != 64 {
			t.Errorf("%s: %v, %+v", name, err, d)
		}
		if used := (behind.TotalAlloc - before.TotalAlloc) >> 20; used > megabytes/3 {
			t.Errorf("%s: %d MiB were allocated for a line of %d", name, used, megabytes)
		}
	}
}

// TestEndlessLinesEnd checks that a line that is too long ends the reading with an error that contains its number.
func TestEndlessLinesEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("65 MB")
	}
	_, err := mllog.ScanDetail(io.MultiReader(strings.NewReader(line("a", 1)), io.LimitReader(zeros{}, 65<<20)))
	if !errors.Is(err, mllog.ErrFormat) || !strings.Contains(err.Error(), "line 2 is longer than") {
		t.Error(err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func FuzzScanText(f *testing.F) {
	dir := f.TempDir()
	if err := (loadgentest.OldRun{Text: true, Scenario: loadgen.Server, Invalid: true}).Write(dir); err != nil {
		f.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, mllog.DetailFile))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add(head + "SHA1 of files :\n\n" + head)
	f.Add(head + `Loading QSL : "set" : "[1,2]`)
	f.Fuzz(func(t *testing.T, text string) {
		d := scan(t, text)
		if d.NumForeign+d.NumFaults > d.Lines || d.Text && !strings.Contains(text, `"pid": `) || len(d.FirstLoaded) > 64 {
			t.Errorf("%q: got %+v", text, d)
		}
		if again := scan(t, text+"\n"+head+"version : 7\n"); again.Count("loadgen_version") != d.Count("loadgen_version")+1 {
			t.Errorf("%q: a line behind it is not read", text)
		}
	})
}
