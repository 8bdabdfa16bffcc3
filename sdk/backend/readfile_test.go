package backend_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

func TestReadFileIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(path, []byte("0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, err := backend.ReadFile(path, 10); err != nil || string(data) != "0123456789" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := backend.ReadFile(path, 9); err == nil || !strings.Contains(err.Error(), "more than 9 bytes") {
		t.Errorf("a larger file: %v", err)
	}
	for _, odd := range []string{os.DevNull, t.TempDir()} {
		if _, err := backend.ReadFile(odd, 9); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%s: %v", odd, err)
		}
	}
	if _, err := backend.ReadFile(path+"x", 9); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}
