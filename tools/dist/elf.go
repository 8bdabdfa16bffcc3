package main

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// systemNeeds describes the system requirements of the programs and libraries in a folder.
type systemNeeds struct {
	libraries []string       // names of shared libraries outside of the folder: "libc.so.6"
	versions  symbolVersions // newest version of each family of symbols: "GLIBC" 2.34
}

// symbolVersions contains the newest version of each family of versioned symbols, such as "GLIBC" or "GLIBCXX", as
// numbers.
type symbolVersions map[string][]int

// add records a symbol version such as "GLIBC_2.34" if it is newer than the recorded one. It ignores families without a
// number (GLIBC_PRIVATE).
func (v symbolVersions) add(symbol string) {
	family, number, found := strings.Cut(symbol, "_")
	if !found {
		return
	}
	var parts []int
	for text := range strings.SplitSeq(number, ".") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return
		}
		parts = append(parts, n)
	}
	if slices.Compare(v[family], parts) < 0 {
		v[family] = parts
	}
}

// newest returns the newest version of a family: "2.34".
func (v symbolVersions) newest(family string) string {
	parts := make([]string, len(v[family]))
	for i, number := range v[family] {
		parts[i] = strconv.Itoa(number)
	}
	return strings.Join(parts, ".")
}

// needsOf reads the dynamic sections of all ELF files below a folder.
func needsOf(dir string) (systemNeeds, error) {
	n := systemNeeds{versions: symbolVersions{}}
	wanted, present := map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		present[e.Name()] = true
		libraries, err := n.readFile(path)
		for _, l := range libraries {
			wanted[l] = true
		}
		return err
	})
	for l := range wanted {
		if !present[l] {
			n.libraries = append(n.libraries, l)
		}
	}
	slices.Sort(n.libraries)
	return n, err
}

// readFile records the versions that a file requires and returns its libraries. A file that is not ELF requires
// nothing.
func (n systemNeeds) readFile(path string) (libraries []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	magic := make([]byte, len(elf.ELFMAG))
	if _, err := f.ReadAt(magic, 0); err != nil || string(magic) != elf.ELFMAG {
		return nil, nil // too short for an ELF file
	}
	file, err := elf.NewFile(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if libraries, err = file.ImportedLibraries(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	symbols, err := file.ImportedSymbols()
	if errors.Is(err, elf.ErrNoSymbols) {
		return libraries, nil // linked statically
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, s := range symbols {
		n.versions.add(s.Version)
	}
	return libraries, nil
}
