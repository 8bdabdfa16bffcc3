package results

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// detailText returns the shortest detail log of a finished run.
func detailText(scenario, mode string, seed uint64) string {
	var b strings.Builder
	line := func(key string, value any) {
		text := fmt.Sprint(value)
		if s, is := value.(string); is {
			text = `"` + s + `"`
		}
		fmt.Fprintf(&b, ":::MLLOG {\"key\": %q, \"value\": %s, \"time_ms\": 1.000000, \"namespace\": \"mlperf::logging\", "+
			"\"event_type\": \"POINT_IN_TIME\", \"metadata\": {\"is_error\": false, \"is_warning\": false, \"file\": \"x.cc\", "+
			"\"line_no\": 1, \"pid\": 1, \"tid\": 1}}\n", key, text)
	}
	line("loadgen_version", "5.1 @ 0")
	line("sut_name", "PySUT")
	line("effective_scenario", scenario)
	line("effective_test_mode", mode)
	line("effective_qsl_rng_seed", seed)
	line("power_begin", "01-23-2026 17:06:14.000")
	line("result_validity", "VALID")
	line("result_samples_per_second", 12.5)
	line("result_query_count", 1)
	line("generated_samples_per_query", 24576)
	line("power_end", "01-23-2026 17:16:15.000")
	return b.String()
}

func seedOf(t *testing.T, round string) uint64 {
	t.Helper()
	r, err := mlconf.Round(round)
	if err != nil {
		t.Fatal(err)
	}
	return r.Seeds.QSL
}

// TestPlaceOf parses the paths of logs in submissions of all rounds, and in other folders.
func TestPlaceOf(t *testing.T) {
	const lab = "/x/closed/Lab/"
	of := func(p LogPlace) LogPlace { p.Division, p.Submitter = "closed", "Lab"; return p }
	for path, want := range map[string]LogPlace{
		lab + "results/box/bert-99/Server/performance/run_1": of(LogPlace{System: "box", Benchmark: "bert-99",
			Scenario: "Server", Mode: "performance", Run: 1}),
		lab + "results/box/resnet50/offline/accuracy": of(LogPlace{System: "box", Benchmark: "resnet50",
			Scenario: "Offline", Mode: "accuracy"}),
		lab + "results/box/resnet50/multi-stream/performance/ranging": of(LogPlace{System: "box", Benchmark: "resnet50",
			Scenario: "MultiStream", Mode: "ranging"}),
		lab + "compliance/box/resnet50/SingleStream/TEST04-A/performance/run_1": of(LogPlace{System: "box",
			Benchmark: "resnet50", Scenario: "SingleStream", Test: "TEST04-A", Mode: "performance", Run: 1}),
		lab + "audit/box/resnet50/Offline/TEST03/submission": of(LogPlace{System: "box", Benchmark: "resnet50",
			Scenario: "Offline", Test: "TEST03"}),
		lab + "results/box/whisper/Offline/TEST01/accuracy": of(LogPlace{System: "box", Benchmark: "whisper",
			Scenario: "Offline", Test: "TEST01", Mode: "accuracy"}),
		lab + "results/box/bert-99/Interactive/performance/run_5": of(LogPlace{System: "box", Benchmark: "bert-99",
			Scenario: "Interactive", Mode: "performance", Run: 5}),
		"/home/box/bert-99/Server/performance/run_1": {System: "box", Benchmark: "bert-99", Scenario: "Server",
			Mode: "performance", Run: 1},
		"/closed/box/bert-99/server": {System: "box", Benchmark: "bert-99", Scenario: "Server"},
	} {
		if got, ok := PlaceOf(filepath.FromSlash(path)); !ok || got != want {
			t.Errorf("%s:\n%+v, %t, want\n%+v", path, got, ok, want)
		}
	}
	for _, path := range []string{"/", "/home/me/logs", "/home/me/performance/run_1", "/Server", "/run_1", "/a/b/run_x"} {
		if got, ok := PlaceOf(filepath.FromSlash(path)); ok {
			t.Errorf("%s: %+v, want no place", path, got)
		}
	}
}

// tree writes logs of a submission, and returns their names as runs.
func tree(t *testing.T, root string, folders int) {
	t.Helper()
	for i := range folders {
		run := fmt.Sprintf("closed/Lab/results/box%03d/resnet50/Offline/performance/run_1", i)
		write(t, filepath.Join(root, run, mllog.DetailFile), detailText("Offline", "PerformanceOnly", seedOf(t, "v5.1")))
	}
}

