package tools

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
)

// described contains the models of a plugin's manifest, as far as roles need them.
type described struct {
	Params []sdk.ParamInfo
	Models []struct{ Replay bool }
}

// pluginParams contains the parameters of the benchmarks by plugin: rows of manifests.
func pluginParams(t *testing.T) map[string]described {
	t.Helper()
	all := map[string]described{}
	files, err := filepath.Glob("../plugins/*/manifest.json")
	if err != nil || len(files) < 19 {
		t.Fatalf("%d manifests, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		var d described
		if err == nil {
			err = json.Unmarshal(text, &d)
		}
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all[filepath.Base(filepath.Dir(file))] = d
	}
	return all
}

// TestParametersByRole checks that the harness finds parameters by the roles in a manifest, not by their names. A name
// in its code would bind it to the plugins of this repository.
func TestParametersByRole(t *testing.T) {
	names := map[string]bool{}
	for _, d := range pluginParams(t) {
		for _, p := range d.Params {
			names[p.Name] = true
		}
	}
	files := 0
	for _, root := range []string{"../cmd/harness", "../submission", "../internal/submission", "../bench"} {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			switch {
			case err != nil && path == root:
				return nil // one of the two packages about submissions
			case err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return err
			// It writes its own manifest, derived from that of the classifier, and rejects what that one does not contain.
			case strings.HasSuffix(filepath.ToSlash(path), "internal/newmodule/classifier.go"):
				return nil
			}
			files++
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			if err == nil {
				for _, at := range namedParams(file, names) {
					t.Errorf("%v names a parameter of a plugin: want a role of it (sdk.ParamInfo.Roles)", set.Position(at))
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 500 {
		t.Errorf("%d files", files)
	}
}

// ofParams matches the names of maps of parameters.
var ofParams = regexp.MustCompile(`(?i)(params|values|defaults|given)$`)

// namedParams returns the places at which a file looks up a parameter by name or contains a value for one: NAME=VALUE.
func namedParams(file *ast.File, names map[string]bool) (places []token.Pos) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr:
			if text, ok := textOf(n.Index); ok && names[text] && ofParams.MatchString(lastName(n.X)) {
				places = append(places, n.Pos())
			}
		case *ast.KeyValueExpr:
			literal, ok := n.Value.(*ast.CompositeLit)
			if !ok || !ofParams.MatchString(lastName(n.Key)) {
				break
			}
			for _, e := range literal.Elts {
				pair, ok := e.(*ast.KeyValueExpr)
				if !ok {
					continue
				}
				if text, ok := textOf(pair.Key); ok && names[text] {
					places = append(places, pair.Pos())
				}
			}
		case *ast.BasicLit:
			text, ok := textOf(n)
			if name, _, given := strings.Cut(text, "="); ok && given && names[name] {
				places = append(places, n.Pos())
			}
		}
		return true
	})
	return places
}

func textOf(e ast.Expr) (text string, ok bool) {
	literal, ok := e.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(literal.Value)
	return text, err == nil
}

// lastName returns the name of a variable or a field.
func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// TestNamedParams checks that each way of naming a parameter is found.
func TestNamedParams(t *testing.T) {
	const text = `package p
var a = run.Options.Params["form"]
var b = []string{"form=x", "mode=y"}
var c = T{Params: map[string]string{"form": "x"}}
var d = words["form"]
`
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, at := range namedParams(file, map[string]bool{"form": true}) {
		lines = append(lines, set.Position(at).Line)
	}
	if !slices.Equal(lines, []int{2, 3, 4}) {
		t.Errorf("lines %v", lines)
	}
}

// TestRolesOfPlugins checks that manifests give parameters the roles that a harness assumes for older plugins by name.
func TestRolesOfPlugins(t *testing.T) {
	for plugin, d := range pluginParams(t) {
		old := sdk.Description{Models: []sdk.ModelInfo{{Params: slices.Clone(d.Params)}}}
		m := &old.Models[0]
		for i := range m.Params {
			m.Params[i].Roles = ""
		}
		for _, of := range d.Models {
			m.Replay = m.Replay || of.Replay
		}
		for i, p := range old.WithRoles().Models[0].Params {
			if got := d.Params[i].Roles; got != p.Roles && (plugin != "wan" || p.Name != "payload") { // wan's is no element type
				t.Errorf("%s, %s: roles %q, want %q", plugin, p.Name, got, p.Roles)
			}
		}
	}
}
