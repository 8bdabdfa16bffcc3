package names

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/record/results"
)

// run returns a run of resnet50 in Offline with a change.
func run(change func(*record.Run)) record.Run {
	r := record.Run{Model: "resnet50", Scenario: "Offline", Mode: "performance",
		Dir:      "resnet50/Offline/performance/run_1",
		Workload: &record.Workload{Precision: "fp32", Backend: "ort", Batch: 8, Sessions: 2, ModelSHA256: "0123456789abcdef"}}
	if change != nil {
		change(&r)
	}
	return r
}

func at(r record.Run, out string) results.FoundRun { return results.FoundRun{Run: r, Out: out} }

func TestOneRun(t *testing.T) {
	for want, r := range map[string]record.Run{
		"resnet50 Offline performance": run(nil),
		"mine: cnn: resnet50 Offline performance batch=4, backend=ort (2 of 3)": run(func(r *record.Run) {
			r.Identity = record.Identity{Label: "mine", Entry: "cnn", Point: []string{"batch=4", "backend=ort"}, Repeat: 2,
				Repeats: 3}
		}),
		"resnet50 Offline TEST01 (1 of 2)": run(func(r *record.Run) {
			r.Test, r.Identity.Repeat, r.Identity.Repeats = "TEST01", 1, 2
		}),
	} {
		if got := NameRuns([]results.FoundRun{at(r, "out")}); len(got) != 1 || got[0].Full != want || got[0].Short != want {
			t.Errorf("%+v, want %q", got, want)
		}
	}
}

// TestMatrix checks that six points of a matrix have six names, long and short.
func TestMatrix(t *testing.T) {
	var runs []record.Run
	var want []string
	for _, batch := range []string{"batch=1", "batch=4", "batch=8"} {
		for _, precision := range []string{"precision=fp32", "precision=int8"} {
			runs = append(runs, run(func(r *record.Run) { r.Identity.Point = []string{batch, precision} }))
			want = append(want, batch+", "+precision)
		}
	}
	for i, n := range NameRecords(runs) {
		if n.Short != want[i] || n.Full != "resnet50 Offline performance "+want[i] {
			t.Errorf("%+v, want %s", n, want[i])
		}
	}
	if got := Common(runs...); got != "resnet50 Offline performance" {
		t.Error(got)
	}
	if got := Common(runs[0], runs[2]); got != "resnet50 Offline performance precision=fp32" {
		t.Error(got)
	}
	if got := FileNames(NameRecords(runs))[3]; got != "resnet50-Offline-performance-batch=4,precision=int8" {
		t.Error(got)
	}
}

// TestDifferences checks that runs without labels are named by their differences, and only by as many as necessary.
func TestDifferences(t *testing.T) {
	set := func(value string) func(*record.Run) {
		return func(r *record.Run) {
			r.Settings = []record.Setting{{Key: "qsl_rng_seed", Value: "7"}, {Key: "target_qps", Value: value}}
		}
	}
	for about, c := range map[string]struct {
		runs []results.FoundRun
		want []string // short names
	}{
		"model and scenario": {[]results.FoundRun{at(run(nil), "out"), at(run(func(r *record.Run) {
			r.Model, r.Scenario, r.Workload.Batch = "bert", "Server", 1
		}), "out")}, []string{"resnet50 Offline", "bert Server"}},
		"backend": {[]results.FoundRun{at(run(nil), "a"), at(run(func(r *record.Run) {
			r.Workload.Backend, r.Workload.Sessions = "process", 7
		}), "b")}, []string{"backend=ort", "backend=process"}},
		"batch and sessions": {[]results.FoundRun{at(run(nil), "a"), at(run(func(r *record.Run) { r.Workload.Batch = 1 }),
			"b"),
			at(run(func(r *record.Run) { r.Workload.Sessions = 1 }), "c")},
			[]string{"batch=8, sessions=2", "batch=1", "batch=8, sessions=1"}},
		"a setting": {[]results.FoundRun{at(run(set("50")), "a"), at(run(set("100")), "b")},
			[]string{"target_qps=50", "target_qps=100"}},
		"a label of one": {[]results.FoundRun{at(run(nil), "a"), at(run(func(r *record.Run) { r.Identity.Label = "new" }),
			"b")},
			[]string{"resnet50 Offline performance", "new"}},
		"folders": {[]results.FoundRun{at(run(nil), "/runs/before/x"), at(run(nil), "/runs/after/x")},
			[]string{"in before", "in after"}},
		"a folder in a folder": {[]results.FoundRun{at(run(nil), "/runs"), at(run(nil), "/runs/x")},
			[]string{"resnet50 Offline performance", "in x"}},
		"nothing": {[]results.FoundRun{at(run(nil), "a"), at(run(nil), "a"), at(run(nil), "a")},
			[]string{"(no. 1)", "(no. 2)", "(no. 3)"}},
	} {
		var got []string
		for _, n := range NameRuns(c.runs) {
			got = append(got, n.Short)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", about, got, c.want)
		}
	}
	if got := NameRuns(nil); len(got) != 0 {
		t.Error(got)
	}
}

