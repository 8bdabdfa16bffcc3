package mapped

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, text := range []string{"", "some bytes"} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(f.Bytes()) != text {
			t.Errorf("bytes %q, want %q", f.Bytes(), text)
		}
		if err := errors.Join(f.Close(), f.Close()); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{t.TempDir(), filepath.Join(t.TempDir(), "none")} {
		if _, err := Open(bad); err == nil {
			t.Errorf("%s was mapped", bad)
		}
	}
}

func TestGuard(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("tried on Linux: elsewhere the file may have been read whole")
	}
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, make([]byte, 1<<16), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	sum := byte(0)
	if err := CatchFaults(func() { sum = f.Bytes()[5000] }); !errors.Is(err, ErrLost) {
		t.Errorf("read %d of a file cut short: %v, want %v", sum, err, ErrLost)
	}
	if err := CatchFaults(func() {}); err != nil {
		t.Error(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("Guard hid a panic of another kind")
		}
	}()
	_ = CatchFaults(func() { panic("mine") })
}
