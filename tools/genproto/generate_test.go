package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The committed Go files must equal the generated ones. After a change of a .proto file, run `go run ./genproto` in
// tools/.
func TestGeneratedCodeIsCurrent(t *testing.T) {
	root, err := findRoot()
	if err != nil {
		t.Skip(err)
	}
	files, err := generateAll(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]int{}
	for name := range files {
		folders[filepath.Dir(name)]++
	}
	for folder, want := range folders {
		committed, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(folder), "*.go"))
		if err != nil || len(committed) != want {
			t.Errorf("%s holds %d files, the generators make %d (%v)", folder, len(committed), want, err)
		}
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
