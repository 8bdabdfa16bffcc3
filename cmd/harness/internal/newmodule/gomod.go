package newmodule

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// project is the prefix of this project's modules.
const project = "github.com/plumbline-ml/plumbline/"

// needed are those that a module needs.
func needed() []string { return []string{"loadgen", "sdk"} }

// libraries are those modules of a workspace that others can import: not its commands, examples and tests.
func libraries(work []byte) []string {
	var found []string
	for _, folder := range block(work, "use", 1) {
		name := strings.TrimPrefix(strings.Trim(folder, `"`), "./")
		first, _, _ := strings.Cut(name, "/")
		if !slices.Contains([]string{"cmd", "examples", "e2e", "oracles", "tools"}, first) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}

// dependencies are the go.mod and go.sum of a module that finds this project in the checkout: the versions of
// everything else are those of the sdk there. All libraries of the project are replaced, also those that the module
// does not need yet: the author imports one, and `go mod tidy` finds it.
func dependencies(module, checkout string) (mod, sum []byte, err error) {
	if checkout, err = filepath.Abs(checkout); err != nil {
		return nil, nil, err
	}
	read, err := readCheckout(checkout, "go.work", "sdk/go.mod", "sdk/go.sum")
	if err != nil {
		return nil, nil, err
	}
	work, text := read[0], read[1]
	var b bytes.Buffer
	fmt.Fprintf(&b, "module %s\n\ngo %s\n\nrequire (\n", module, goVersion(text))
	for _, m := range needed() {
		fmt.Fprintf(&b, "\t%s v0.0.0\n", project+m)
	}
	fmt.Fprint(&b, ")\n\nrequire (\n")
	for _, r := range requirements(text) {
		fmt.Fprintf(&b, "\t%s // indirect\n", r)
	}
	fmt.Fprint(&b, ")\n\n// Until Plumbline has tagged releases, its modules are those of this checkout.\nreplace (\n")
	for _, m := range libraries(work) {
		fmt.Fprintf(&b, "\t%s => %s\n", project+m, quoted(filepath.Join(checkout, filepath.FromSlash(m))))
	}
	fmt.Fprint(&b, ")\n")
	return b.Bytes(), read[2], nil
}

// readCheckout reads files of a checkout of this project.
func readCheckout(checkout string, names ...string) ([][]byte, error) {
	texts := make([][]byte, len(names))
	for i, name := range names {
		var err error
		texts[i], err = os.ReadFile(filepath.Join(checkout, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s is no checkout of Plumbline: %w; name one with --checkout", checkout, err)
		}
		if err != nil {
			return nil, err
		}
	}
	return texts, nil
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

// requirements lists "path version" of every module that a go.mod requires, but this project's own,
// sorted as go mod tidy does.
func requirements(mod []byte) []string {
	found := slices.DeleteFunc(block(mod, "require", 2), func(r string) bool { return strings.HasPrefix(r, project) })
	slices.Sort(found)
	return found
}

// block lists what a go.mod or go.work says behind a keyword, on lines of their own and in parentheses: each as
// its words, which are n.
func block(text []byte, keyword string, n int) []string {
	var found []string
	inside := ""
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "//")
		f := strings.Fields(line)
		switch {
		case len(f) == 2 && f[1] == "(":
			inside = f[0]
			continue
		case len(f) == 1 && f[0] == ")":
			inside = ""
			continue
		case len(f) == n+1 && inside == "" && f[0] == keyword:
			f = f[1:]
		case inside != keyword || len(f) != n:
			continue
		}
		found = append(found, strings.Join(f, " "))
	}
	return found
}
