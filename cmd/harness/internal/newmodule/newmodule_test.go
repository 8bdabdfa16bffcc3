package newmodule

import (
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// checkout writes as much of a checkout as Write reads.
func checkout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	mod := "module " + project + "/sdk\n\ngo 1.26.0\n\nrequire " + project +
		"/loadgen v0.0.0\n\nrequire (\n\texample.org/b v0.1.0 // indirect\n\texample.org/a v1.2.3\n)\n\nreplace (\n" +
		"\texample.org/c => ../c\n)\n"
	for name, text := range map[string]string{
		"go.work":    "go 1.26.0\n\nuse (\n\t.\n\t./sdk\n\t./examples\n\t./examples/one\n\t./loadgen\n\t./tools\n)\n",
		"sdk/go.mod": mod, "sdk/go.sum": "sums\n",
		pythonBackend + "backend.py": "backend", pythonBackend + requirementsTxt: "grpcio\n",
		protoDir + backendProto: "backend's",
		pythonBenchmark + "plumbline-plugin-digits": "harness run digits --plugin-dir examples/python-benchmark\n" +
			"NAME = \"digits\"\n",
		pythonBenchmark + requirementsTxt: "numpy\n", protoDir + pluginProto: "plugin's",
		cppBackend + "backend.cc": "class Model", cppBackend + "Makefile": "backend:",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestWriteCpp(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "acme")
	m, err := Write(ModuleSpec{Kind: Backend, Language: Cpp, Dir: dir, ProjectSource: CheckoutSource(checkout(t))})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Makefile", "README.md", "backend.cc", backendProto}
	if !slices.Equal(m.Files, want) || m.Model != "null" || m.Commands[0] != "make" {
		t.Errorf("got %+v, want the files %q", m, want)
	}
	benchmark := ModuleSpec{
		Kind: Benchmark, Language: Cpp, Dir: filepath.Join(t.TempDir(), "b"), ProjectSource: CheckoutSource(checkout(t)),
	}
	if _, err := Write(benchmark); err == nil {
		t.Error("a benchmark in C++ was written")
	}
}

func TestWrite(t *testing.T) {
	for _, c := range []struct {
		kind          ModuleKind
		plugin, model string
		files         []string
	}{
		{Backend, "clusters-acmeone", "clusters", []string{
			"README.md", "acmeone/backend.go", "acmeone/backend_test.go", "clusters/benchmark.go", "clusters/data.go",
			"clusters/manifest.json", "clusters/model/card.json", "go.mod", "go.sum", "main.go", "main_test.go",
		}},
		{Benchmark, "acmeone", "acmeone", []string{
			"README.md", "acmeone/benchmark.go", "acmeone/data.go", "acmeone/manifest.json", "acmeone/model/card.json",
			"acmeone/model/linear.json", "linear/backend.go", "linear/model.go", "go.mod", "go.sum", "main.go", "main_test.go",
		}},
	} {
		t.Run(string(c.kind), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "Acme-One")
			m, err := Write(ModuleSpec{Kind: c.kind, Dir: dir, ProjectSource: CheckoutSource(checkout(t))})
			if err != nil {
				t.Fatal(err)
			}
			if m.Plugin != c.plugin || m.Model != c.model || m.Path != "example.com/acmeone" {
				t.Errorf("got %+v", m)
			}
			for _, name := range c.files {
				if !slices.Contains(m.Files, name) {
					t.Errorf("no %s among %q", name, m.Files)
				}
			}
			checkFiles(t, dir, m.Files)
		})
	}
}

func TestPython(t *testing.T) {
	for _, c := range []struct {
		kind   ModuleKind
		script string
		files  map[string]string
	}{
		{Backend, "backend.py", map[string]string{
			"backend.py": "backend", requirementsTxt: "grpcio\n", backendProto: "backend's",
		}},
		{Benchmark, "plumbline-plugin-shapes", map[string]string{
			"plumbline-plugin-shapes": "harness run shapes --plugin-dir .\nNAME = \"shapes\"\n",
			requirementsTxt:           "numpy\n", pluginProto: "plugin's"}},
	} {
		t.Run(string(c.kind), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "shapes")
			m, err := Write(ModuleSpec{Kind: c.kind, Language: Python, Dir: dir, ProjectSource: CheckoutSource(checkout(t))})
			if err != nil {
				t.Fatal(err)
			}
			if len(m.Files) != len(c.files)+1 || len(m.Commands) != 3 {
				t.Errorf("got %+v", m)
			}
			checkFiles(t, dir, m.Files)
			for name, want := range c.files {
				if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
					t.Errorf("%s: %q, %v; want %q", name, got, err, want)
				}
			}
			info, err := os.Stat(filepath.Join(dir, c.script))
			if err != nil || c.kind == Benchmark && info.Mode()&0o100 == 0 {
				t.Errorf("%v, %v: want a program", info, err)
			}
		})
	}
}

