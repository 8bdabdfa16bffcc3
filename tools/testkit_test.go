package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
)

// kits contains the folders of packages that only tests need. LoadGen and the SDK, which require no other module of
// this repository, have their own, and so does the command line, whose packages are internal.
func kits() []string {
	return []string{
		"internal/testkit", "loadgen/internal/testkit", "sdk/internal/testkit", "cmd/harness/internal/testkit",
	}
}

// beside contains the folders outside of the kits with packages for tests alone, or with programs of a kit, and the
// reason.
func beside() map[string]string {
	return map[string]string{
		"e2e":                       "holds nothing but tests",
		"tools":                     "holds nothing of the product",
		"loadgen/loadgentest":       "promised to those who use LoadGen",
		"loadgen/mlconf/mlconftest": "reads files that LoadGen's module keeps to itself",
		"sdk/sdktest":               "promised to vendors",
		"internal/submission/endpoints/internal/testkit": "reads files with what only its neighbours may import",

		"sdk/manifest/manifesttest": "promised to vendors",

		"backends/kserve/cmd/oip-mock":    "a server to be started by hand: a kit and its flags",
		"backends/openai/cmd/openai-mock": "a server to be started by hand: a kit and its flags",
	}
}

// node is a package with its imports and those of its tests.
type node struct {
	ImportPath, Name                   string
	Imports, TestImports, XTestImports []string
}

// name returns the package's path in the project.
func (n node) name() string { return strings.TrimPrefix(n.ImportPath, prefix) }

// TestProductNeedsNoTestkit checks that packages that only tests need are in a kit and that no other package imports
// it.
func TestProductNeedsNoTestkit(t *testing.T) {
	var nodes []node
	out := run(t, ".", nil, "list", "-json=ImportPath,Name,Imports,TestImports,XTestImports", "work")
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var n node
		if err := d.Decode(&n); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		nodes = append(nodes, n)
	}
	for _, fault := range kitFaults(nodes, kits(), beside()) {
		t.Error(fault)
	}
}

// kitFaults lists the product's packages that import a kit, the packages that only tests import outside of kits and
// beside, and the folders of beside that contain no such package and import no kit.
func kitFaults(nodes []node, kits []string, beside map[string]string) (faults []string) {
	alone, unneeded := forTestsAlone(nodes, slices.Concat(kits, slices.Collect(maps.Keys(beside)))), maps.Clone(beside)
	for _, n := range nodes {
		if folderOf(n.name(), kits) != "" {
			continue
		}
		if folder := folderOf(n.name(), slices.Collect(maps.Keys(beside))); folder != "" {
			if alone[n.ImportPath] || len(imported(n, kits)) > 0 {
				delete(unneeded, folder)
			}
			continue
		}
		if alone[n.ImportPath] {
			faults = append(faults, n.name()+" is imported by tests alone: move it to internal/testkit")
			continue
		}
		for _, target := range imported(n, kits) {
			faults = append(faults, n.name()+" imports "+target+", which is for tests alone")
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(unneeded)) {
		faults = append(faults, "beside has a row for "+folder+", which holds no package for tests alone")
	}
	return faults
}

// imported returns the packages of the kits that a package imports, excluding its tests.
func imported(n node, kits []string) (names []string) {
	for _, dep := range n.Imports {
		if target, ours := strings.CutPrefix(dep, prefix); ours && folderOf(target, kits) != "" {
			names = append(names, target)
		}
	}
	return names
}

// forTestsAlone returns the packages that only tests, or other packages for tests alone, import. Packages in folders
// count as such importers. Programs do not count, because no package imports them.
func forTestsAlone(nodes []node, folders []string) map[string]bool {
	needed, by := map[string]bool{}, map[string][]node{}
	for _, n := range nodes {
		for _, dep := range n.Imports {
			by[dep] = append(by[dep], n)
		}
		for _, dep := range slices.Concat(n.Imports, n.TestImports, n.XTestImports) {
			needed[dep] = true
		}
	}
	alone := map[string]bool{}
	forTests := func(n node) bool { return alone[n.ImportPath] || folderOf(n.name(), folders) != "" }
	for before := -1; before < len(alone); {
		before = len(alone)
		for _, n := range nodes {
			others := slices.ContainsFunc(by[n.ImportPath], func(n node) bool { return !forTests(n) })
			if n.Name != "main" && needed[n.ImportPath] && !others {
				alone[n.ImportPath] = true
			}
		}
	}
	return alone
}

// folderOf returns the folder that contains a package, or "".
func folderOf(name string, folders []string) string {
	for _, folder := range folders {
		if within(name, folder) {
			return folder
		}
	}
	return ""
}

// TestKitFaults calls kitFaults with small workspaces.
func TestKitFaults(t *testing.T) {
	pkg := func(name, imports, tests string) node {
		of := func(names string) (paths []string) {
			for name := range strings.FieldsSeq(names) {
				paths = append(paths, prefix+name)
			}
			return paths
		}
		last := name[strings.LastIndexByte(name, '/')+1:]
		return node{ImportPath: prefix + name, Name: last, Imports: of(imports), XTestImports: of(tests)}
	}
	sound := []node{ // as it is meant: a program, its library, what their tests share
		pkg("cmd/main", "lib", ""), pkg("lib", "", "kit/one sdk/sdktest"), pkg("kit/one", "kit/two lib", ""),
		pkg("kit/two", "", ""), pkg("sdk/sdktest", "kit/one", ""),
	}
	for what, c := range map[string]struct {
		more []node
		want []string
	}{
		"sound":                   {nil, nil},
		"a public package":        {[]node{pkg("api", "lib", "")}, nil},
		"a program for tests":     {[]node{pkg("mock/main", "kit/one", "")}, []string{"mock/main imports kit/one"}},
		"a program needs it":      {[]node{pkg("cmd/b/main", "kit/two", "")}, []string{"cmd/b/main imports kit/two"}},
		"a library needs it":      {[]node{pkg("b/main", "b", ""), pkg("b", "kit/two", "")}, []string{"b imports kit/two"}},
		"left among the product":  {[]node{pkg("a", "lib", "atest"), pkg("atest", "lib", "")}, []string{"atest is imported"}},
		"behind another":          {[]node{pkg("a", "", "b"), pkg("b", "c", ""), pkg("c", "", "")}, []string{"b is", "c is"}},
		"needed by a kit alone":   {[]node{pkg("kit/x", "d", ""), pkg("d", "", "")}, []string{"d is imported"}},
		"a program of a kit":      {[]node{pkg("sdk/sdktest/main", "kit/one", "")}, nil},
		"needed by a program too": {[]node{pkg("cmd/c/main", "d", ""), pkg("d", "", ""), pkg("kit/x", "d", "")}, nil},
	} {
		faults := kitFaults(slices.Concat(sound, c.more), []string{"kit"}, map[string]string{"sdk/sdktest": "promised"})
		same := len(faults) == len(c.want)
		for i := range c.want {
			same = same && strings.HasPrefix(faults[i], c.want[i])
		}
		if !same {
			t.Errorf("%s: %q, want %q", what, faults, c.want)
		}
	}
	faults := kitFaults(sound, []string{"kit"}, map[string]string{"sdk/sdktest": "promised", "gone": "moved"})
	if want := "beside has a row for gone, which holds no package for tests alone"; !slices.Equal(faults, []string{want}) {
		t.Errorf("%q, want %q", faults, want)
	}
}
