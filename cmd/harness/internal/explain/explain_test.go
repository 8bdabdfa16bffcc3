package explain_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/explain"
)

// top is the folder of the checkout.
var top = filepath.Join("..", "..", "..", "..")

func entries(t *testing.T) []explain.WordEntry {
	t.Helper()
	all, err := explain.AllEntries(cli.CommandTree())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestEveryWord: each word of each kind is found, and has a meaning, a place that exists, a page that exists, and what
// its kind requires.
func TestEveryWord(t *testing.T) {
	all := entries(t)
	count := map[explain.WordKind]int{}
	declared := declarations{}
	for _, e := range all {
		count[e.Kind]++
		name := string(e.Kind) + " " + e.Word
		for _, word := range append([]string{e.Word, strings.ToUpper(e.Word)}, e.Also...) {
			found, err := explain.FindEntries(all, word)
			if err != nil || !slices.ContainsFunc(found, func(o explain.WordEntry) bool { return o.Meaning == e.Meaning }) {
				t.Errorf("%s is not found by %q: %v", name, word, err)
			}
		}
		if e.Meaning == "" || strings.HasSuffix(strings.TrimSuffix(e.Meaning, "..."), ".") {
			t.Errorf("%s means %q", name, e.Meaning)
		}
		if (e.Kind == explain.Rule || e.Kind == explain.Finding) && e.Source == "" {
			t.Errorf("%s has no source", name)
		}
		if !declared.has(t, e.Code) {
			t.Errorf("%s: package %s has no %s", name, e.Code.Package, e.Code.Name)
		}
		if _, err := os.Stat(filepath.Join(top, e.Page)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for kind, least := range map[explain.WordKind]int{
		explain.Rule: 10, explain.Finding: 26, explain.Breach: 12, explain.Check: 20, explain.Metric: 40,
		explain.Accuracy: 28, explain.Setting: 40, explain.Flag: 200, explain.Code: 10,
	} {
		if count[kind] < least {
			t.Errorf("%d entries of kind %s, want at least %d", count[kind], kind, least)
		}
	}
	if len(count) != len(explain.Kinds()) {
		t.Errorf("entries are of the kinds %v, want each of %v", count, explain.Kinds())
	}
}

// TestFormulas: what is computed has its formula; what is counted or read from elsewhere has none.
func TestFormulas(t *testing.T) {
	without := []string{
		"result", "overlatency", "queries", "samples", "tokens", "duration", "requests", "concurrency_peak", "meanAcc",
	}
	for _, e := range entries(t) {
		if e.Kind != explain.Metric && e.Kind != explain.Accuracy {
			continue
		}
		if (e.Formula == "") != slices.Contains(without, e.Word) {
			t.Errorf("%s %s has the formula %q", e.Kind, e.Word, e.Formula)
		}
	}
}

// TestFind: statistics of distributions, audits by number, flags with their dashes, and words that do not exist.
func TestFind(t *testing.T) {
	all := entries(t)
	for word, want := range map[string]string{
		"ttft.p99": "sorted (first token - due)[trunc(n * 0.99)]", "p90": "sorted (completion - due)[trunc(n * 0.9)]",
		"queue.MEAN": "sent - due", "min": "completion - due",
	} {
		if found, err := explain.FindEntries(all, word); err != nil || found[0].Formula != want {
			t.Errorf("%s: %+v, %v, want %q", word, found, err, want)
		}
	}
	for word, kind := range map[string]explain.WordKind{
		"audit-04": explain.Finding, "--duration": explain.Flag, "130": explain.Code, "VALID": explain.Code,
	} {
		found, err := explain.FindEntries(all, word)
		if err != nil || slices.ContainsFunc(found, func(e explain.WordEntry) bool { return e.Kind != kind }) {
			t.Errorf("%s: %+v, %v, want a %s", word, found, err, kind)
		}
	}
	for word, near := range map[string]string{
		"latnecy": `did you mean "latency"?`, "ttft.p101": "unknown word", "": "unknown word",
		"--min_duration": "unknown word",
	} {
		if found, err := explain.FindEntries(all, word); err == nil || !strings.Contains(err.Error(), near) {
			t.Errorf("%q: %+v, %v, want %q", word, found, err, near)
		}
	}
}

// declarations are the names that packages declare, by folder: "New", "Request.TTFT".
type declarations map[string]map[string]bool

func (d declarations) has(t *testing.T, p explain.CodePlace) bool {
	t.Helper()
	if d[p.Package] == nil {
		d[p.Package] = declarationsOf(t, filepath.Join(top, filepath.FromSlash(p.Package)))
	}
	return d[p.Package][p.Name]
}

func declarationsOf(t *testing.T, folder string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range parsed.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				names[receiver(decl)+decl.Name.Name] = true
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					addSpec(names, spec)
				}
			}
		}
	}
	return names
}

// receiver is the type of a method with a dot, and empty for a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	of := f.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if name, ok := of.(*ast.Ident); ok {
		return name.Name + "."
	}
	return ""
}

func addSpec(names map[string]bool, spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			names[name.Name] = true
		}
	case *ast.TypeSpec:
		names[spec.Name.Name] = true
		if of, ok := spec.Type.(*ast.StructType); ok {
			for _, field := range of.Fields.List {
				for _, name := range field.Names {
					names[spec.Name.Name+"."+name.Name] = true
				}
			}
		}
	}
}
