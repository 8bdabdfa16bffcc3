package tools

import (
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// promises contains the packages whose names VERSIONING.md promises: exported names in their row keep compiling. Of the
// partial ones, after "of", it promises the names that the others use. In the row of types, it promises values but not
// their names.
func promises(t *testing.T) (whole, partial, values []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), "VERSIONING.md"))
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile("`([^`]+)`")
	packages := func(cell string) (all []string) {
		for _, m := range name.FindAllStringSubmatch(cell, -1) {
			all = append(all, prefix+m[1])
		}
		return all
	}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		switch {
		case len(cells) < 3:
		case strings.Contains(cells[2], "exported names keep compiling"):
			first, rest, _ := strings.Cut(cells[1], "(of ")
			rest, _, _ = strings.Cut(rest, ":")
			whole, partial = packages(first), packages(rest)
		case strings.HasPrefix(cells[1], " types that these names use"):
			values = packages(cells[1])
		}
	}
	if len(whole) < 5 || len(partial) == 0 || len(values) == 0 {
		t.Fatalf("VERSIONING.md promises %q, of %q, and values of %q", whole, partial, values)
	}
	return whole, partial, values
}

// exports reads compiled packages with all their dependencies.
func exports(t *testing.T, paths []string) types.Importer {
	t.Helper()
	files := map[string]string{}
	c := exec.Command("go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}, paths...)...)
	c.Dir = root(t)
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return importer.ForCompiler(token.NewFileSet(), "gc",
		func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
}

// typeWalk visits the types that exported names use, and the types in packages that it may enter.
type typeWalk struct {
	enter func(path string) bool
	seen  map[types.Type]bool
	named map[*types.TypeName]string // with the name that led there
	from  string
}

// walk records the named types of t.
func (w *typeWalk) walk(t types.Type) {
	if w.seen[t] {
		return
	}
	w.seen[t] = true
	switch t := t.(type) {
	case *types.Alias:
		w.walk(types.Unalias(t))
	case *types.Named:
		w.walkNamed(t)
	case *types.Struct:
		for f := range t.Fields() {
			w.walkObject(f)
		}
	case *types.Interface:
		for m := range t.Methods() {
			w.walkObject(m)
		}
	case *types.Signature:
		for v := range t.Params().Variables() {
			w.walk(v.Type())
		}
		for v := range t.Results().Variables() {
			w.walk(v.Type())
		}
	case *types.Map:
		w.walk(t.Key())
		w.walk(t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		w.walk(t.Elem())
	}
}

func (w *typeWalk) walkObject(o types.Object) {
	if o.Exported() {
		w.walk(o.Type())
	}
}

func (w *typeWalk) walkNamed(t *types.Named) {
	for a := range t.TypeArgs().Types() {
		w.walk(a)
	}
	p := t.Obj().Pkg()
	if p == nil || !strings.HasPrefix(p.Path(), prefix) {
		return
	}
	w.named[t.Obj()] = w.from
	if !w.enter(p.Path()) {
		return
	}
	for m := range t.Methods() {
		w.walkObject(m)
	}
	w.walk(t.Underlying())
}

// TestPromisedTypes checks that promised names use only types of promised packages and types that VERSIONING.md lists,
// and that it lists no others. Other modules cannot name types of internal packages.
func TestPromisedTypes(t *testing.T) {
	whole, partial, values := promises(t)
	w := typeWalk{seen: map[types.Type]bool{}, named: map[*types.TypeName]string{}, enter: func(path string) bool {
		return slices.Contains(whole, path) || slices.Contains(partial, path)
	}}
	compiled, names := exports(t, whole), 0
	for _, path := range whole {
		p, err := compiled.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range p.Scope().Names() {
			if o := p.Scope().Lookup(name); o.Exported() {
				w.from = path + "." + name
				w.walk(o.Type())
				names++
			}
		}
	}
	if names < 300 {
		t.Errorf("%d promised names, want several hundred", names)
	}
	used := map[string]bool{}
	for o, from := range w.named {
		path := o.Pkg().Path()
		used[path] = true
		if !w.enter(path) && !slices.Contains(values, path) && !strings.Contains(path, "/internal/") {
			t.Errorf("%s uses %s.%s, of a package that VERSIONING.md does not list", from, path, o.Name())
		}
	}
	for _, path := range slices.Concat(partial, values) {
		if !used[path] {
			t.Errorf("VERSIONING.md lists %s, of which no promised name uses a type", path)
		}
	}
}

// TestComparedPackages checks that make api compares the packages that VERSIONING.md promises.
func TestComparedPackages(t *testing.T) {
	whole, partial, _ := promises(t)
	said, err := makeOutput(t, "-n", "api")
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	for _, path := range slices.Concat(whole, partial) {
		if short := strings.TrimPrefix(path, prefix); !slices.Contains(strings.Fields(said), short) {
			t.Errorf("make api does not compare %s:\n%s", short, said)
		}
	}
}
