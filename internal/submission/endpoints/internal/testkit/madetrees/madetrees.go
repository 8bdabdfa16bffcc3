// Package madetrees contains synthetic submissions for comparisons with the official tools. Each is a base tree with
// changes.
package madetrees

import (
	"bufio"
	"cmp"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/internal/schema"
	"github.com/plumbline-ml/plumbline/internal/submission/internal/yaml11"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// GoldenCase is a golden case of the official checker: a base, the changes to it, and the rows before and after (rule,
// severity, path, section, message).
type GoldenCase struct {
	Base               string
	Ops                []Change
	Results, Gone, New [][5]string
	Errors, Warnings   *int
}

// Change is a change of a file or folder. "set" and "delete" change the value at Path. "text" replaces the whole file.
// "remove" removes it, and "rename" renames it to To.
type Change struct {
	Op    string          `json:"op"`
	File  string          `json:"file"` // path relative to the submission
	To    string          `json:"to,omitempty"`
	Path  []any           `json:"path,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
}

// Cases reads the golden cases and their bases. The files of a base are below sub/.
func ReadCases(t testing.TB, file string) (all []GoldenCase, bases map[string]fstest.MapFS) {
	t.Helper()
	bases = map[string]fstest.MapFS{}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var c GoldenCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if len(c.Results) > 0 {
			bases[c.Base] = Unpack(t, filepath.Join(filepath.Dir(file), "base", c.Base+".tar.gz"))
		}
		all = append(all, c)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all, bases
}

// Unpack reads a base into memory, below sub/.
func Unpack(t testing.TB, archive string) fstest.MapFS {
	t.Helper()
	dir, tree := t.TempDir(), fstest.MapFS{}
	golden.Unpack(t, archive, dir)
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		tree[path.Join("sub", name)] = &fstest.MapFile{Data: text}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// Write writes a tree into a folder.
func Write(t testing.TB, tree fstest.MapFS, dir string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(file), 0o755)
		if err == nil {
			err = os.WriteFile(file, tree[name].Data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Changed returns a copy of a base with changes.
func ChangedTree(t testing.TB, base fstest.MapFS, ops []Change) fstest.MapFS {
	t.Helper()
	tree := maps.Clone(base)
	for _, op := range ops {
		file := path.Join("sub", op.File)
		switch op.Op {
		case "set", "delete":
			tree[file] = &fstest.MapFile{Data: editFile(t, file, tree[file].Data, op)}
		case "text":
			var text string
			if err := json.Unmarshal(op.Value, &text); err != nil {
				t.Fatal(err)
			}
			tree[file] = &fstest.MapFile{Data: []byte(text)}
		case "remove", "rename":
			moved := fstest.MapFS{}
			for name, f := range tree {
				if rest, below := strings.CutPrefix(name, file); below && (rest == "" || rest[0] == '/') {
					delete(tree, name)
					if op.To != "" {
						moved[path.Join("sub", op.To)+rest] = f
					}
				}
			}
			maps.Copy(tree, moved)
		default:
			t.Fatalf("the change %q is not known", op.Op)
		}
	}
	return tree
}

// decodeFile parses a JSON or YAML file.
func decodeFile(file string, text []byte) (any, error) {
	if strings.HasSuffix(file, ".yaml") {
		v, err := yaml11.Decode(text, len(text))
		return schema.FromYAML(v), err
	}
	return pyvalue.Decode(string(text))
}

// edit sets or deletes a value in a JSON or YAML file.
func editFile(t testing.TB, file string, text []byte, op Change) []byte {
	t.Helper()
	v, err := decodeFile(file, text)
	var set any
	if err == nil && op.Op == "set" {
		set, err = pyvalue.Decode(string(op.Value))
	}
	if err != nil {
		t.Fatal(file, err)
	}
	v = changedValue(v, op.Path, set, op.Op == "delete")
	if strings.HasSuffix(file, ".yaml") {
		return []byte(flowText(v))
	}
	return []byte(pyvalue.JSON(v))
}

func changedValue(v any, at []any, set any, remove bool) any {
	if len(at) == 0 {
		return set
	}
	switch v := v.(type) {
	case *pyvalue.Dict:
		out := pyvalue.NewDict()
		name, _ := at[0].(string)
		for _, k := range v.Keys() {
			inner, _ := v.Get(k)
			switch {
			case k == name && remove && len(at) == 1:
				continue
			case k == name:
				inner = changedValue(inner, at[1:], set, remove)
			}
			out.Set(k, inner)
		}
		if _, there := v.Get(name); !there && !remove {
			out.Set(name, changedValue(pyvalue.NewDict(), at[1:], set, remove))
		}
		return out
	case []any:
		out := slices.Clone(v)
		i := int(at[0].(float64))
		if remove && len(at) == 1 {
			return slices.Delete(out, i, i+1)
		}
		out[i] = changedValue(out[i], at[1:], set, remove)
		return out
	}
	return v
}

// flowText returns a value as YAML 1.1 in flow style.
func flowText(v any) string {
	switch v := v.(type) {
	case *pyvalue.Dict:
		var parts []string
		for _, k := range v.Keys() {
			inner, _ := v.Get(k)
			parts = append(parts, pyvalue.JSON(k)+": "+flowText(inner))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		var parts []string
		for _, inner := range v {
			parts = append(parts, flowText(inner))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case float64:
		text := pyvalue.JSON(v)
		switch {
		case text == "NaN":
			return ".nan"
		case strings.HasSuffix(text, "Infinity"):
			return cmp.Or(map[string]string{"Infinity": ".inf"}[text], "-.inf")
		}
		mantissa, exponent, large := strings.Cut(text, "e")
		if large && !strings.Contains(mantissa, ".") {
			return mantissa + ".0e" + exponent
		}
		return text
	}
	return pyvalue.JSON(v)
}
