package newmodule

import (
	"bytes"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// project is the prefix of this project's modules.
const project = "github.com/plumbline-ml/plumbline/"

// needed are those that a module needs.
func needed() []string { return []string{"loadgen", "sdk"} }

// keyword reports whether name is one of Go's.
func keyword(name string) bool { return token.IsKeyword(name) }

// dependencies are the go.mod and go.sum of a module that finds this project in the checkout: the versions of everything
// else are those of the sdk there.
func dependencies(module, checkout string) (mod, sum []byte, err error) {
	if checkout, err = filepath.Abs(checkout); err != nil {
		return nil, nil, err
	}
	source := filepath.Join(checkout, "sdk")
	text, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err == nil {
		sum, err = os.ReadFile(filepath.Join(source, "go.sum"))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s is no checkout of Plumbline: %w; name one with --checkout", checkout, err)
	}
	if err != nil {
		return nil, nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "module %s\n\ngo %s\n\nrequire (\n", module, goVersion(text))
	for _, m := range needed() {
		fmt.Fprintf(&b, "\t%s v0.0.0\n", project+m)
	}
	fmt.Fprint(&b, ")\n\nrequire (\n")
	for _, r := range requirements(text) {
		fmt.Fprintf(&b, "\t%s // indirect\n", r)
	}
	fmt.Fprint(&b, ")\n\nreplace (\n")
	for _, m := range needed() {
		fmt.Fprintf(&b, "\t%s => %s\n", project+m, quoted(filepath.Join(checkout, m)))
	}
	fmt.Fprint(&b, ")\n")
	return b.Bytes(), sum, nil
}

// quoted is a path as go.mod wants it.
func quoted(path string) string {
	if strings.ContainsAny(path, " \"'`()[]{},;") {
		return fmt.Sprintf("%q", path)
	}
	return path
}

// goVersion is the go line of a go.mod.
func goVersion(mod []byte) string {
	for line := range strings.Lines(string(mod)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "go" {
			return f[1]
		}
	}
	return "1.26.0"
}

// requirements lists "path version" of every module that a go.mod requires, but this project's own.
func requirements(mod []byte) []string {
	var found []string
	block := ""
	for line := range strings.Lines(string(mod)) {
		line, _, _ = strings.Cut(line, "//")
		f := strings.Fields(line)
		switch {
		case len(f) == 2 && f[1] == "(":
			block = f[0]
			continue
		case len(f) == 1 && f[0] == ")":
			block = ""
			continue
		case len(f) == 3 && block == "" && f[0] == "require":
			f = f[1:]
		case block != "require" || len(f) != 2:
			continue
		}
		if !strings.HasPrefix(f[0], project) {
			found = append(found, f[0]+" "+f[1])
		}
	}
	return found
}
