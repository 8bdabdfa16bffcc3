package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/slow"
	"golang.org/x/mod/modfile"
)

const prefix = "github.com/plumbline-ml/plumbline/"

// mayImport lists, for each module, the other Plumbline packages that its packages may depend on, directly or not. An
// entry ending in "/" allows a whole tree, "..." in the key stands for every module below the folder. A module may
// always import itself, but a plugin no other plugin: what two share is in plugins/internal. ARCHITECTURE.md draws the
// same table.
var mayImport = map[string][]string{
	"loadgen":    {},
	"preprocess": {"internal/lists", "internal/mt19937", "internal/parallel"},
	"datasets": {"internal/bounded", "internal/figure", "internal/half", "internal/lists", "internal/mt19937",
		"internal/parallel", "internal/pyfloat", "internal/pyvalue"},
	"fetch":    {},
	"internal": {},
	"accuracy": {"preprocess/text/", "internal/golden", "internal/half", "internal/lists", "internal/mt19937",
		"internal/parallel", "internal/pcg64", "internal/pyfloat", "internal/pyvalue"},
	"sdk":          {"loadgen/"},
	"backends/...": {"sdk/backend", "sdk/backend/keep", "sdk/option", "internal/lists", "internal/onnx"},
	"plugins":      pluginImports,
	"plugins/...":  pluginImports, // plugins that are modules of their own
	"cmd/plugins": {"plugins/", "backends/", "sdk", "sdk/", "preprocess/", "accuracy/", "datasets/", "loadgen/",
		"internal/bounded", "internal/figure", "internal/half", "internal/lists", "internal/mt19937", "internal/onnx",
		"internal/parallel", "internal/pcg64", "internal/pyfloat", "internal/pyvalue", "internal/sandbox"},
	"bench": {"loadgen/", "sdk", "sdk/backend", "sdk/option", "sdk/host", "sdk/internal/", "fetch/", "internal/"},
	"submission": {"bench/", "loadgen/", "sdk", "sdk/backend", "sdk/option", "sdk/host", "sdk/internal/",
		"fetch/", "internal/"},
	"cmd/harness": {"bench/", "submission/", "loadgen/", "sdk", "sdk/backend", "sdk/option", "sdk/conformance", "sdk/host",
		"sdk/internal/", "fetch/", "internal/",
		"backends/openai", "preprocess/text/", // harness bench asks servers in the harness's own process
		"datasets/parquetfile"},
}

var pluginImports = []string{
	"sdk", "sdk/backend", "sdk/backend/keep", "sdk/option", "sdk/manifest", "sdk/generate", "sdk/exhibit",
	"preprocess/", "accuracy/", "datasets/", "loadgen/", "internal/bounded", "internal/figure", "internal/half",
	"internal/lists", "internal/mt19937", "internal/onnx", "internal/parallel", "internal/pcg64", "internal/pyfloat",
	"internal/pyvalue", "internal/sandbox",
	"plugins/internal/", // what several plugins share
}

// oneVersion are modules of others that all of ours require in the same version: what they decode is compared bit by
// bit.
var oneVersion = []string{"golang.org/x/image"}

