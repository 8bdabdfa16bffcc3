package truncate_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"

	"github.com/plumbline-ml/plumbline/internal/submission/official/internal/python"
	"github.com/plumbline-ml/plumbline/internal/submission/official/truncate"
	"github.com/plumbline-ml/plumbline/internal/testkit/treeops"
)

// officialCase is one run of the official tool.
type officialCase struct {
	Ops    []treeops.Op
	Args   []string
	Runs   int
	Expect struct {
		Exit  []int
		Log   [][]string
		Files map[string]officialFile
		Gone  []string
	}
}

type officialFile struct {
	Size   int64
	SHA256 string
	Text   *string
}

func (c officialCase) options(t *testing.T) (o truncate.Options) {
	for i := 0; i+1 < len(c.Args); i += 2 {
		switch value := c.Args[i+1]; c.Args[i] {
		case "--input":
			o.Input = value
		case "--submitter":
			o.Submitter = value
		case "--output":
			o.Output = value
		case "--backup":
			o.Backup = value
		case "--scenarios-to-skip":
			o.Skip = strings.Split(value, ",")
		default:
			t.Fatalf("a new argument: %s", c.Args[i])
		}
	}
	return o
}

func TestOfficialGolden(t *testing.T) {
	golden.Each(t, "submission/truncate/*/case.json", func(t *testing.T, path string) {
		path, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		var c officialCase
		golden.ReadJSON(t, path, &c)
		t.Chdir(t.TempDir())
		treeops.Apply(t, ".", c.Ops)
		for run := range c.Runs {
			lines, err := truncate.TruncateTree(c.options(t))
			if died := err != nil; died != (c.Expect.Exit[run] != 0) {
				t.Errorf("run %d: error %v, want exit %d", run, err, c.Expect.Exit[run])
			}
			if got := printed(lines); !slices.Equal(got, c.Expect.Log[run]) && !errors.Is(err, truncate.ErrOutputExists) {
				t.Errorf("run %d said\n%s\nwant\n%s", run, strings.Join(got, "\n"), strings.Join(c.Expect.Log[run], "\n"))
			}
		}
		wantFiles(t, c.Expect.Files)
	})
}

func printed(lines []python.Line) (all []string) {
	for _, l := range lines {
		all = append(all, l.Level+" "+l.Text)
	}
	slices.Sort(all)
	return all
}

// wantFiles wants the folder to have these files and no others.
func wantFiles(t *testing.T, want map[string]officialFile) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, sum := filepath.ToSlash(path), sha256.Sum256(text)
		expected, ok := want[name]
		delete(want, name)
		switch {
		case !ok:
			t.Errorf("%s is there, and should not", name)
		case hex.EncodeToString(sum[:]) != expected.SHA256:
			t.Errorf("%s has %d bytes that differ from the %d wanted: %.200q", name, len(text), expected.Size, text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range want {
		t.Errorf("%s is missing", name)
	}
}
