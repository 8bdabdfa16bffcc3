package bounded_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/bounded"
)

func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(path, []byte("0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, err := bounded.ReadFile(path, 10); err != nil || string(data) != "0123456789" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := bounded.ReadFile(path, 9); !errors.Is(err, bounded.ErrFile) ||
		!strings.Contains(err.Error(), "more than 9 bytes") {
		t.Errorf("a larger file: %v", err)
	}
	for _, odd := range append(pipes(t), os.DevNull, t.TempDir()) {
		if _, err := bounded.ReadFile(odd, 9); !errors.Is(err, fs.ErrInvalid) ||
			!strings.HasSuffix(err.Error(), odd+" is not a regular file") {
			t.Errorf("%s: %v", odd, err)
		}
	}
	if _, err := bounded.ReadFile(path+"x", 9); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// TestNamed: a path and what is wrong with it, without the call that failed; the cause stays in the chain.
func TestNamed(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	_, opened := bounded.Open(none)
	_, rooted := bounded.OpenRoot(none)
	for _, err := range []error{opened, rooted} {
		got := bounded.ShortenPathError(err)
		if !errors.Is(got, fs.ErrNotExist) || !strings.HasPrefix(got.Error(), none+": ") {
			t.Errorf("%v is named %v", err, got)
		}
	}
	if other := errors.New("other"); !errors.Is(bounded.ShortenPathError(other), other) ||
		bounded.ShortenPathError(nil) != nil {
		t.Error("other errors change")
	}
}

func TestDir(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, err := fs.ReadFile(bounded.DirFS(dir, 10), "a.txt"); err != nil || string(data) != "0123456789" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := fs.ReadFile(bounded.DirFS(dir, 9), "a.txt"); !errors.Is(err, bounded.ErrFile) {
		t.Errorf("a larger file: %v", err)
	}
	for _, name := range []string{"../a.txt", "/a.txt", ".", ""} {
		if _, err := bounded.DirFS(dir, 10).Open(name); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestNesting(t *testing.T) {
	for text, want := range map[string]string{
		"- - x\n- [[], {a: b}] # a - b\n- -1\n": "",
		"a: b\n- - -":                           "line 2: more than 2 lists begin on one line",
		"- -\t-\tx":                             "line 1: more than 2 lists",
		"\n[[[":                                 "line 2: more than 2 brackets",
		"[{}, {a: {}}]":                         "line 1: more than 2 brackets",
		"]]]]---":                               "",
	} {
		err := bounded.CheckNesting([]byte(text), 2)
		if (err != nil) != (want != "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