// TestBareFolders reads logs at any depth, in any number, named after their folders, each once.
func TestBareFolders(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "a", "b", "c", "d", "round")
	tree(t, root, 230)
	for _, paths := range [][]string{
		{dir}, {root}, {filepath.Join(root, "closed")}, {filepath.Join(root, "closed", "Lab")}, {dir, root},
	} {
		s, err := ReadLogs(paths...)
		if err != nil || len(s.Runs) != 230 || len(s.Skipped) > 0 {
			t.Fatalf("%v: %d runs, %v, %v", paths, len(s.Runs), s.Skipped, err)
		}
		if got := s.Runs[7].Name(); got != "Lab/box007: resnet50 Offline performance" || s.Runs[7].Rules != "v5.1" {
			t.Errorf("%v: %s of %s", paths, got, s.Runs[7].Rules)
		}
	}
	run := filepath.Join(root, "closed", "Lab", "results", "box003", "resnet50", "Offline", "performance", "run_1")
	for _, path := range []string{run, filepath.Join(run, mllog.DetailFile), filepath.Dir(filepath.Dir(run))} {
		s, err := ReadLogs(path)
		if err != nil || len(s.Runs) != 1 || s.Runs[0].Place.System != "box003" {
			t.Errorf("%s: %d runs, %v", path, len(s.Runs), err)
		}
	}
}

// TestBareBesideRecorded checks that logs without a record are read in addition to runs with one, whose logs are not
// read again.
func TestBareBesideRecorded(t *testing.T) {
	dir := t.TempDir()
	save(t, filepath.Join(dir, "out"), "Server")
	write(t, filepath.Join(dir, "out", "m", "Server", "performance", "run_1", mllog.DetailFile), "never read")
	tree(t, filepath.Join(dir, "round"), 2)
	s, err := ReadLogs(dir)
	if err != nil || len(s.Skipped) > 0 {
		t.Fatalf("%v, %v", s.Skipped, err)
	}
	var names []string
	for _, f := range s.Runs {
		names = append(names, f.Name())
	}
	want := []string{"m Server performance", "Lab/box000: resnet50 Offline performance",
		"Lab/box001: resnet50 Offline performance"}
	if !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

// TestBareFaults checks that each faulty log is reported with its reason, and many with their number.
func TestBareFaults(t *testing.T) {
	pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
	dir := t.TempDir()
	bad := func(n int) string {
		return filepath.Join(dir, fmt.Sprintf("closed/Lab/results/bad%03d/resnet50/Offline/performance/run_1", n),
			mllog.DetailFile)
	}
	write(t, bad(0), pointer)
	if _, err := ReadLogs(dir); err == nil || !strings.Contains(err.Error(), bad(0)) ||
		strings.Contains(err.Error(), "result.json") {
		t.Errorf("a pointer: %v, want the log's path and what is wrong with it", err)
	}
	tree(t, dir, 1)
	for i := range 30 {
		write(t, bad(i), pointer)
	}
	s, err := ReadLogs(dir)
	if err != nil || len(s.Runs) != 1 || len(s.Skipped) != maxSkipped+1 ||
		s.Skipped[maxSkipped] != "10 more logs of "+dir+" cannot be read" {
		t.Errorf("%d runs, %d skipped, %v: %q", len(s.Runs), len(s.Skipped), err, s.Skipped[len(s.Skipped)-1])
	}
}

// TestBareLinks checks that a link to a folder is not followed, so that a link to itself is harmless.
func TestBareLinks(t *testing.T) {
	dir := t.TempDir()
	tree(t, dir, 1)
	if err := os.Symlink(dir, filepath.Join(dir, "closed", "again")); err != nil {
		t.Skip(err)
	}
	if s, err := ReadLogs(dir); err != nil || len(s.Runs) != 1 {
		t.Errorf("%d runs, %v", len(s.Runs), err)
	}
}

// TestUnreadableRecordOverLogs checks that an unreadable result.json is reported and the logs below it are read.
func TestUnreadableRecordOverLogs(t *testing.T) {
	dir := t.TempDir()
	tree(t, dir, 1)
	write(t, filepath.Join(dir, record.FileName), "{}")
	s, err := ReadLogs(dir)
	if err != nil || len(s.Runs) != 1 || len(s.Skipped) != 1 || !strings.Contains(s.Skipped[0], record.FileName) {
		t.Errorf("%d runs, %v, %v", len(s.Runs), s.Skipped, err)
	}
	if errors.Is(err, record.ErrSchema) {
		t.Error(err)
	}
}