// checkFiles wants Go files as gofmt writes them, and nothing of a template left.
func checkFiles(t *testing.T, dir string, names []string) {
	t.Helper()
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(string(text), "«»") || strings.Contains(string(text), "<no value>") {
			t.Errorf("%s has something of its template left:\n%s", name, text)
		}
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		formatted, err := format.Source(text)
		if err != nil || string(formatted) != string(text) {
			t.Errorf("%s is not as gofmt writes it: %v", name, err)
		}
	}
}

func TestGoMod(t *testing.T) {
	dir := checkout(t)
	mod, sum, err := checkoutModFiles("example.com/acme", dir, "sdk")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"module example.com/acme\n", "go 1.26.0\n",
		"\texample.org/a v1.2.3 // indirect\n\texample.org/b v0.1.0 // indirect\n",
		"require (\n\t" + project + "/loadgen v0.0.0\n\t" + project + "/sdk v0.0.0\n)\n",
		"replace (\n\t" + project + " => " + dir + "\n\t" +
			project + "/loadgen => " + filepath.Join(dir, "loadgen") + "\n\t" +
			project + "/sdk => " + filepath.Join(dir, "sdk") + "\n)\n"} {
		if !strings.Contains(string(mod), want) {
			t.Errorf("no %q in:\n%s", want, mod)
		}
	}
	for _, not := range []string{"example.org/c", "examples", "tools"} {
		if strings.Contains(string(mod), not) {
			t.Errorf("%q in:\n%s", not, mod)
		}
	}
	if string(sum) != "sums\n" {
		t.Errorf("go.mod:\n%s\ngo.sum: %q", mod, sum)
	}
}

func TestFaults(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "x"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	good := CheckoutSource(checkout(t))
	for name, c := range map[string]struct {
		spec ModuleSpec
		want string
	}{
		"kind": {
			ModuleSpec{Kind: "device", Dir: "acme", ProjectSource: good},
			`unknown kind "device", want one of backend, benchmark`,
		},
		"language": {
			ModuleSpec{Kind: Backend, Language: "cobol", Dir: "acme", ProjectSource: good},
			`unknown language "cobol", want one of go, python, cpp`,
		},
		"digit": {ModuleSpec{Kind: Backend, Dir: filepath.Join(t.TempDir(), "3d"), ProjectSource: good}, "a letter first"},
		"keyword": {ModuleSpec{Kind: Backend, Dir: filepath.Join(t.TempDir(), "range"), ProjectSource: good},
			"another meaning"},
		"taken": {ModuleSpec{Kind: Backend, Dir: filepath.Join(t.TempDir(), "clusters"), ProjectSource: good},
			"another meaning"},
		"module": {
			ModuleSpec{Kind: Backend, Dir: filepath.Join(t.TempDir(), "acme"), Module: "a b", ProjectSource: good},
			`module path "a b"`,
		},
		"full": {ModuleSpec{Kind: Backend, Dir: full, ProjectSource: good}, "is not empty"},
		"checkout": {ModuleSpec{Kind: Backend, Dir: filepath.Join(t.TempDir(), "acme"), ProjectSource: CheckoutSource(full)},
			"--checkout"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Write(c.spec); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if _, err := Write(c.spec); c.spec.Module == "" && strings.Contains(err.Error(), "module path") {
				t.Errorf("%v: a module path that nobody named is complained of", err)
			}
		})
	}
}

// A package's name must leave every file around it as it was: these would not build.
func TestNamesThatAreTaken(t *testing.T) {
	for _, c := range []struct {
		kind  ModuleKind
		names []string
	}{
		{Backend, []string{
			"vendor", "internal", "testdata", "init", "nil", "string", "type", "exec", "sdk", "train", "w", "label", "context",
		}},
		{Benchmark, []string{"vendor", "nil", "exec", "filepath", "binary", "err", "t", "testing", "documentation"}},
	} {
		for _, name := range c.names {
			_, err := ModuleSpec{Kind: c.kind, Dir: filepath.Join(t.TempDir(), name)}.checkSpec()
			if err == nil || !strings.Contains(err.Error(), name+" has another meaning") {
				t.Errorf("%s %s: error %v", c.kind, name, err)
			}
		}
	}
	for _, name := range []string{"acme", "flowers", "points", "scores"} {
		for _, kind := range Kinds() {
			if _, err := (ModuleSpec{Kind: ModuleKind(kind), Dir: filepath.Join(t.TempDir(), name)}).checkSpec(); err != nil {
				t.Errorf("%s %s: error %v", kind, name, err)
			}
		}
	}
}

// FuzzRequirements: whatever a go.mod holds, a requirement is a path and a version.
func FuzzRequirements(f *testing.F) {
	f.Add([]byte("require a v1\nrequire (\n\tb v2 // indirect\n)\n"))
	f.Add([]byte("require ("))
	f.Fuzz(func(t *testing.T, mod []byte) {
		for _, r := range listRequirements(mod) {
			if len(strings.Fields(r)) != 2 {
				t.Errorf("requirement %q", r)
			}
		}
	})
}
