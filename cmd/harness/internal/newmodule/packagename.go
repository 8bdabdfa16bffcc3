package newmodule

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
)

// reservedNames are names that the go command takes for something else than a package to be built, and those of the
// packages that the module is about.
func reservedNames() []string {
	return []string{
		"main", "init", "internal", "vendor", "testdata", "documentation",
		"sdk", "serve", "sdktest", "backend", "loadgen", "mllog", standInBackend, standInBenchmark,
	}
}

// packageName makes a Go package name of the last part of a path.
func packageName(base string) (string, error) {
	name := strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(base))
	if !regexp.MustCompile(`^[a-z][a-z0-9]*$`).MatchString(name) {
		return "", fmt.Errorf("the folder's name %q is to be the package's: want letters and digits, a letter first", base)
	}
	if slices.Contains(reservedNames(), name) || token.IsKeyword(name) || doc.IsPredeclared(name) {
		return "", checkReserved(name)
	}
	return name, nil
}

func checkReserved(name string) error {
	return fmt.Errorf("the folder's name is to be the package's, and %s has another meaning in Go or in the module: "+
		"choose another", name)
}

// placeholder stands for the author's package where the names around it are looked at. No template uses it.
const placeholder = "placeholder"

// checkFree wants a package name that nothing else has in the Go packages of a module which import the author's: they
// would not build.
func (s Spec) checkFree(name string) error {
	n, folder := namesFor(s.Kind, placeholder), "template"
	if s.Classifier != nil {
		n.Classifier, folder = &classifierFacts{}, "classifier"
	}
	n.Module = "example.com/" + placeholder
	files, err := renderFolder(folder, n)
	if err != nil {
		return err
	}
	// by folder: the author's package, and the name for something else
	imports, used := map[string]bool{}, map[string]bool{}
	for file, text := range files {
		if path.Ext(file) != ".go" {
			continue
		}
		dir := path.Dir(file)
		imported, identifiers, err := namesIn(text)
		if err != nil {
			return err
		}
		imports[dir] = imports[dir] || slices.Contains(imported, placeholder)
		used[dir] = used[dir] || slices.Contains(append(imported, identifiers...), name)
	}
	for dir := range imports {
		if imports[dir] && used[dir] {
			return checkReserved(name)
		}
	}
	return nil
}

// namesIn are those of the packages that a Go file imports, and all its identifiers but what is behind a dot.
func namesIn(text []byte) (imported, identifiers []string, err error) {
	f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	behind := map[*ast.Ident]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			imported = append(imported, path.Base(strings.Trim(n.Path.Value, `"`)))
		case *ast.SelectorExpr:
			behind[n.Sel] = true
		case *ast.Ident:
			if !behind[n] {
				identifiers = append(identifiers, n.Name)
			}
		}
		return true
	})
	return imported, identifiers, nil
}