// evil returns texts that names and files must not contain unchanged.
func evil() []string {
	return []string{
		"</title><script>alert(1)</script>", "\x1b[31mred\x1b]0;title\x07", "two\nlines\r\n", strings.Repeat("long ", 2000),
		"../../etc/passwd", `..\..\boot.ini`, "/", "", " ", "\xff\xfe", "\u202eeman", "a (no. 1)", "a (no. 2)", "CON",
		".hidden",
	}
}

// TestHostileNames checks that each run has one line of printable text and a unique name, whatever its fields contain,
// and that file names stay within their folder.
func TestHostileNames(t *testing.T) {
	var found []results.FoundRun
	for _, text := range evil() {
		for _, change := range []func(*record.Run){
			func(r *record.Run) { r.Identity.Label = text }, func(r *record.Run) { r.Identity.Entry = text },
			func(r *record.Run) { r.Identity.Point = []string{text, "batch=" + text} },
			func(r *record.Run) { r.Model, r.Scenario, r.Mode = text, text, text },
			func(r *record.Run) { r.Identity.Point = slices.Repeat([]string{text}, 10_000) },
			func(r *record.Run) { r.Workload.Backend, r.Options.Params = text, map[string]string{text: text} },
			func(r *record.Run) { r.Identity.Repeat, r.Identity.Repeats = -1, 1<<62 }, func(*record.Run) {},
		} {
			found = append(found, at(run(change), text))
		}
	}
	all := NameRuns(found)
	seen := map[string]bool{}
	for i, n := range all {
		for _, text := range []string{n.Full, n.Short} {
			if text == "" || utf8.RuneCountInString(text) > 2000 || !utf8.ValidString(text) ||
				strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || r == '\u202e' }) {
				t.Errorf("%q has the name %q", fmt.Sprint(found[i].Identity), text)
			}
		}
		if seen[strings.ToLower(n.Full)] {
			t.Errorf("two are called %q", n.Full)
		}
		seen[strings.ToLower(n.Full)] = true
	}
	files := map[string]bool{}
	for _, f := range FileNames(all) {
		if f != filepath.Base(f) || strings.HasPrefix(f, ".") || strings.ContainsAny(f, `/\:*?"<>|`) || len(f) > 100 ||
			files[strings.ToLower(f)] {
			t.Errorf("the file %q", f)
		}
		files[strings.ToLower(f)] = true
	}
}

// TestThousands checks that many runs with one name are named quickly.
func TestThousands(t *testing.T) {
	var found []results.FoundRun
	for i := range 3000 {
		found = append(found, at(run(func(r *record.Run) { r.Identity.Label = fmt.Sprint(i % 3) }), "out"))
	}
	if got := NameRuns(found)[2999]; got.Full != "2: resnet50 Offline performance (no. 1000)" {
		t.Errorf("%+v", got)
	}
}
