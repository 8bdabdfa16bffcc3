package output

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPluginLog(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run", PluginLogName)
	if err := os.Mkdir(filepath.Join(dir, "run"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := NewPluginLog(dir, "run").Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a plugin that prints nothing leaves a file: %v", err)
	}
	l := NewPluginLog(dir, "run")
	for _, text := range []string{"one\n", "two\n"} {
		if n, err := l.Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("%d bytes, error %v", n, err)
		}
	}
	l.left = 3
	for range 2 {
		if n, err := l.Write([]byte("three\n")); n != 6 || err != nil {
			t.Errorf("%d bytes, error %v", n, err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(text), "one\ntwo\n\n... it prints more") ||
		strings.Count(string(text), "more") != 1 {
		t.Errorf("%q, error %v", text, err)
	}
}

func TestPluginLogThatCannotBeWritten(t *testing.T) {
	l := NewPluginLog(t.TempDir(), "none")
	if n, err := l.Write([]byte("text")); n != 4 || err != nil {
		t.Errorf("%d bytes, error %v: it must not stop the plugin", n, err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}
