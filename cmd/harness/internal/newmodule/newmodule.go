// Package newmodule writes a starting module for a vendor's backend or benchmark, for its author to change
// step by step: in Go, one that builds, passes its tests and serves a plugin; in Python, the checkout's
// example with its contract.
//
// In: names, templates, the go.mod that finds this project in a checkout or among released modules. Out: building it
// (the go command's, pip's).
package newmodule

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/plumbline-ml/plumbline/sdk/host"
)

// Kind is what the author of the module brings.
type Kind string

// What a new module may be.
const (
	Backend   Kind = "backend"
	Benchmark Kind = "benchmark"
)

// Kinds lists them.
func Kinds() []string { return []string{string(Backend), string(Benchmark)} }

// Language is what the module is written in.
type Language string

// Modules in all of them speak one protocol with the harness.
const (
	Go     Language = "go"
	Python Language = "python"
	Cpp    Language = "cpp"
)

// Languages lists them.
func Languages() []string { return []string{string(Go), string(Python), string(Cpp)} }

// Spec says what to write.
type Spec struct {
	Kind     Kind
	Language Language // empty: Go
	Dir      string   // must not exist, or be empty
	// Module is the Go module's path; empty: example.com/NAME, with the last part of Dir.
	Module string
	Source // where it finds this project
	// Classifier is the model that a benchmark in Go starts from; nil: one of its own.
	Classifier *Classifier
}

// Module is what was written.
type Module struct {
	Path   string // module path
	Plugin string // what its binary is called, behind host.BinaryPrefix; empty for a backend that is no plugin
	Model  string // what a run names
	Files  []string
	Next   []string // the commands that try it, to be given in Dir
}

// The packages that join the author's own: each kind needs one of the other.
const (
	standInBackend   = "linear"
	standInBenchmark = "clusters"
)

//go:embed template classifier python cpp
var templates embed.FS

// names are what the templates are filled in with.
type names struct {
	Module, Backend, Benchmark, Plugin string
	ForBackend                         bool
	Release                            string      // the version that go.mod requires; empty: it names a checkout
	Classifier                         *classifier // nil: there is none
	Next                               []string    // the commands that try the module
}

// LastLabel is the highest label of a classifier's data set.
func (n names) LastLabel() int { return n.Classifier.Classes - 1 }

// Write writes the module. Errors name what is wrong with the specification; no file is written then.
func Write(s Spec) (Module, error) {
	n, err := s.names()
	if err != nil {
		return Module{}, err
	}
	files, m, err := s.content(n)
	if err != nil {
		return Module{}, err
	}
	for name, text := range files {
		path := filepath.Join(s.Dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return Module{}, err
		}
		if err := os.WriteFile(path, text, mode(name)); err != nil {
			return Module{}, err
		}
		m.Files = append(m.Files, name)
	}
	slices.Sort(m.Files)
	return m, nil
}

// content is the text of every file.
func (s Spec) content(n names) (map[string][]byte, Module, error) {
	m := Module{Path: n.Module, Plugin: n.Plugin, Model: n.Benchmark}
	switch s.Language {
	case Cpp:
		files, err := cpp(s, n)
		m.Path, m.Plugin, m.Model, m.Next = "", "", "null", cppNext()
		return files, m, err
	case Python:
		files, err := python(s, n)
		m.Path, m.Next = "", pythonNext(s.Kind, n)
		if s.Kind == Backend {
			m.Plugin, m.Model = "", "resnet50"
		}
		return files, m, err
	}
	m.Next = []string{
		"go test ./...",
		"go build -o bin/" + host.BinaryPrefix + n.Plugin + " .",
		"harness run " + n.Benchmark + " --plugin-dir bin",
		"harness verify " + n.Benchmark + " --plugin-dir bin",
	}
	if s.Checkout == "" {
		n.Release, m.Next = s.Release, slices.Insert(m.Next, 0, "go mod tidy")
	}
	if s.Classifier != nil {
		return s.classifies(n, m)
	}
	n.Next = m.Next
	files, err := render("template", n)
	if err == nil {
		err = s.require(files, n.Module, sdkModule)
	}
	return files, m, err
}

// require adds go.mod and, where its text is known, go.sum of a module that imports some modules of this project.
func (s Spec) require(files map[string][]byte, module string, imported ...string) (err error) {
	switch {
	case s.Checkout != "":
		files["go.mod"], files["go.sum"], err = dependencies(module, s.Checkout, imported...)
	case s.Release != "":
		files["go.mod"] = releasedDependencies(module, s.Release, imported...)
	default:
		err = s.noModules()
	}
	return err
}

