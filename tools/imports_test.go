// Package tools contains the tests of the workspace. Its go.mod pins generators and linters.
package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/slow"
	"golang.org/x/mod/modfile"
)

// oneVersion contains third-party modules that all modules must require in the same version, because the data that they
// decode is compared bit by bit.
var oneVersion = []string{"golang.org/x/image"}

// TestOneVersion checks the go.mod files against oneVersion.
func TestOneVersion(t *testing.T) {
	found := map[string]map[string][]string{} // our modules by module and version
	for _, module := range workspaceModules(t) {
		name := filepath.Join("..", module, "go.mod")
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := modfile.Parse(name, text, nil)
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

// TestModules compares go.work with modules.
func TestModules(t *testing.T) {
	if found := workspaceModules(t); !slices.Equal(found, modules()) {
		t.Errorf("go.work lists %q, want %q: a package needs a wall (see walls), no go.mod of its own", found, modules())
	}
}

// TestWalls checks every package of the workspace against walls.
func TestWalls(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range listPackages(t) {
		name, ours := strings.CutPrefix(p.ImportPath, prefix)
		if !ours {
			continue // the vendor's example, which TestExamples checks
		}
		folder := wallOf(name)
		if folder == "" {
			t.Errorf("%s has no wall: say in walls what it may import", name)
			continue
		}
		seen[folder] = true
		for _, fault := range checkWall(p, name, walls()[folder]) {
			t.Error(fault)
		}
	}
	for folder := range walls() {
		if !seen[folder] {
			t.Errorf("walls has a row for %s, which holds no package", folder)
		}
	}
}

// checkWall lists the forbidden imports of a package and its tests.
func checkWall(p listedPackage, name string, w wall) (faults []string) {
	own := home(name)
	fault := func(form string, args ...any) { faults = append(faults, fmt.Sprintf(form, args...)) }
	for _, dep := range p.Deps {
		target, ours := strings.CutPrefix(dep, prefix)
		if ours && home(target) != own && !matches(target, w.ours) {
			fault("%s depends on %s, which %s may not import (see walls)", name, target, own)
		}
	}
	inTests := slices.Concat(p.TestImports, p.XTestImports)
	for _, dep := range inTests {
		target, ours := strings.CutPrefix(dep, prefix)
		if ours && home(target) != own && !matches(target, w.ours) && !matches(target, w.tests) {
			fault("the tests of %s import %s, which those of %s may not (see walls)", name, target, own)
		}
	}
	for _, dep := range slices.Concat(p.Imports, inTests) {
		host, _, _ := strings.Cut(dep, "/")
		others := strings.Contains(host, ".") && !strings.HasPrefix(dep, prefix)
		if others && !slices.ContainsFunc(w.others, func(m string) bool { return within(dep, m) }) {
			fault("%s imports %s, which %s may not (see walls)", name, dep, own)
		}
	}
	return faults
}

// TestWallsHold calls checkWall with packages that import too much and with some that do not.
func TestWallsHold(t *testing.T) {
	ours := func(names ...string) (paths []string) {
		for _, name := range names {
			paths = append(paths, prefix+name)
		}
		return paths
	}
	for _, c := range []struct {
		name string
		p    listedPackage
		bad  bool
	}{
		{"loadgen/x", listedPackage{Deps: ours("loadgen/pace")}, false},
		{"loadgen/x", listedPackage{Deps: ours("internal/figure")}, true},
		{"loadgen/x", listedPackage{TestImports: ours("internal/testkit/golden")}, true},
		{"loadgen/x", listedPackage{Imports: []string{"golang.org/x/sys/unix"}}, true},
		{"sdk/host", listedPackage{Deps: ours("loadgen/pace")}, false},
		{"sdk/host", listedPackage{Deps: ours("internal/parallel")}, true},
		{"sdk/host", listedPackage{XTestImports: ours("internal/testkit/golden")}, true},
		{"bench/plan", listedPackage{Deps: ours("cmd/harness/internal/feed")}, true},
		{"bench/plan", listedPackage{TestImports: ours("plugins/bert")}, true},
		{"bench/plan", listedPackage{Imports: []string{"github.com/spf13/cobra"}}, true},
		{"bench/record/results", listedPackage{Deps: ours("serving/metrics")}, false},
		{"bench/record/results", listedPackage{Deps: ours("internal/serving/curve")}, true},
		{"bench/record/results", listedPackage{Deps: ours("internal/serving/engine")}, true},
		{"bench/plan", listedPackage{Deps: ours("internal/serving/client", "backends/openai")}, true},
		{"bench/plan", listedPackage{Deps: ours("internal/serving/sweep", "serving/arrival")}, false},
		{"serving", listedPackage{Deps: ours("bench/plan")}, true},
		{"serving/sweepfile", listedPackage{Deps: ours("bench/record", "bench/exitcode")}, false},
		{"internal/serving/sweep", listedPackage{Deps: ours("bench")}, true},
		{"internal/serving/engine", listedPackage{Deps: ours("serving/prompts", "serving/metrics")}, false},
		{"internal/serving/engine", listedPackage{Deps: ours("internal/serving/sweep")}, true},
		{"serving/metrics", listedPackage{Deps: ours("serving/arrival")}, true},
		{"internal/serving/curve", listedPackage{Deps: ours("bench/record")}, true},
		{"internal/submission/check", listedPackage{Imports: []string{"github.com/goccy/go-yaml/ast"}}, false},
		{"plugins/bert", listedPackage{Deps: ours("plugins/internal/language")}, false},
		{"plugins/bert", listedPackage{Deps: ours("plugins/llm")}, true},
		{"plugins/bert", listedPackage{TestImports: ours("backends/ort")}, true},
		{"plugins/bert", listedPackage{Imports: []string{"gorgonia.org/tensor"}}, true},
		{"plugins/sdxl/internal/score", listedPackage{Imports: []string{"gorgonia.org/tensor"}}, false},
		{"cmd/harness/internal/x", listedPackage{Deps: ours("e2e/internal/built")}, true},
		{"cmd/harness/internal/x", listedPackage{Deps: ours("tools/internal/links")}, true},
		{"cmd/harness/internal/x", listedPackage{Deps: ours("plugins/bert")}, true},
		{"cmd/harness/internal/x", listedPackage{Imports: []string{"github.com/yalue/onnxruntime_go"}}, true},
		{"e2e/runs", listedPackage{XTestImports: ours("bench")}, true},
		{"internal/x", listedPackage{Deps: ours("internal/figure")}, false},
		{"internal/x", listedPackage{Deps: ours("internal/submission/check")}, true},
		{"internal/fetch", listedPackage{Deps: ours("internal/figure")}, true},
		{"bench/plan", listedPackage{Deps: ours("internal/submission/check")}, true},
		{"internal/serving/engine", listedPackage{Deps: ours("internal/serving/beside")}, true},
		{"internal/x", listedPackage{Imports: []string{"golang.org/x/text"}}, true},
	} {
		if faults := checkWall(c.p, c.name, walls()[wallOf(c.name)]); len(faults) > 0 != c.bad {
			t.Errorf("%s with %+v: found %q, want a fault: %v", c.name, c.p, faults, c.bad)
		}
	}
	if folder := wallOf("novel/x"); folder != "" {
		t.Errorf("a package that no row holds has the wall of %s", folder)
	}
}

// TestExamples checks that examples import only public packages.
func TestExamples(t *testing.T) {
	for _, p := range listPackages(t, "examples") {
		for _, dep := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if name, ours := strings.CutPrefix(dep, prefix); ours && slices.Contains(strings.Split(name, "/"), "internal") {
				t.Errorf("%s imports %s, which users cannot", p.ImportPath, dep)
			}
		}
	}
}

// TestOwnJudgesKnowNoOfficialTool checks that packages that imitate official tools may import Plumbline's own judges,
// but not the reverse. Tests may compare the two.
func TestOwnJudgesKnowNoOfficialTool(t *testing.T) {
	const official = "internal/submission/official"
	emulators := 0
	for _, p := range listPackages(t, "internal/submission") {
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

// TestLoadgenNeedsTheStandardLibraryOnly checks that LoadGen has no dependencies.
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

// TestPluginLibrariesNeedNoGRPC checks that authors' libraries do not import the wire protocol; sdk/serve and sdk/host
// do.
func TestPluginLibrariesNeedNoGRPC(t *testing.T) {
	authors := []string{"sdk", "sdk/backend", "sdk/option", "sdk/manifest", "sdk/generate",
		"sdk/exhibit", "sdk/scoring", "sdk/sequence"}
	for _, p := range listPackages(t, "sdk", "plugins") {
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

// TestTensorsStayInImageGeneration checks that only image generation imports gorgonia.org/tensor, which requires old
// modules such as Arrow of 2020 and gogo/protobuf.
func TestTensorsStayInImageGeneration(t *testing.T) {
	heavy := []string{"gorgonia.org/", "github.com/apache/arrow/", "github.com/gogo/protobuf"}
	needing := 0
	for _, p := range listPackages(t, "cmd/plugins", "cmd/harness") {
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
				t.Errorf("%s links none of %v: this test, and the wall of plugins/sdxl, have no reason any more", name, heavy)
			}
		case found != "":
			t.Errorf("%s links %s, which image generation alone needs", name, found)
		}
	}
	if needing != 1 {
		t.Errorf("%d programs of image generation, want 1", needing)
	}
}

// needCgo contains the folders whose packages need C.
func needCgo() []string { return []string{"backends/ort", "cmd/plugins"} }

// TestCgoStaysInTheBackends checks that no other package needs C, except packages of the standard library that also
// work without. go install can then build the harness without a C compiler. make check compiles it without cgo.
func TestCgoStaysInTheBackends(t *testing.T) {
	withC := map[string]bool{}
	all := strings.Fields(string(run(t, ".", []string{"CGO_ENABLED=1"}, "list", "-deps", "-f",
		"{{if and .CgoFiles (not .Standard)}}{{.ImportPath}}{{end}}", "work")))
	for _, path := range all {
		withC[path] = true
	}
	if len(all) == 0 {
		t.Fatal("no package has C in it: this test sees nothing")
	}
	for _, p := range listPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, prefix)
		if slices.ContainsFunc(needCgo(), func(folder string) bool { return within(name, folder) }) {
			continue
		}
		for _, dep := range append(p.Deps, p.ImportPath) {
			if withC[dep] {
				t.Errorf("%s needs %s, which has C in it", p.ImportPath, dep)
			}
		}
	}
}

// TestModulesBuildOutsideTheWorkspace checks that each go.mod is complete: every import is found and, in make test-all,
// compiles. It does not link programs, because that would take gigabytes of disk space.
func TestModulesBuildOutsideTheWorkspace(t *testing.T) {
	for _, module := range workspaceModules(t) {
		run(t, module, []string{"GOWORK=off"}, "list", "-deps", "-test", "./...")
		if slow.All() {
			run(t, module, []string{"GOWORK=off"}, "list", "-export", "-f", "{{.Export}}", "./...")
		}
	}
}

// wallOf returns the longest folder of walls that contains a package; "": none.
func wallOf(name string) string {
	found := ""
	for folder := range walls() {
		if within(name, folder) && len(folder) > len(found) {
			found = folder
		}
	}
	return found
}

// home returns the folder that a package may import without a rule: that of its wall or of its plugin.
func home(name string) string {
	if below, ok := strings.CutPrefix(name, "plugins/"); ok {
		plugin, _, _ := strings.Cut(below, "/")
		return "plugins/" + plugin
	}
	return wallOf(name)
}

func within(target, tree string) bool {
	return target == tree || strings.HasPrefix(target, tree+"/")
}

func matches(target string, rule []string) bool {
	return slices.ContainsFunc(rule, func(r string) bool {
		if r == shared {
			return slices.Contains([]string{"internal", "internal/testkit"}, wallOf(target))
		}
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
	var found []string
	for _, u := range work.Use {
		found = append(found, path.Clean(filepath.ToSlash(u.DiskPath)))
	}
	return found
}

type listedPackage struct {
	ImportPath                               string
	Imports, Deps, TestImports, XTestImports []string
}

// workspace lists all packages once for all tests.
var workspace []listedPackage

// listPackages lists the packages in folders of the checkout and below them; without folders, all of the workspace.
func listPackages(t *testing.T, folders ...string) []listedPackage {
	t.Helper()
	if workspace == nil {
		dec := json.NewDecoder(bytes.NewReader(run(t, ".", nil, "list",
			"-json=ImportPath,Imports,Deps,TestImports,XTestImports", "work")))
		for dec.More() {
			var p listedPackage
			if err := dec.Decode(&p); err != nil {
				t.Fatal(err)
			}
			workspace = append(workspace, p)
		}
	}
	if folders == nil {
		return workspace
	}
	var found []listedPackage
	for _, p := range workspace {
		name := strings.Replace(p.ImportPath, "example.com/acme", prefix+"examples/vendor-backend", 1)
		name = strings.TrimPrefix(name, prefix)
		if slices.ContainsFunc(folders, func(folder string) bool { return within(name, folder) }) {
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		t.Fatalf("no packages in %q", folders)
	}
	return found
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

// root returns the folder that contains go.work.
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
