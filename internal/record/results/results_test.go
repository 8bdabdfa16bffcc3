package results

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// save makes an output folder with a run of each scenario.
func save(t *testing.T, out string, scenarios ...string) {
	t.Helper()
	for _, s := range scenarios {
		r := record.Run{Model: "m", Scenario: s, Mode: "performance", Status: record.Complete,
			Dir: "m/" + s + "/performance/run_1"}
		if err := os.MkdirAll(filepath.Join(out, r.Dir), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := record.Save(out, r); err != nil {
			t.Fatal(err)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// folders returns the folders of the runs' logs, below dir.
func folders(t *testing.T, dir string, s Set) string {
	t.Helper()
	var all []string
	for _, f := range s.Runs {
		below, err := filepath.Rel(dir, f.LogFolder())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, filepath.ToSlash(below))
	}
	return strings.Join(all, " ")
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	save(t, filepath.Join(dir, "many", "a", "1"), "Server", "Offline")
	save(t, filepath.Join(dir, "many", "b"), "Server")
	save(t, filepath.Join(dir, "many", ".previous"), "Server")
	const a, b = "many/a/1/m/", "many/b/m/"
	server, offline := a+"Server/performance/run_1", a+"Offline/performance/run_1"
	for _, c := range []struct {
		paths []string
		want  string
	}{
		{[]string{"many/a/1"}, server + " " + offline},
		{[]string{"many/a/1/result.json"}, server + " " + offline},
		{[]string{"many/a/1/m/Offline"}, offline},
		{[]string{"many/a/1/m/Offline/result.json"}, offline},
		{[]string{"many/a/1/m/Offline/performance/run_1"}, offline},
		{[]string{"many/a"}, server + " " + offline},
		{[]string{"many"}, server + " " + offline + " " + b + "Server/performance/run_1"},
		{[]string{"many/b", "many/b", "many/b/result.json"}, b + "Server/performance/run_1"},
		{[]string{"many/b", "many/a/1"}, b + "Server/performance/run_1 " + server + " " + offline},
	} {
		var paths []string
		for _, p := range c.paths {
			paths = append(paths, filepath.Join(dir, p))
		}
		s, err := Read(paths...)
		if err != nil {
			t.Fatalf("%v: %v", c.paths, err)
		}
		if got := folders(t, dir, s); got != c.want || s.Skipped != nil {
			t.Errorf("%v: %s (skipped %v), want %s", c.paths, got, s.Skipped, c.want)
		}
	}
}

// TestPointsInOrder checks that the points of a sweep are ordered by load, and trials of one load by time. Other runs
// stay in the order of their paths.
func TestPointsInOrder(t *testing.T) {
	dir := t.TempDir()
	began := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	for i, name := range []string{
		"b/users-16", "b/users-4", "b/maximum", "b/users-32", "b/rate-20", "b/rate-9.5", "b/rate-100", "b/rate-20-11",
		"b/rate-20-2", "a/users-100", "a/users-2", "c/run",
	} {
		by, value, _ := strings.Cut(filepath.Base(name), "-")
		value, _, _ = strings.Cut(value, "-")
		r := record.Run{Model: "m", Mode: record.ModeServing, Dir: ".", Started: began.Add(time.Duration(i) * time.Minute)}
		if by != "run" {
			r.Serving = &record.Serving{Load: record.ServingLoad{By: metrics.LoadKind(by)}}
			r.Serving.Load.Value, _ = strconv.ParseFloat(value, 64)
		}
		text, err := record.NewDocument([]record.Run{r}).JSON()
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name, record.FileName), string(text))
	}
	s, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := folders(t, dir, s); got != "a/users-2 a/users-100 b/users-4 b/users-16 b/users-32 b/rate-9.5 b/rate-20 "+
		"b/rate-20-11 b/rate-20-2 b/rate-100 b/maximum c/run" {
		t.Error(got)
	}
}

func TestReadFromWithinTheFolder(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "Server")
	t.Chdir(filepath.Join(dir, "m", "Server"))
	s, err := Read(".")
	if err != nil || len(s.Runs) != 1 || s.Runs[0].Out != filepath.Dir(filepath.Dir(must(os.Getwd()))) {
		t.Errorf("%+v, %v", s, err)
	}
}

func must(dir string, err error) string {
	if err != nil {
		panic(err)
	}
	return dir
}

