package bounded_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/internal/bounded"
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
	for _, odd := range []string{os.DevNull, t.TempDir()} {
		if _, err := bounded.ReadFile(odd, 9); !errors.Is(err, fs.ErrInvalid) ||
			!strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: %v", odd, err)
		}
	}
	if _, err := bounded.ReadFile(path+"x", 9); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}
