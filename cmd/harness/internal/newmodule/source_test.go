package newmodule

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSource finds what a harness brings along, where it lies and by its version.
func TestSource(t *testing.T) {
	lone, source := t.TempDir(), checkout(t)
	prefix := t.TempDir()
	for _, top := range []string{filepath.Join(prefix, "archive"), filepath.Join(prefix, "usr", "share", "plumbline")} {
		proto := filepath.Join(top, filepath.FromSlash(protoDir+pluginProto))
		if err := os.MkdirAll(filepath.Dir(proto), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(proto, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	archive, usr := filepath.Join(prefix, "archive"), filepath.Join(prefix, "usr")
	for _, c := range []struct {
		executable, version string
		want                ProjectSource
	}{
		{filepath.Join(source, "bin", "harness"), "v1.2.3", CheckoutSource(source)},
		{filepath.Join(archive, "bin", "harness"), "v1.2.3", ProjectSource{
			Release: "v1.2.3", Files: archive, Library: filepath.Join(archive, "libexec", "plumbline", "plugins"),
			Harness: "v1.2.3",
		}},
		{filepath.Join(usr, "bin", "harness"), "devel-abc", ProjectSource{
			Files: filepath.Join(usr, "share", "plumbline"), Library: filepath.Join(usr, "libexec", "plumbline", "plugins"),
			Harness: "devel-abc",
		}},
		{filepath.Join(lone, "harness"), "v1.0.0-rc.1", ProjectSource{Release: "v1.0.0-rc.1", Harness: "v1.0.0-rc.1"}},
		{"", "(devel)", ProjectSource{Harness: "(devel)"}},
		{"", "v0.0.0-20261124003356-51e6025a1234", ProjectSource{Harness: "v0.0.0-20261124003356-51e6025a1234"}},
		{"", "v1.2.4-0.20261124003356-51e6025a1234+dirty",
			ProjectSource{Harness: "v1.2.4-0.20261124003356-51e6025a1234+dirty"}},
	} {
		if got := FindSource(c.executable, c.version); got != c.want {
			t.Errorf("%s %s: got %+v, want %+v", c.executable, c.version, got, c.want)
		}
	}
}

// TestWriteOfARelease writes modules without a checkout.
func TestWriteOfARelease(t *testing.T) {
	files := checkout(t)
	release := ProjectSource{Release: "v1.2.3", Files: files, Library: "/opt/libexec/plumbline/plugins", Harness: "v1.2.3"}
	dir := filepath.Join(t.TempDir(), "acme")
	m, err := Write(ModuleSpec{Kind: Backend, Dir: dir, ProjectSource: release})
	if err != nil {
		t.Fatal(err)
	}
	if m.Commands[0] != "go mod tidy" || slices.Contains(m.Files, "go.sum") {
		t.Errorf("got %+v: want go mod tidy first, and no go.sum", m)
	}
	checkFiles(t, dir, m.Files)
	mod, readme := read(t, dir, "go.mod"), read(t, dir, "README.md")
	want := "module example.com/acme\n\ngo " + goVersionLine + "\n\nrequire (\n\t" + project + "/sdk v1.2.3\n)\n"
	if mod != want {
		t.Errorf("go.mod is\n%s\nwant\n%s", mod, want)
	}
	for _, text := range []string{"    go mod tidy\n    go test ./...\n", "go.mod requires Plumbline v1.2.3"} {
		if !strings.Contains(readme, text) || strings.Contains(readme, "checkout that wrote") {
			t.Errorf("no %q in, or a checkout is named by:\n%s", text, readme)
		}
	}
	python := filepath.Join(t.TempDir(), "shapes")
	if _, err := Write(ModuleSpec{Kind: Backend, Language: Python, Dir: python, ProjectSource: release}); err != nil {
		t.Error(err)
	}
}

// TestClassifierOfARelease starts from a model without a checkout: the manifest of the built-in benchmark and ONNX
// Runtime are those of the package.
func TestClassifierOfARelease(t *testing.T) {
	top := filepath.Join("..", "..", "..", "..") // a checkout has the files where a package has them
	release := ProjectSource{Release: "v1.2.3", Files: top, Library: "/opt/libexec/plumbline/plugins", Harness: "v1.2.3"}
	c := &Classifier{
		Path: filepath.Join(top, "plugins", "resnet50", "model", "resnet_int8.onnx"), Preprocess: "vgg", Out: "ArgMax:0",
		Offset: "1",
	}
	dir := filepath.Join(t.TempDir(), "pictures")
	m, err := Write(ModuleSpec{Kind: Benchmark, Dir: dir, ProjectSource: release, Classifier: c})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"go mod tidy", "go test ./...", "go build -o bin/plumbline-plugin-pictures .",
		"cp /opt/libexec/plumbline/plugins/libonnxruntime.* bin/", "harness run pictures --plugin-dir bin",
		"harness verify pictures --plugin-dir bin"}
	if !slices.Equal(m.Commands, want) {
		t.Errorf("the commands are %q, want %q", m.Commands, want)
	}
	mod := read(t, dir, "go.mod")
	for _, name := range []string{"", "/sdk"} {
		if !strings.Contains(mod, "\t"+project+name+" v1.2.3\n") {
			t.Errorf("%s is not required:\n%s", name, mod)
		}
	}
	checkFiles(t, dir, m.Files)
}

// TestWriteOfNoRelease says what is missing where a module cannot be written.
func TestWriteOfNoRelease(t *testing.T) {
	for want, spec := range map[string]ModuleSpec{
		"development build (devel-abc)": {Kind: Backend, ProjectSource: ProjectSource{Files: checkout(t),
			Harness: "devel-abc"}},
		"without the examples": {Kind: Backend, Language: Cpp, ProjectSource: ProjectSource{Release: "v1.2.3"}},
	} {
		spec.Dir = filepath.Join(t.TempDir(), "acme")
		_, err := Write(spec)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--checkout DIR") {
			t.Errorf("error %v, want %q and the way out", err, want)
		}
		if _, err := os.Stat(spec.Dir); err == nil {
			t.Errorf("%s: a folder was made", want)
		}
	}
}

// TestGoLine wants the version of Go that the workspace has.
func TestGoLine(t *testing.T) {
	if work := read(t, filepath.Join("..", "..", "..", ".."), "go.work"); goVersion([]byte(work)) != goVersionLine {
		t.Errorf("modules say go %s, the workspace go %s", goVersionLine, goVersion([]byte(work)))
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