func TestWhatCannotBeRead(t *testing.T) {
	const newer = `{"schema": "plumbline.result", "schema_version": 99, "runs": []}`
	for name, c := range map[string]struct{ text, want string }{
		"newer":   {newer, "newer harness wrote it: schema version 99"},
		"cut":     {`{"schema": "plumbline.result", "schema_version": 1, "runs": [{"model": "m", "sc`, "unexpected end"},
		"empty":   {"", "unexpected end"},
		"another": {`{"schema": "other", "schema_version": 1}`, `schema "other"`},
		"hostile": {strings.Repeat("[", 100_000), "exceeded max depth"},
		"numbers": {`{"schema": "plumbline.result", "schema_version": 1, "runs": [{"duration_s": 1e999}]}`, "1e999"},
		"a list":  {`[]`, "cannot unmarshal"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			bad := filepath.Join(dir, "bad", record.FileName)
			write(t, bad, c.text)
			for _, path := range []string{dir, filepath.Dir(bad), bad} {
				_, err := Read(path)
				if exitcode.Of(err) != exitcode.Data || !strings.Contains(fmt.Sprint(err), c.want) ||
					!strings.Contains(fmt.Sprint(err), bad) {
					t.Errorf("%s: %v", path, err)
				}
			}
			save(t, filepath.Join(dir, "good"), "Server")
			s, err := Read(dir)
			if err != nil || len(s.Runs) != 1 || len(s.Skipped) != 1 || !strings.Contains(s.Skipped[0], c.want) {
				t.Errorf("beside a good one: %+v, %v", s, err)
			}
		})
	}
}

// TestAnEarlierResultIsRead checks that a result of an earlier program without newer fields can be read.
func TestAnEarlierResultIsRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), record.FileName)
	write(t, file, `{"schema": "plumbline.result", "schema_version": 1, "exit_code": 0, "runs": [{"model": "resnet50",
		"scenario": "Server", "mode": "performance", "status": "complete", "verdict": "VALID", "performance": {"valid": true,
		"metric": {"name": "completed samples per second", "unit": "samples/s", "value": 10, "rounded": "10.000"}}}]}`)
	s, err := Read(file)
	if err != nil || len(s.Runs) != 1 || s.Runs[0].Performance.Metric.Value != 10 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestNoRuns(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a", "b", "file"), "")
	for _, path := range []string{dir, filepath.Join(dir, "a", "b"), filepath.Join(dir, "none")} {
		if _, err := Read(path); exitcode.Of(err) != exitcode.Data || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestALinkToItselfEnds(t *testing.T) {
	dir := t.TempDir()
	save(t, filepath.Join(dir, "run"), "Server")
	if err := os.Symlink(dir, filepath.Join(dir, "again")); err != nil {
		t.Skip(err)
	}
	s, err := Read(dir)
	if err != nil || len(s.Runs) != 1 {
		t.Errorf("%d runs, %v", len(s.Runs), err)
	}
}

func TestThousandsOfRuns(t *testing.T) {
	dir := t.TempDir()
	text, err := record.NewDocument([]record.Run{{Model: "m", Scenario: "Server"}}).JSON()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2000 {
		write(t, filepath.Join(dir, fmt.Sprintf("%04d", i), record.FileName), string(text))
	}
	s, err := Read(dir)
	if err != nil || len(s.Runs) != 2000 || filepath.Base(s.Runs[1999].Out) != "1999" {
		t.Errorf("%d runs, %v", len(s.Runs), err)
	}
}

func TestSplit(t *testing.T) {
	odd := filepath.Join(t.TempDir(), "a,b")
	if err := os.Mkdir(odd, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := SplitPaths(odd); len(got) != 1 || got[0] != odd {
		t.Errorf("%q", got)
	}
	if got := SplitPaths("a,,b/c"); strings.Join(got, "|") != "a|b/c" {
		t.Errorf("%q", got)
	}
}

func TestAccuracyLogs(t *testing.T) {
	dir := t.TempDir()
	save(t, filepath.Join(dir, "out"), "Offline", "Server")
	log := func(folder string) string {
		path := filepath.Join(dir, folder, mllog.AccuracyFile)
		write(t, path, "")
		return path
	}
	a, b := log("out/m/Offline/accuracy"), log("out/m/Server/accuracy")
	performance := log("out/m/Server/performance/run_1")
	log("out/.previous/m/Server/accuracy")
	write(t, filepath.Join(dir, "out/m/Server/TEST01", mlconf.AuditFile), "")
	log("out/m/Server/TEST01/accuracy")
	for path, want := range map[string][]string{
		filepath.Join(dir, "out"): {a, b}, filepath.Dir(a): {a}, a: {a}, filepath.Dir(performance): {performance},
	} {
		logs, err := AccuracyLogs(path)
		var got []string
		for _, l := range logs {
			got = append(got, l.Path)
			if (l.Run.Status != "") != (l.Path == performance) {
				t.Errorf("%s: its record is %+v", l.Path, l.Run)
			}
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v", path, got, err, want)
		}
	}
	official := log("closed/Lab/results/box/3d-unet-99/offline/accuracy")
	log("closed/Lab/results/box/3d-unet-99/offline/TEST01/accuracy")
	logs, err := AccuracyLogs(filepath.Join(dir, "closed"))
	if err != nil || len(logs) != 1 || logs[0].Path != official || logs[0].Run.Model != "3d-unet-99" ||
		logs[0].Run.Place.System != "box" {
		t.Errorf("a submission: %+v, %v", logs, err)
	}
	for _, path := range []string{filepath.Join(dir, "none"), t.TempDir()} {
		if _, err := AccuracyLogs(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
