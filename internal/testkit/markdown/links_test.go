package markdown

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDeadLinks(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"README.md": "[a](texts/a.md), [here](#what-is-it), [net](https://example.org/x), [a part](texts/a.md#part-2)\n" +
			"## What is it?\n\n[gone](texts/b.md) [no part](texts/a.md#part-3) [nor](#what) [`f(x)`](f)\n",
		"texts/a.md": "# Part 2\n\n[out](../../x.md) [up](../README.md) [folder](../texts)\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	documents := []string{filepath.Join(dir, "README.md"), filepath.Join(dir, "texts", "a.md")}
	dead, err := DeadLinks(documents, dir)
	if err != nil || len(dead) != 4 {
		t.Fatalf("%v, %q: want four", err, dead)
	}
	for i, want := range []string{"texts/b.md", "part-3", "#what:", "leads out of"} {
		if !strings.Contains(dead[i], want) {
			t.Errorf("%s: want %q", dead[i], want)
		}
	}
	if dead, err := DeadLinks(documents[1:], ""); err != nil || len(dead) != 1 || !strings.Contains(dead[0], "x.md") {
		t.Errorf("%v, %q: want that there is no x.md", err, dead)
	}
	if _, err := DeadLinks([]string{filepath.Join(dir, "none.md")}, ""); err == nil {
		t.Error("a document that is not there is taken")
	}
}
