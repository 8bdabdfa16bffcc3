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

// reservedNames returns the package names with another meaning for the go command, and the names of the packages that
// the module uses.
func reservedNames() []string {
	return []string{
		"main", "init", "internal", "vendor", "testdata", "documentation",
		"sdk", "serve", "sdktest", "backend", "loadgen", "mllog", standInBackend, standInBenchmark,
	}
}

// toPackageName derives a Go package name from the last part of a path.
func toPackageName(base string) (string, error) {
	name := strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(base))
	if !regexp.MustCompile(`^[a-z][a-z0-9]*$`).MatchString(name) {
		return "", fmt.Errorf("the folder's name %q is to be the package's: want letters and digits, a letter first", base)
	}
	if slices.Contains(reservedNames(), name) || token.IsKeyword(name) || doc.IsPredeclared(name) {
		return "", reservedNameError(name)
	}
	return name, nil
}

func reservedNameError(name string) error {
	return fmt.Errorf("the folder's name is to be the package's, and %s has another meaning in Go or in the module: "+
		"choose another", name)
}

// placeholderName is the name of the author's package during the search for conflicting names. Templates do not use it.
const placeholderName = "placeholder"

// checkNameFree requires that the package name does not conflict with another name in the Go packages that import the
// author's. Such packages would not build.
func (s ModuleSpec) checkNameFree(name string) error {
	n, folder := dataFor(s.Kind, placeholderName), "template"
	if s.Classifier != nil {
		n.Classifier, folder = &classifierFacts{}, "classifier"
	}
	n.Module = "example.com/" + placeholderName
	files, err := renderFolder(folder, n)
	if err != nil {
		return err
	}
	// by folder: whether it imports the author's package, and whether it uses name
	imports, used := map[string]bool{}, map[string]bool{}
	for file, text := range files {
		if path.Ext(file) != ".go" {
			continue
		}
		dir := path.Dir(file)
		imported, identifiers, err := listNames(text)
		if err != nil {
			return err
		}
		imports[dir] = imports[dir] || slices.Contains(imported, placeholderName)
		used[dir] = used[dir] || slices.Contains(append(imported, identifiers...), name)
	}
	for dir := range imports {
		if imports[dir] && used[dir] {
			return reservedNameError(name)
		}
	}
	return nil
}

// listNames returns the base names of a Go file's imports, and its identifiers except those after a dot.
func listNames(text []byte) (imported, identifiers []string, err error) {
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
