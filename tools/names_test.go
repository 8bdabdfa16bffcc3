package tools

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"strings"
	"testing"
	"unicode"
)

// maxSharing is the maximum number of types with the same name that are not counted.
const maxSharing = 4

// TestNames counts names that are hard to understand: functions and types of one word, and types whose name is used
// more than maxSharing times. The shares, in percent of all names in Go files except tests and generated files, must
// not rise. "go test -run TestNames -lower ." writes lower shares.
func TestNames(t *testing.T) {
	top := root(t)
	functions, oneWordFunctions, types, oneWordTypes := 0, 0, 0, 0
	typesOf := map[string]int{}
	for _, path := range goFiles(t, top) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if ast.IsGenerated(f) {
			continue
		}
		for _, decl := range f.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if name := d.Name.Name; d.Body != nil && name != "main" && name != "init" {
					functions++
					oneWordFunctions += countOneWord(name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if s, ok := spec.(*ast.TypeSpec); ok {
						types++
						oneWordTypes += countOneWord(s.Name.Name)
						typesOf[s.Name.Name]++
					}
				}
			}
		}
	}
	shared := 0
	for _, n := range typesOf {
		if n > maxSharing {
			shared += n
		}
	}
	holdRates(t, "testdata/names.json", map[string]float64{
		"functions of one word":                    percentOf(oneWordFunctions, functions),
		"types of one word":                        percentOf(oneWordTypes, types),
		"types that share a name with four others": percentOf(shared, types),
	}, "% of all. CONTRIBUTING.md says how to name things")
}

// countOneWord returns 1 for a name of one word: without a capital after its first letter, or only capitals.
func countOneWord(name string) int {
	if strings.ToUpper(name) == name {
		return 1
	}
	for i, r := range name {
		if i > 0 && (unicode.IsUpper(r) || r == '_') {
			return 0
		}
	}
	return 1
}

// percentOf returns n/all in percent with one decimal, rounded up.
func percentOf(n, all int) float64 { return math.Ceil(1000*float64(n)/float64(all)) / 10 }
