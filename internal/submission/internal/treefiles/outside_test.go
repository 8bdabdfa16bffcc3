package treefiles_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/treefiles"
)

func TestOutside(t *testing.T) {
	dir := t.TempDir()
	root, link := filepath.Join(dir, "tree"), filepath.Join(dir, "link")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(root, link); err != nil {
		t.Skip(err)
	}
	for path, want := range map[string]bool{
		root: false, filepath.Join(root, "a", "b"): false, filepath.Join(link, "a"): false, dir: true,
		root + "2": true, filepath.Join(dir, "none", "at", "all"): true, filepath.Join(root, "..", "x"): true,
	} {
		if got, err := treefiles.IsOutside(root, path); got != want || err != nil {
			t.Errorf("%s: %v, %v, want %v", path, got, err, want)
		}
		if got, err := treefiles.IsOutside(link, path); got != want || err != nil {
			t.Errorf("%s, from a link: %v, %v, want %v", path, got, err, want)
		}
	}
}
