package golden

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestEach visits the package's own cases, then those of the folder in PLUMBLINE_GOLDEN.
func TestEach(t *testing.T) {
	t.Chdir(t.TempDir())
	full := t.TempDir()
	t.Setenv("PLUMBLINE_GOLDEN", full)
	for _, dir := range []string{filepath.Join("testdata", "golden"), full} {
		write(t, filepath.Join(dir, "scorers", "a", "expected.json"), `{"Want": 1}`)
		write(t, filepath.Join(dir, "scorers", "a", "mlperf_log_accuracy.json"),
			`[{"seq_id": 0, "qsl_idx": 7, "data": "0a0b"}]`)
	}
	var found []string
	Each(t, "scorers/*/expected.json", func(t *testing.T, path string) {
		found = append(found, path)
		var want struct{ Want int }
		ReadJSON(t, path, &want)
		AddLog(t, filepath.Dir(path), func(index uint64, payload []byte) error {
			if want.Want != 1 || index != 7 || string(payload) != "\n\v" {
				t.Errorf("%s: %+v, sample %d, payload %q", path, want, index, payload)
			}
			return nil
		})
	})
	own := filepath.Join("testdata", "golden", "scorers", "a", "expected.json")
	if want := []string{own, filepath.Join(full, "scorers", "a", "expected.json")}; !slices.Equal(found, want) {
		t.Errorf("visited %q, want %q", found, want)
	}
	if Root(t) != full {
		t.Errorf("root %s, want %s", Root(t), full)
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

// TestEachOwn visits cases of a folder, and those of the full set if there are any.
func TestEachOwn(t *testing.T) {
	own, full := t.TempDir(), t.TempDir()
	t.Setenv("PLUMBLINE_GOLDEN", full)
	first, second := filepath.Join(own, "a", "case.json"), filepath.Join(full, "a", "case.json")
	write(t, first, "")
	var found []string
	visit := func(_ *testing.T, path string) { found = append(found, path) }
	EachOwn(t, own, "*/case.json", visit)
	write(t, second, "")
	EachOwn(t, own, "*/case.json", visit)
	if want := []string{first, first, second}; !slices.Equal(found, want) {
		t.Errorf("visited %q, want %q", found, want)
	}
}
