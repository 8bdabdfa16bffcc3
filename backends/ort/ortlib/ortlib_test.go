package ortlib_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/ort/ortlib"
)

func TestFind(t *testing.T) {
	magic := map[string]byte{"amd64": 62, "arm64": 183} // e_machine of the ELF header
	for arch, machine := range magic {
		path, err := ortlib.FindLibrary(t.Context(), "linux", arch)
		if err != nil {
			t.Fatal(err)
		}
		head := make([]byte, 20)
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.ReadAt(head, 0); err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(head, []byte("\x7fELF")) || head[18] != machine {
			t.Errorf("%s: %s begins with % x", arch, path, head)
		}
	}
}

func TestFindOnOtherPlatforms(t *testing.T) {
	for _, p := range [][2]string{{"darwin", "arm64"}, {"windows", "amd64"}, {"linux", "riscv64"}} {
		if path, err := ortlib.FindLibrary(t.Context(), p[0], p[1]); !errors.Is(err, ortlib.ErrPlatform) {
			t.Errorf("%v: %q, error %v", p, path, err)
		}
	}
}

func TestFindCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if path, err := ortlib.FindLibrary(ctx, "linux", "amd64"); err == nil {
		t.Errorf("found %s", path)
	}
}

// TestGoModRequires compares the constants with go.mod, whose go.sum contains the module's checksum.
func TestGoModRequires(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.QuoteMeta(ortlib.Module + " " + ortlib.Version)
	if !regexp.MustCompile(`(?m)` + want + `( // indirect)?$`).Match(data) {
		t.Errorf("go.mod does not require %s %s", ortlib.Module, ortlib.Version)
	}
}

func TestPlace(t *testing.T) {
	library := filepath.Join(t.TempDir(), "libonnxruntime.so")
	dir := filepath.Join(t.TempDir(), "bin", "plugins")
	for _, content := range []string{"one", "another"} {
		if err := os.WriteFile(library, []byte(content), 0o444); err != nil {
			t.Fatal(err)
		}
		path, err := ortlib.CopyLibrary(library, dir)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(dir, "libonnxruntime.so"))
		if err != nil || string(got) != content || path != filepath.Join(dir, "libonnxruntime.so") {
			t.Errorf("%s holds %q, %v", path, got, err)
		}
		if err := os.Remove(library); err != nil {
			t.Fatal(err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
	if _, err := ortlib.CopyLibrary(library, dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}
