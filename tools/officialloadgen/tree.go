package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/official"
)

// sourceTree is a source tree of the official LoadGen.
type sourceTree struct {
	dir     string
	sources map[string][]byte // by name: the compiled files, and the files from which the two generated ones are made
	build   official.Build
}

// Files of a tree. The official build generates mlperf_conf.h and version_generated.cc.
const (
	confHeader    = "mlperf_conf.h"
	versionSource = "version_generated.cc"
	versionFile   = "VERSION.txt"
	confFile      = "mlperf.conf"
)

// required lists files without which a folder is not a LoadGen.
var required = []string{"loadgen.cc", "loadgen.h", "test_settings.h", "version.cc", versionFile, confFile}

var versionForm = regexp.MustCompile(`^\d+\.\d+(\.\d+)?\w*$`)

// readTree finds the sources at dir and reads them.
func readTree(dir string) (*sourceTree, error) {
	t := &sourceTree{dir: dir}
	if _, err := os.Stat(filepath.Join(dir, "loadgen", "loadgen.cc")); err == nil {
		t.dir = filepath.Join(dir, "loadgen")
	}
	if err := t.readSources(); err != nil {
		return nil, fmt.Errorf("%s is no source tree of the official LoadGen: %w", dir, err)
	}
	t.build = official.Build{
		Version: strings.TrimSpace(string(t.sources[versionFile])), Files: map[string]string{},
	}
	if !versionForm.MatchString(t.build.Version) {
		return nil, fmt.Errorf("%s: version %q, want one like 6.0.17", filepath.Join(t.dir, versionFile), t.build.Version)
	}
	for name, text := range t.sources {
		t.build.Files[name] = checksum(text)
	}
	t.build.SHA256 = treeSum(t.build.Files)
	t.build.Release = releases[t.build.SHA256]
	return t, nil
}

func checksum(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }

// treeSum returns the checksum of a tree: that of the lines that sha256sum writes for its files, sorted by name.
func treeSum(files map[string]string) string {
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&lines, "%s  %s\n", files[name], name)
	}
	return checksum([]byte(lines.String()))
}

// readSources reads the sources. The error lists all missing files.
func (t *sourceTree) readSources() error {
	t.sources = map[string][]byte{}
	entries, err := os.ReadDir(t.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if name := e.Name(); isSource(name) {
			if t.sources[name], err = os.ReadFile(filepath.Join(t.dir, name)); err != nil {
				return err
			}
		}
	}
	var faults []error
	for _, name := range required {
		if t.sources[name] == nil {
			faults = append(faults, &fs.PathError{Op: "read", Path: filepath.Join(t.dir, name), Err: fs.ErrNotExist})
		}
	}
	return errors.Join(faults...)
}

func isSource(name string) bool {
	switch name {
	case confHeader, versionSource:
		return false
	case versionFile, confFile:
		return true
	}
	return filepath.Ext(name) == ".cc" || filepath.Ext(name) == ".h"
}
