package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/official"
)

// The project's own sources in a build.
const (
	shimSource  = "plumbline_shim.cc"
	shimHeader  = "shim.h"
	buildSource = "plumbline_build.cc"
)

// product is the result of a build: the library, or a program.
type product struct {
	name  string
	extra string   // an additional source file; empty: none
	flags []string // flags of the compiler
}

var (
	library = product{name: official.FileName, flags: []string{"-fPIC", "-fvisibility=hidden", "-shared"}}
	// standalone is the LoadGen without the harness, for comparison.
	standalone = product{name: "official-null", extra: "tools/officialloadgen/null/null.cc"}
)

// compile builds a product in folder out from copies of the sources, so that the checksums describe exactly the
// compiled sources.
func (t *sourceTree) compile(p product, out, shim string) (path string, err error) {
	dir, err := os.MkdirTemp("", "official-loadgen-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	units, err := t.writeSources(dir, shim)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return "", err
	}
	if p.extra != "" {
		text, err := os.ReadFile(p.extra)
		if err != nil {
			return "", err
		}
		units = append(units, filepath.Base(p.extra))
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(p.extra)), text, 0o644); err != nil {
			return "", err
		}
	}
	args := slices.Concat([]string{"-std=c++14", "-O3", "-pthread", "-I.", "-o", p.name}, p.flags, units)
	compiler := strings.Fields(cmp.Or(os.Getenv("CXX"), "c++"))
	cmd := exec.Command(compiler[0], append(compiler[1:], args...)...)
	cmd.Dir = dir // the logs then contain names of sources without folders, as in the official build
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the C++ compiler %s (CXX chooses another one): %w\n%s", compiler[0], err, text)
	}
	path = filepath.Join(out, p.name)
	return path, replaceFile(path, filepath.Join(dir, p.name))
}

// replaceFile puts a copy of built at path. A file that is open there stays intact.
func replaceFile(path, built string) error {
	text, err := os.ReadFile(built)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", text, 0o755); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// writeSources writes all sources into dir and returns those to compile.
func (t *sourceTree) writeSources(dir, shim string) (units []string, err error) {
	files := map[string][]byte{confHeader: []byte(confText(t.sources[confFile]))}
	version, err := t.versionText(time.Now())
	if err != nil {
		return nil, err
	}
	build, err := t.buildText()
	if err != nil {
		return nil, err
	}
	files[versionSource], files[buildSource] = []byte(version), []byte(build)
	for from, to := range map[string]string{"shim.cc": shimSource, shimHeader: shimHeader} {
		if files[to], err = os.ReadFile(filepath.Join(shim, from)); err != nil {
			return nil, err
		}
	}
	maps.Copy(files, t.sources)
	for name, text := range files {
		if filepath.Ext(name) == ".cc" {
			units = append(units, name)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return nil, err
		}
	}
	return units, nil
}
