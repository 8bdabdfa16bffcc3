package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The committed Go is what the .proto files give: whoever edits one runs `go run ./genproto` in tools/.
func TestGeneratedCodeIsCurrent(t *testing.T) {
	root, err := findRoot()
	if err != nil {
		t.Skip(err)
	}
	files, err := generate(t.Context(), filepath.Join(root, protoDir))
	if err != nil {
		t.Fatal(err)
	}
	committed, err := filepath.Glob(filepath.Join(root, "sdk", "internal", "*pb", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	if len(committed) != len(files) {
		t.Errorf("sdk/internal/*pb hold %d files, the generators make %d", len(committed), len(files))
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Error(err)
		} else if string(got) != want {
			t.Errorf("%s is not what the .proto files give: run `go run ./genproto` in tools/", name)
		}
	}
}

func TestGenerateNamesTheFaultyFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "bad.proto"), []byte("syntax = \"proto3\"; message {"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := generate(t.Context(), dir); err == nil {
		t.Fatal("a file with a syntax error compiled")
	}
	if _, err := generate(t.Context(), t.TempDir()); err == nil {
		t.Fatal("an empty folder gave no error")
	}
}
