package check

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
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
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/internal/schema"
	"github.com/plumbline-ml/plumbline/internal/submission/internal/yaml11"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/internal/testkit/slow"
)

// treeCase is a tree of the official checker's golden cases: a base, and what is changed in it.
type treeCase struct {
	Base string
	Ops  []struct {
		Op, File, To string
		Path         []any
		Value        json.RawMessage
	}
	Results, Gone, New [][5]string
	Errors, Warnings   *int
}

// TestGoldenTrees: of each made tree our rows are those of the official checker, in rule, severity, path and section.
// Every fourth is in make test.
func TestGoldenTrees(t *testing.T) {
	golden.Each(t, "endpoints/cases.jsonl", func(t *testing.T, file string) {
		bases := map[string]fstest.MapFS{}
		rows := map[string][][5]string{}
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 16<<20)
		n := 0
		var all []treeCase
		for ; lines.Scan(); n++ {
			var c treeCase
			if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
				t.Fatal(err)
			}
			if len(c.Results) > 0 {
				rows[c.Base] = c.Results
				bases[c.Base] = unpack(t, filepath.Join(filepath.Dir(file), "base", c.Base+".tar.gz"))
			}
			all = append(all, c)
		}
		if n < 900 {
			t.Errorf("%d trees", n)
		}
		for i, c := range all {
			if i%4 != 0 && !slow.All() && len(c.Ops) > 0 {
				continue
			}
			t.Run(fmt.Sprintf("%d %s", i, c.Base), func(t *testing.T) { c.compare(t, bases[c.Base], rows[c.Base]) })
		}
	})
}

// unpack reads a base into memory, below sub/.
func unpack(t *testing.T, archive string) fstest.MapFS {
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

func (c treeCase) compare(t *testing.T, base fstest.MapFS, baseRows [][5]string) {
	tree := maps.Clone(base)
	for _, op := range c.Ops {
		file := path.Join("sub", op.File)
		switch op.Op {
		case "set", "delete":
			tree[file] = &fstest.MapFile{Data: edit(t, file, tree[file].Data, op.Path, op.Value, op.Op == "delete")}
		case "text":
			var text string
			if err := json.Unmarshal(op.Value, &text); err != nil {
				t.Fatal(err)
			}
			tree[file] = &fstest.MapFile{Data: []byte(text)}
		case "remove", "rename":
			for name, f := range tree {
				if rest, below := strings.CutPrefix(name, file); below && (rest == "" || rest[0] == '/') {
					delete(tree, name)
					if op.To != "" {
						tree[path.Join("sub", op.To)+rest] = f
					}
				}
			}
		}
	}
	checker := &checker{rules: endpoints.Newest()}
	if err := checker.all(tree, "org"); err != nil {
		t.Fatal(err)
	}
	report := &checker.report
	want := slices.Clone(baseRows)
	for _, gone := range c.Gone {
		i := slices.IndexFunc(want, func(r [5]string) bool { return key(r) == key(gone) })
		want = slices.Delete(want, i, i+1)
	}
	want = append(want, c.New...)
	missing := map[[4]string]int{}
	for _, r := range want {
		missing[key(r)]++
	}
	for _, r := range report.Rows {
		k := [4]string{r.Rule, string(r.Severity), r.Path, r.Section}
		if missing[k]--; missing[k] < 0 {
			t.Errorf("too much: %v: %s", k, r.Message)
		}
	}
	for k, n := range missing {
		if n > 0 {
			t.Errorf("missing %d of %v", n, k)
		}
	}
	if c.Errors != nil && *c.Errors != report.Count(Error) || c.Warnings != nil && *c.Warnings != report.Count(Warning) {
		t.Errorf("%d errors and %d warnings", report.Count(Error), report.Count(Warning))
	}
	if t.Failed() {
		for _, op := range c.Ops {
			t.Logf("%s %s %v %s %s", op.Op, op.File, op.Path, op.Value, op.To)
		}
	}
}

// key is a row without its message.
func key(r [5]string) [4]string { return [4]string{r[0], r[1], r[2], r[3]} }

// edit sets or deletes a value of a file of JSON or YAML.
func edit(t *testing.T, file string, text []byte, at []any, value json.RawMessage, remove bool) []byte {
	t.Helper()
	var v, set any
	var err error
	if strings.HasSuffix(file, ".yaml") {
		v, err = yaml11.Decode(text, maxFile)
		v = schema.Plain(v)
	} else {
		v, err = pyvalue.Decode(string(text))
	}
	if err == nil && !remove {
		set, err = pyvalue.Decode(string(value))
	}
	if err != nil {
		t.Fatal(file, err)
	}
	v = changed(v, at, set, remove)
	out := pyvalue.JSON(v)
	if strings.HasSuffix(file, ".yaml") {
		out = flow(v)
	}
	return []byte(out)
}

func changed(v any, at []any, set any, remove bool) any {
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
				inner = changed(inner, at[1:], set, remove)
			}
			out.Set(k, inner)
		}
		if _, there := v.Get(name); !there && !remove {
			out.Set(name, changed(pyvalue.NewDict(), at[1:], set, remove))
		}
		return out
	case []any:
		out := slices.Clone(v)
		i := int(at[0].(float64))
		if remove && len(at) == 1 {
			return slices.Delete(out, i, i+1)
		}
		out[i] = changed(out[i], at[1:], set, remove)
		return out
	}
	return v
}

// flow writes a value as YAML 1.1.
func flow(v any) string {
	switch v := v.(type) {
	case *pyvalue.Dict:
		var parts []string
		for _, k := range v.Keys() {
			inner, _ := v.Get(k)
			parts = append(parts, pyvalue.JSON(k)+": "+flow(inner))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		var parts []string
		for _, inner := range v {
			parts = append(parts, flow(inner))
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
