// Package newmodule writes a starter module for a vendor's backend or benchmark. A Go module builds, passes its tests
// and serves a plugin. A Python module consists of the checkout's example and its protocol definition.
//
// In scope: names, templates, the go.mod that finds this project in a checkout or among released modules. Out of scope:
// building it (the go command, pip).
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

// ModuleKind is the kind of component that the module's author provides.
type ModuleKind string

// The kinds of new modules.
const (
	Backend   ModuleKind = "backend"
	Benchmark ModuleKind = "benchmark"
)

// Kinds lists the kinds.
func Kinds() []string { return []string{string(Backend), string(Benchmark)} }

// Language is the programming language of the module.
type Language string

// The languages. All modules use the same protocol.
const (
	Go     Language = "go"
	Python Language = "python"
	Cpp    Language = "cpp"
)

// Languages lists the languages.
func Languages() []string { return []string{string(Go), string(Python), string(Cpp)} }

// ModuleSpec describes the module to write.
type ModuleSpec struct {
	Kind     ModuleKind
	Language Language // empty: Go
	Dir      string   // must be missing or empty
	// WrittenModule is the Go module's path; empty: example.com/NAME, where NAME is the last part of Dir.
	Module        string
	ProjectSource // location of this project
	// Classifier is the model of a benchmark in Go; nil: the example's own model.
	Classifier *Classifier
}

// WrittenModule is a written module.
type WrittenModule struct {
	Path     string // module path
	Plugin   string // name of its binary after host.BinaryPrefix; empty for a backend that is not a plugin
	Model    string // model name for a run
	Files    []string
	Commands []string // commands in Dir that try the module
}

// The packages that complete the author's own. A backend requires a benchmark and vice versa.
const (
	standInBackend   = "linear"
	standInBenchmark = "clusters"
)

//go:embed template classifier python cpp
var templates embed.FS

// templateData contains the values for the templates.
type templateData struct {
	Module, Backend, Benchmark, Plugin string
	ForBackend                         bool
	Release                            string           // version that go.mod requires; empty: it refers to a checkout
	Classifier                         *classifierFacts // nil: no classifier
	Next                               []string         // commands that try the module
}

// LastLabel returns the highest label of a classifier's data set.
func (n templateData) LastLabel() int { return n.Classifier.Classes - 1 }

// Write writes the module. If the specification is wrong, it writes no file and the error reports the faults.
func Write(s ModuleSpec) (WrittenModule, error) {
	n, err := s.checkSpec()
	if err != nil {
		return WrittenModule{}, err
	}
	files, m, err := s.moduleContent(n)
	if err != nil {
		return WrittenModule{}, err
	}
	for name, text := range files {
		path := filepath.Join(s.Dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return WrittenModule{}, err
		}
		if err := os.WriteFile(path, text, fileMode(name)); err != nil {
			return WrittenModule{}, err
		}
		m.Files = append(m.Files, name)
	}
	slices.Sort(m.Files)
	return m, nil
}

// moduleContent returns the text of every file.
func (s ModuleSpec) moduleContent(n templateData) (map[string][]byte, WrittenModule, error) {
	m := WrittenModule{Path: n.Module, Plugin: n.Plugin, Model: n.Benchmark}
	switch s.Language {
	case Cpp:
		files, err := readCppFiles(s, n)
		m.Path, m.Plugin, m.Model, m.Commands = "", "", "null", cppCommands()
		return files, m, err
	case Python:
		files, err := readPythonFiles(s, n)
		m.Path, m.Commands = "", pythonCommands(s.Kind, n)
		if s.Kind == Backend {
			m.Plugin, m.Model = "", "resnet50"
		}
		return files, m, err
	}
	m.Commands = []string{
		"go test ./...",
		"go build -o bin/" + host.BinaryPrefix + n.Plugin + " .",
		"harness run " + n.Benchmark + " --plugin-dir bin",
		"harness verify " + n.Benchmark + " --plugin-dir bin",
	}
	if s.Checkout == "" {
		n.Release, m.Commands = s.Release, slices.Insert(m.Commands, 0, "go mod tidy")
	}
	if s.Classifier != nil {
		return s.classifierContent(n, m)
	}
	n.Next = m.Commands
	files, err := renderFolder("template", n)
	if err == nil {
		err = s.addGoMod(files, n.Module, sdkModule)
	}
	return files, m, err
}

// addGoMod adds go.mod to files, and go.sum if its text is known. The module imports the listed modules of this
// project.
func (s ModuleSpec) addGoMod(files map[string][]byte, module string, imported ...string) (err error) {
	switch {
	case s.Checkout != "":
		files["go.mod"], files["go.sum"], err = checkoutModFiles(module, s.Checkout, imported...)
	case s.Release != "":
		files["go.mod"] = releasedMod(module, s.Release, imported...)
	default:
		err = s.noModulesError()
	}
	return err
}

