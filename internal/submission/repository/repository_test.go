package repository_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"

	"github.com/plumbline-ml/plumbline/internal/submission/repository"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/internal/testkit/treeops"
)

// repositoryCase is what the official script printed of a folder.
type repositoryCase struct {
	Ops    []treeops.Op
	Args   []string
	Expect struct{ Stdout string }
}

func TestOfficialGolden(t *testing.T) {
	golden.Each(t, "submission/repository_checks/*/case.json", func(t *testing.T, path string) {
		path, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		var c repositoryCase
		golden.ReadJSON(t, path, &c)
		t.Chdir(t.TempDir())
		if err := os.Mkdir(c.Args[0], 0o755); err != nil {
			t.Fatal(err)
		}
		treeops.Apply(t, c.Args[0], c.Ops)
		got, err := repository.OfficialText(c.Args[0])
		if err != nil || sorted(got) != sorted(c.Expect.Stdout) {
			t.Errorf("%v\n%s\nwant\n%s", err, got, c.Expect.Stdout)
		}
		all := findings(t, c.Args[0])
		if clean := len(all) == 0; clean != (c.Expect.Stdout == "") {
			t.Errorf("found %v, the official script says\n%s", all, c.Expect.Stdout)
		}
	})
}

// sorted is the text with the paths of each group in order: those of the script are in the file system's.
func sorted(text string) string {
	groups := strings.Split(text, ";")
	for i, g := range groups {
		lines := strings.Split(g, "\n")
		slices.Sort(lines)
		groups[i] = strings.Join(lines, "\n")
	}
	return strings.Join(groups, ";")
}

func findings(t *testing.T, root string) (all []string) {
	t.Helper()
	found, err := tree.Open(root, "")
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	for _, f := range repository.FindAllFaults(found) {
		all = append(all, string(f.Kind)+" "+f.Path)
		if f.Kind != repository.Character && !strings.HasPrefix(f.Error(), f.Path) {
			t.Errorf("%s does not name its path: %v", f.Path, f)
		}
	}
	return all
}

// A folder's blank counts here, though the script overlooks it.
func TestFindings(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"closed/a b", "closed/.c"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "closed", ".d e"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a\"b", "a\nb", "a\x96b"} {
		if err := os.WriteFile(filepath.Join(root, "closed", name), nil, 0o644); err != nil {
			t.Skip(err) // a file system that has no such names
		}
	}
	want := []string{
		"hidden closed/.c", "hidden closed/.d e", "blank closed/.d e", "character closed/a\nb", "blank closed/a b",
		"character closed/a\"b", "character closed/a\x96b",
	}
	if got := findings(t, root); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The script names the folder as it was given, and takes a "." for a hidden one.
func TestOfficialNames(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a b", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := repository.OfficialText("./")
	if err != nil || !strings.Contains(got, "FILES CONTAINING SPACES:\n./a b;\nBAD FOLDER NAMES:\n./;") {
		t.Errorf("%v %s", err, got)
	}
	if _, err := repository.OfficialText("none"); err == nil {
		t.Error("no error of a folder that is not there")
	}
}
