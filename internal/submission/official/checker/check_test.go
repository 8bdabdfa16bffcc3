package checker

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/result"
)

// smallTree copies a tree that the official checker accepts: an open result of resnet50 in SingleStream.
func smallTree(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS("testdata/small")); err != nil {
		t.Fatal(err)
	}
	return root
}

const (
	smallFolder = "open/Lab/results/box/resnet50/SingleStream"
	smallLog    = smallFolder + "/performance/run_1/mlperf_log_detail.txt"
)

func put(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func check(t *testing.T, root string, o Options) *Report {
	t.Helper()
	r, err := Check(root, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCheck(t *testing.T) {
	r := check(t, smallTree(t), Options{})
	if r.Verdict != OK || r.Round != "v6.1" || r.Results != 1 || r.Folders != 1 || len(r.Rows) != 1 {
		t.Fatalf("%+v", r)
	}
	if row := r.Rows[0]; row.Result != "71.167025" || row.Units != "Latency (ms)" || row.Accuracy != "acc: 76.460" ||
		row.MLPerfModel != "resnet" || row.Location != smallFolder+"/performance/run_1" || row.TotalAccelerators != "1" {
		t.Errorf("%+v", row)
	}
}

// TestReasons changes one file each.
func TestReasons(t *testing.T) {
	for name, c := range map[string]struct {
		old, new string
		reason   string // "" for a result
	}{
		"too short":        {"600000", "599999", "performance: effective_min_duration_ms is 599999, want at least 600000"},
		"a text":           {"600000", `"600000"`, `performance: effective_min_duration_ms is "600000", want a number`},
		"half is enough":   {"600000", "600000.5", ""},
		"not a number":     {"600000", "NaN", ""},
		"seed":             {"2747215439041700203", "1", "effective_sample_index_rng_seed is 1, want 2747215439041700203"},
		"no early stop":    {`met", "value": true`, `met", "value": null`, "early_stopping_met is nothing"},
		"a text is true":   {`met", "value": true`, `met", "value": "false"`, ""},
		"no metric":        {"71167025", "null", "performance: early_stopping_latency_ss"},
		"metric as text":   {"71167025", `" 7_1e6 "`, ""},
		"error counts not": {`"a SUT", "metadata": {"is_error": false`, `"a SUT", "metadata": {"is_error": true`, ""},
		"no metadata":      {`"a SUT", "metadata": {"is_error": false}`, `"a SUT"`, "performance: a record has no is_error"},
		"zero":             {"71167025", "0", "performance: the result is 0"},
	} {
		t.Run(name, func(t *testing.T) {
			root := smallTree(t)
			path := filepath.Join(root, filepath.FromSlash(smallLog))
			text, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(text), c.old) {
				t.Fatalf("no %s in %s (%v)", c.old, text, err)
			}
			put(t, root, smallLog, strings.ReplaceAll(string(text), c.old, c.new))
			s := check(t, root, Options{}).Summary()
			var reasons string
			for _, folder := range s.Without {
				reasons += strings.Join(folder.Reasons, "\n")
			}
			if !strings.Contains(reasons, c.reason) || (reasons == "") != (c.reason == "") {
				t.Errorf("%q, want %q", reasons, c.reason)
			}
		})
	}
}

// TestCrashGoesOn: a system that ends the official checker does not hide the others.
func TestCrashGoesOn(t *testing.T) {
	for name, text := range map[string]string{"list": "[]", "mark": "\ufeff{}", "latin": "{\"a\": \"\xe9\"}", "none": ""} {
		t.Run(name, func(t *testing.T) {
			root := smallTree(t)
			put(t, root, "open/Lab/results/abox/resnet50/Offline/README.md", "")
			if text != "" {
				put(t, root, "open/Lab/systems/abox.json", text)
			}
			r := check(t, root, Options{})
			if r.Verdict != Crash || len(r.Rows) != 1 || len(r.Crashes) != 1 ||
				r.Crashes[0].Path != "open/Lab/systems/abox.json" {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestWritePrivateIDs(t *testing.T) {
	root := smallTree(t)
	file := filepath.Join(root, "open/Lab/results/box/privateid.json")
	if r := check(t, root, Options{PrivateIDs: true}); r.Rows[0].PrivateID != result.PrivateID("box") {
		t.Error(r.Rows)
	}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	for range 2 { // the second time it stays
		if err := WritePrivateIDs(root, Options{}); err != nil {
			t.Fatal(err)
		}
	}
	want := "{\n    \"box\": \"" + result.PrivateID("box") + "\"\n}"
	if text, err := os.ReadFile(file); err != nil || string(text) != want {
		t.Errorf("%s, want %s (%v)", text, want, err)
	}
	put(t, root, "open/Lab/results/box/privateid.json", `{"box": "kept"}`)
	if r := check(t, root, Options{PrivateIDs: true}); r.Rows[0].PrivateID != "kept" {
		t.Error(r.Rows)
	}
}

func TestCheckNothing(t *testing.T) {
	if _, err := Check(filepath.Join(t.TempDir(), "none"), Options{}); err == nil {
		t.Error("a tree that is not there")
	}
	if _, err := Check(t.TempDir(), Options{Round: "v9"}); err == nil {
		t.Error("a round that is not there")
	}
	if r := check(t, t.TempDir(), Options{}); r.Verdict != OK {
		t.Error("an empty tree looks OK to the official checker")
	}
}

// TestFoldersForFiles: folders in the places of files are crashes.
func TestFoldersForFiles(t *testing.T) {
	root := smallTree(t)
	for _, name := range []string{smallFolder + "/measurements.json", smallFolder + "/accuracy/accuracy.txt", smallLog} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	if r := check(t, root, Options{}); r.Verdict != Crash {
		t.Errorf("%+v", r)
	}
}