// classifierContent returns the content of a module for a model that classifies pictures.
func (s ModuleSpec) classifierContent(n templateData, m WrittenModule) (map[string][]byte, WrittenModule, error) {
	library := "cp " + filepath.Join(s.Library, "libonnxruntime.*") + " bin/"
	if s.Checkout != "" {
		library += "    # make build left it there"
	}
	n.Next = slices.Insert(m.Commands, len(m.Commands)-2, library)
	m.Commands = n.Next
	files, err := renderFolder("classifier", n)
	if err != nil {
		return nil, m, err
	}
	own, err := n.Classifier.moduleFiles(n, s.ProjectSource)
	if err != nil {
		return nil, m, err
	}
	maps.Copy(files, own)
	return files, m, s.addGoMod(files, n.Module, sdkModule, productModule)
}

// fileMode returns the mode of a file. Programs are executable.
func fileMode(name string) os.FileMode {
	if strings.HasPrefix(name, host.BinaryPrefix) {
		return 0o777
	}
	return 0o666
}

// checkSpec checks the specification and returns the names for the templates.
func (s ModuleSpec) checkSpec() (templateData, error) {
	if !slices.Contains(Kinds(), string(s.Kind)) {
		return templateData{}, fmt.Errorf("unknown kind %q, want one of %s", s.Kind, strings.Join(Kinds(), ", "))
	}
	if s.Language != "" && !slices.Contains(Languages(), string(s.Language)) {
		return templateData{},
			fmt.Errorf("unknown language %q, want one of %s; in any other, docs/protocol.md says what to write",
				s.Language, strings.Join(Languages(), ", "))
	}
	dir, err := filepath.Abs(s.Dir)
	if err != nil {
		return templateData{}, err
	}
	own, nameErr := toPackageName(filepath.Base(dir))
	n := dataFor(s.Kind, own)
	n.Module = s.Module
	if (s.Language == "" || s.Language == Go) && nameErr == nil {
		nameErr = s.checkNameFree(own)
	}
	faults := []error{nameErr, requireEmpty(dir)}
	if s.Classifier != nil {
		faults = append(faults, s.readClassifier(&n))
	}
	if s.Language == Cpp && s.Kind == Benchmark {
		faults = append(faults,
			errors.New("there is no benchmark in C++ to start from: a backend in C++ runs every benchmark, and "+
				"docs/protocol.md says what a plugin in another language does"))
	}
	if n.Module == "" {
		n.Module = "example.com/" + own
	} else {
		faults = append(faults, checkModulePath(n.Module))
	}
	return n, errors.Join(faults...)
}

// readClassifier reads the classifier's model, if there is one.
func (s ModuleSpec) readClassifier(n *templateData) (err error) {
	if s.Kind != Benchmark || s.Language != "" && s.Language != Go {
		return errors.New("--model is for a benchmark in Go; a backend gets its models from benchmarks")
	}
	n.Classifier, err = s.Classifier.readModel()
	return err
}

// dataFor returns the names in a module of a kind. own is the author's package.
func dataFor(k ModuleKind, own string) templateData {
	if k == Benchmark {
		return templateData{Backend: standInBackend, Benchmark: own, Plugin: own}
	}
	return templateData{Backend: own, Benchmark: standInBenchmark, Plugin: standInBenchmark + "-" + own, ForBackend: true}
}

func checkModulePath(path string) error {
	if !regexp.MustCompile(`^[a-z0-9][A-Za-z0-9.~_-]*(/[A-Za-z0-9][A-Za-z0-9.~_-]*)*$`).MatchString(path) {
		return fmt.Errorf("module path %q, want one such as example.com/acme", path)
	}
	return nil
}

func requireEmpty(dir string) error {
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

// renderFolder renders the templates of a folder. The folders backend and benchmark get the names of their packages.
func renderFolder(folder string, n templateData) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(templates, folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fillTemplate(path, n)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(path, folder+"/"), ".tmpl")
		name = strings.NewReplacer("backend/backend", n.Backend+"/backend", "backend/", n.Backend+"/",
			"benchmark/benchmark", n.Benchmark+"/benchmark", "benchmark/", n.Benchmark+"/").Replace(name)
		files[name] = text
		if strings.HasSuffix(name, ".go") { // gofmt sorts the imports, whose order depends on the names
			files[name], err = format.Source(files[name])
		}
		return err
	})
	return files, err
}

// fillTemplate renders one template.
func fillTemplate(path string, n templateData) ([]byte, error) {
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