// classifies is the content of a module around a model that classifies pictures.
func (s Spec) classifies(n names, m Module) (map[string][]byte, Module, error) {
	library := "cp " + filepath.Join(s.Library, "libonnxruntime.*") + " bin/"
	if s.Checkout != "" {
		library += "    # make build left it there"
	}
	n.Next = slices.Insert(m.Next, len(m.Next)-2, library)
	m.Next = n.Next
	files, err := render("classifier", n)
	if err != nil {
		return nil, m, err
	}
	own, err := n.Classifier.files(n, s.Source)
	if err != nil {
		return nil, m, err
	}
	maps.Copy(files, own)
	return files, m, s.require(files, n.Module, sdkModule, productModule)
}

// mode is a file's: a plugin is a program.
func mode(name string) os.FileMode {
	if strings.HasPrefix(name, host.BinaryPrefix) {
		return 0o777
	}
	return 0o666
}

// names checks the specification.
func (s Spec) names() (names, error) {
	if !slices.Contains(Kinds(), string(s.Kind)) {
		return names{}, fmt.Errorf("unknown kind %q, want one of %s", s.Kind, strings.Join(Kinds(), ", "))
	}
	if s.Language != "" && !slices.Contains(Languages(), string(s.Language)) {
		return names{}, fmt.Errorf("unknown language %q, want one of %s; in any other, docs/protocol.md says what to write",
			s.Language, strings.Join(Languages(), ", "))
	}
	dir, err := filepath.Abs(s.Dir)
	if err != nil {
		return names{}, err
	}
	own, nameErr := packageName(filepath.Base(dir))
	n := naming(s.Kind, own)
	n.Module = s.Module
	if (s.Language == "" || s.Language == Go) && nameErr == nil {
		nameErr = s.free(own)
	}
	faults := []error{nameErr, checkEmpty(dir)}
	if s.Classifier != nil {
		faults = append(faults, s.classifier(&n))
	}
	if s.Language == Cpp && s.Kind == Benchmark {
		faults = append(faults,
			errors.New("there is no benchmark in C++ to start from: a backend in C++ runs every benchmark, and "+
				"docs/protocol.md says what a plugin in another language does"))
	}
	if n.Module == "" {
		n.Module = "example.com/" + own
	} else {
		faults = append(faults, checkModule(n.Module))
	}
	return n, errors.Join(faults...)
}

// classifier reads the model that the module starts from.
func (s Spec) classifier(n *names) (err error) {
	if s.Kind != Benchmark || s.Language != "" && s.Language != Go {
		return errors.New("--model is for a benchmark in Go; a backend gets its models from benchmarks")
	}
	n.Classifier, err = s.Classifier.read()
	return err
}

// naming are the names in a module of a kind whose author's own package is own.
func naming(k Kind, own string) names {
	if k == Benchmark {
		return names{Backend: standInBackend, Benchmark: own, Plugin: own}
	}
	return names{Backend: own, Benchmark: standInBenchmark, Plugin: standInBenchmark + "-" + own, ForBackend: true}
}

func checkModule(path string) error {
	if !regexp.MustCompile(`^[a-z0-9][A-Za-z0-9.~_-]*(/[A-Za-z0-9][A-Za-z0-9.~_-]*)*$`).MatchString(path) {
		return fmt.Errorf("module path %q, want one such as example.com/acme", path)
	}
	return nil
}

func checkEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty: it holds %s; name a new folder", dir, entries[0].Name())
	}
	return nil
}

// render fills in the templates of a folder. The folders backend and benchmark get the names of their packages.
func render(folder string, n names) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(templates, folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fill(path, n)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(path, folder+"/"), ".tmpl")
		name = strings.NewReplacer("backend/backend", n.Backend+"/backend", "backend/", n.Backend+"/",
			"benchmark/benchmark", n.Benchmark+"/benchmark", "benchmark/", n.Benchmark+"/").Replace(name)
		files[name] = text
		if strings.HasSuffix(name, ".go") { // the order of imports depends on the names
			files[name], err = format.Source(files[name])
		}
		return err
	})
	return files, err
}

// fill fills in one template.
func fill(path string, n names) ([]byte, error) {
	t, err := template.New(path).Delims("«", "»").ParseFS(templates, path)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := t.ExecuteTemplate(&text, filepath.Base(path), n); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}
