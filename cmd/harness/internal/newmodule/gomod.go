package newmodule

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// project is the prefix of this project's module paths, and the path of the module in the root folder.
const project = "github.com/plumbline-ml/plumbline"

// The folders of this project's modules that a new one imports.
const (
	sdkModule     = "sdk"
	productModule = "." // benchmarks, backends, the harness and their libraries
)

// modulePath returns the path of the module in a folder of the checkout.
func modulePath(folder string) string { return path.Join(project, folder) }

// libraryModules returns the folders of the modules in a workspace that others can import, which excludes examples and
// tools.
func libraryModules(work []byte) []string {
	var found []string
	for _, folder := range listBlock(work, "use", 1) {
		folder = path.Clean(strings.Trim(folder, `"`))
		first, _, _ := strings.Cut(folder, "/")
		if !slices.Contains([]string{"examples", "tools"}, first) {
			found = append(found, folder)
		}
	}
	slices.Sort(found)
	return found
}

// checkoutModFiles returns go.mod and go.sum for a module that uses some of this project's modules from the checkout.
// For all other modules they contain the newest version that the imported ones require. All libraries of the project
// are replaced, so that `go mod tidy` finds those that the author imports later.
func checkoutModFiles(module, checkout string, imported ...string) (mod, sum []byte, err error) {
	if checkout, err = filepath.Abs(checkout); err != nil {
		return nil, nil, err
	}
	names := []string{"go.work"}
	for _, m := range imported {
		names = append(names, path.Join(m, "go.mod"), path.Join(m, "go.sum"))
	}
	read, err := readCheckout(checkout, names...)
	if err != nil {
		return nil, nil, err
	}
	work, text := read[0], read[1]
	own, others, sums := []string{}, []string{}, []string{}
	for i, m := range imported {
		own = append(append(own, modulePath(m)), siblingModules(read[1+2*i])...)
		others = append(others, listRequirements(read[1+2*i])...)
		sums = append(sums, slices.Collect(strings.Lines(string(read[2+2*i])))...)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "module %s\n\ngo %s\n\nrequire (\n", module, goVersion(text))
	for _, m := range uniqueTexts(own) {
		fmt.Fprintf(&b, "\t%s v0.0.0\n", m)
	}
	fmt.Fprint(&b, ")\n\nrequire (\n")
	for _, r := range newestVersions(others) {
		fmt.Fprintf(&b, "\t%s // indirect\n", r)
	}
	fmt.Fprint(&b, ")\n\n// Until Plumbline has tagged releases, its modules are those of this checkout.\nreplace (\n")
	for _, m := range libraryModules(work) {
		fmt.Fprintf(&b, "\t%s => %s\n", modulePath(m), quotePath(filepath.Join(checkout, filepath.FromSlash(m))))
	}
	fmt.Fprint(&b, ")\n")
	return b.Bytes(), []byte(strings.Join(uniqueTexts(sums), "")), nil
}

// goVersionLine is the Go version in this project's modules.
const goVersionLine = "1.26.0"

// releasedMod returns the go.mod of a module that imports released modules of this project. `go mod tidy` adds
// their requirements and go.sum.
func releasedMod(module, version string, imported ...string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "module %s\n\ngo %s\n\nrequire (\n", module, goVersionLine)
	for _, m := range uniqueTexts(imported) {
		fmt.Fprintf(&b, "\t%s %s\n", modulePath(m), version)
	}
	fmt.Fprint(&b, ")\n")
	return b.Bytes()
}

// uniqueTexts returns the texts sorted and without duplicates.
func uniqueTexts(texts []string) []string { return slices.Compact(slices.Sorted(slices.Values(texts))) }

// newestVersions sorts requirements, "path version", and keeps the newest version of each path.
func newestVersions(requirements []string) []string {
	versions := map[string]string{}
	for _, r := range requirements {
		name, version, _ := strings.Cut(r, " ")
		if have, ok := versions[name]; !ok || slices.Compare(versionNumbers(have), versionNumbers(version)) < 0 {
			versions[name] = version
		}
	}
	all := make([]string, 0, len(versions))
	for name, version := range versions {
		all = append(all, name+" "+version)
	}
	slices.Sort(all)
	return all
}

// versionNumbers returns the numbers of a version, such as 1, 2 and 3 for v1.2.3-rc.1. For a version without a tag, it
// includes the numbers of its time.
func versionNumbers(version string) []int {
	var all []int
	for field := range strings.FieldsFuncSeq(version, func(r rune) bool { return !unicode.IsDigit(r) }) {
		n, err := strconv.Atoi(field)
		if err != nil {
			break
		}
		all = append(all, n)
	}
	return all
}

// siblingModules returns the paths of this project's modules that a go.mod requires.
func siblingModules(mod []byte) []string {
	var found []string
	for _, r := range listBlock(mod, "require", 2) {
		if name, _, _ := strings.Cut(r, " "); isProjectModule(name) {
			found = append(found, name)
		}
	}
	return found
}

// isProjectModule reports whether a module belongs to this project.
func isProjectModule(name string) bool {
	return name == project || strings.HasPrefix(name, project+"/")
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

// quotePath quotes a path for go.mod if necessary.
func quotePath(path string) string {
	if strings.ContainsAny(path, " \"'`()[]{},;") {
		return fmt.Sprintf("%q", path)
	}
	return path
}

// goVersion returns the version in the go line of a go.mod.
func goVersion(mod []byte) string {
	for line := range strings.Lines(string(mod)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "go" {
			return f[1]
		}
	}
	return goVersionLine
}

// listRequirements lists "path version" of all modules that a go.mod requires, except this project's, sorted like go
// mod tidy.
func listRequirements(mod []byte) []string {
	found := slices.DeleteFunc(listBlock(mod, "require", 2), func(r string) bool {
		name, _, _ := strings.Cut(r, " ")
		return isProjectModule(name)
	})
	slices.Sort(found)
	return found
}

// listBlock lists the entries of a keyword in a go.mod or go.work, from single lines and from parentheses. Each entry
// is split into n words.
func listBlock(text []byte, keyword string, n int) []string {
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