// TestOneVersion holds the go.mod files to oneVersion.
func TestOneVersion(t *testing.T) {
	found := map[string]map[string][]string{} // modules of ours by module and version
	for _, module := range workspaceModules(t) {
		path := filepath.Join("..", module, "go.mod")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := modfile.Parse(path, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range f.Require {
			if found[r.Mod.Path] == nil {
				found[r.Mod.Path] = map[string][]string{}
			}
			found[r.Mod.Path][r.Mod.Version] = append(found[r.Mod.Path][r.Mod.Version], module)
		}
	}
	for _, name := range oneVersion {
		if versions := found[name]; len(versions) != 1 {
			t.Errorf("%s is required in %d versions, want one: %v", name, len(versions), versions)
		}
	}
}

type listedPackage struct {
	ImportPath string
	Deps       []string
}

// packagesOf are the packages of each module that a test has asked for.
var packagesOf = map[string][]listedPackage{}

// TestImportRules holds every package of the workspace to mayImport.
func TestImportRules(t *testing.T) {
	for _, module := range workspaceModules(t) {
		rule, allowed := ruleFor(module)
		if !allowed {
			continue // e2e, tools, examples: they may use everything
		}
		for _, p := range listPackages(t, module) {
			for _, dep := range p.Deps {
				target, ours := strings.CutPrefix(dep, prefix)
				if ours && !within(target, home(p.ImportPath, module)) && !matches(target, rule) {
					t.Errorf("%s depends on %s, which %s may not import (see mayImport)", p.ImportPath, dep, module)
				}
			}
		}
	}
}

// TestOwnJudgesKnowNoOfficialTool: what the official tools do and say may use what Plumbline does, never the reverse.
// Tests may compare the two.
func TestOwnJudgesKnowNoOfficialTool(t *testing.T) {
	const official = "submission/official"
	emulators := 0
	for _, p := range listPackages(t, "submission") {
		if within(strings.TrimPrefix(p.ImportPath, prefix), official) {
			emulators++
			continue
		}
		for _, dep := range p.Deps {
			if within(strings.TrimPrefix(dep, prefix), official) {
				t.Errorf("%s depends on %s: take what both need out of %s", p.ImportPath, dep, official)
			}
		}
	}
	if emulators == 0 {
		t.Errorf("there is no package in %s", official)
	}
}

// TestLoadgenNeedsTheStandardLibraryOnly keeps the judge of all runs free of dependencies.
func TestLoadgenNeedsTheStandardLibraryOnly(t *testing.T) {
	for _, p := range listPackages(t, "loadgen") {
		for _, dep := range p.Deps {
			first, _, _ := strings.Cut(dep, "/")
			if strings.Contains(first, ".") && !strings.HasPrefix(dep, prefix+"loadgen") {
				t.Errorf("%s depends on %s", p.ImportPath, dep)
			}
		}
	}
}

// TestPluginLibrariesNeedNoGRPC: what an author writes against knows nothing of the wire; sdk/serve and sdk/host do.
func TestPluginLibrariesNeedNoGRPC(t *testing.T) {
	authors := []string{"sdk", "sdk/backend", "sdk/option", "sdk/manifest", "sdk/generate",
		"sdk/batch", "sdk/backend/pool", "sdk/exhibit"}
	for _, p := range append(listPackages(t, "sdk"), listPackages(t, "plugins")...) {
		name := strings.TrimPrefix(p.ImportPath, prefix)
		if within(name, "sdk") && !slices.Contains(authors, name) {
			continue
		}
		for _, dep := range p.Deps {
			if strings.HasPrefix(dep, "google.golang.org/grpc") {
				t.Errorf("%s depends on %s", p.ImportPath, dep)
			}
		}
	}
}

// TestTensorsStayInImageGeneration: gorgonia.org/tensor brings old modules along, Arrow of 2020 and gogo/protobuf among
// them. Image generation needs it, and no other program has any of them.
func TestTensorsStayInImageGeneration(t *testing.T) {
	heavy := []string{"gorgonia.org/", "github.com/apache/arrow/", "github.com/gogo/protobuf"}
	needing := 0
	for _, module := range []string{"cmd/plugins", "cmd/harness"} {
		for _, p := range listPackages(t, module) {
			found := ""
			for _, dep := range p.Deps {
				if slices.ContainsFunc(heavy, func(h string) bool { return strings.HasPrefix(dep, h) }) {
					found = dep
				}
			}
			name := strings.TrimPrefix(p.ImportPath, prefix)
			switch needs := name == "cmd/plugins/plumbline-plugin-sdxl"; {
			case needs:
				needing++
				if found == "" {
					t.Errorf("%s links none of %v: this test, and the module plugins/sdxl, have no reason any more", name, heavy)
				}
			case found != "":
				t.Errorf("%s links %s, which image generation alone needs", name, found)
			}
		}
	}
	if needing != 1 {
		t.Errorf("%d programs of image generation, want 1", needing)
	}
}

// TestCgoStaysInTheBackends: nothing else needs a package with C in it, but those of the standard library that do
// without. make check compiles it without cgo.
func TestCgoStaysInTheBackends(t *testing.T) {
	for _, module := range workspaceModules(t) {
		if module == "backends/ort" || module == "cmd/plugins" {
			continue
		}
		found := run(t, module, []string{"CGO_ENABLED=1"}, "list", "-deps", "-f",
			"{{if and .CgoFiles (not .Standard)}}{{.ImportPath}}{{end}}", "./...")
		if needed := strings.Fields(string(found)); len(needed) > 0 {
			t.Errorf("%s needs %q, which have C in them", module, needed)
		}
	}
}

// TestModulesBuildOutsideTheWorkspace shows that each go.mod is complete on its own: every import is found, and in make
// test-all compiles. Programs are not linked: go build links them even to discard them, and all programs of a module at
// a time take gigabytes of the disk.
func TestModulesBuildOutsideTheWorkspace(t *testing.T) {
	for _, module := range workspaceModules(t) {
		run(t, module, []string{"GOWORK=off"}, "list", "-deps", "-test", "./...")
		if slow.All() {
			run(t, module, []string{"GOWORK=off"}, "list", "-export", "-f", "{{.Export}}", "./...")
		}
	}
}

func ruleFor(module string) ([]string, bool) {
	if rule, ok := mayImport[module]; ok {
		return rule, true
	}
	rule, ok := mayImport[filepath.Dir(module)+"/..."]
	return rule, ok
}

// home is what a package may import without a rule: its module, or its plugin where the module holds several.
func home(path, module string) string {
	below, ok := strings.CutPrefix(path, prefix+"plugins/")
	if !ok {
		return module
	}
	plugin, _, _ := strings.Cut(below, "/")
	return "plugins/" + plugin
}

func within(target, tree string) bool {
	return target == tree || strings.HasPrefix(target, tree+"/")
}

func matches(target string, rule []string) bool {
	return slices.ContainsFunc(rule, func(r string) bool {
		if tree, ok := strings.CutSuffix(r, "/"); ok {
			return within(target, tree)
		}
		return target == r
	})
}

func workspaceModules(t *testing.T) []string {
	t.Helper()
	var work struct{ Use []struct{ DiskPath string } }
	if err := json.Unmarshal(run(t, ".", nil, "work", "edit", "-json"), &work); err != nil {
		t.Fatal(err)
	}
	var modules []string
	for _, u := range work.Use {
		modules = append(modules, strings.TrimPrefix(filepath.ToSlash(u.DiskPath), "./"))
	}
	if len(modules) < 10 {
		t.Fatalf("go.work lists %d modules, want all of them", len(modules))
	}
	return modules
}

func listPackages(t *testing.T, module string) []listedPackage {
	t.Helper()
	if packages, ok := packagesOf[module]; ok {
		return packages
	}
	dec := json.NewDecoder(strings.NewReader(string(run(t, module, nil, "list", "-json=ImportPath,Deps", "./..."))))
	var packages []listedPackage
	for dec.More() {
		var p listedPackage
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
	if len(packages) == 0 {
		t.Fatalf("module %s has no packages", module)
	}
	packagesOf[module] = packages
	return packages
}

// run runs the go command in a folder of the workspace and returns its standard output.
func run(t *testing.T, module string, env []string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = filepath.Join(root(t), module)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		text := ""
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			text = string(exit.Stderr)
		}
		t.Fatal(fmt.Errorf("go %s in %s: %w\n%s", strings.Join(args, " "), module, err, text))
	}
	return out
}

// root is the folder that holds go.work.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal("no go.work above the test")
	return ""
}
