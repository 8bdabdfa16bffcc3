package score

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestMemory: what an earlier scoring kept is not made again, and the result is the same; a file with another key, and
// what is behind the last whole record, do not count.
func TestMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.features")
	remember := func(key FeatureKey) *FeatureMemory {
		t.Helper()
		m, err := OpenMemory(path, key)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	n := &seeing{}
	s := open(t, n)
	s.Memory = remember(FeatureKey{1})
	for index, level := range map[uint64]byte{2: 0, 1: 255} {
		if err := s.Add(t.Context(), index, grey(level)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Memory.Close(false); err != nil {
		t.Fatal(err)
	}
	again := open(t, &seeing{fault: errors.New("it is asked again")})
	again.Memory = remember(FeatureKey{1})
	for _, index := range []uint64{2, 1} {
		if err := again.Add(t.Context(), index, grey(9)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := again.Result(); err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if err := again.Memory.Close(false); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data[:len(data)-1], 0o644); err != nil {
		t.Fatal(err)
	}
	cut := remember(FeatureKey{1})
	if cut.Len() != 1 {
		t.Errorf("%d records of a file that was cut, want 1", cut.Len())
	}
	if err := cut.Close(false); err != nil {
		t.Fatal(err)
	}
	other := remember(FeatureKey{2})
	if other.Len() != 0 {
		t.Errorf("%d records of another log", other.Len())
	}
	if err := other.Close(true); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
}

func FuzzMemory(f *testing.F) {
	m := &FeatureMemory{features: map[uint64]sampleFeatures{}}
	whole := slices.Concat([]byte{7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}, make([]byte, 12))
	f.Add(whole)
	f.Fuzz(func(t *testing.T, data []byte) {
		if n := m.readRecord(data); n < 0 || n > len(data) {
			t.Errorf("a record of %d of %d bytes", n, len(data))
		}
	})
}

// TestMemoryFollowsNoLink: what somebody has put under the file's name is replaced, and not written to.
func TestMemoryFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	target, path := filepath.Join(dir, "precious"), filepath.Join(dir, "log.features")
	if err := os.WriteFile(target, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Skip(err)
	}
	m, err := OpenMemory(path, FeatureKey{1})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Close(false); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != "precious" {
		t.Errorf("what the link names holds %q, %v", text, err)
	}
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		t.Errorf("%v, %v: want a file of its own", info, err)
	}
}
