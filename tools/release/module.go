package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"

	"github.com/plumbline-ml/plumbline/tools/internal/modfiles"
)

// releaseModule is a module with the go.mod and go.sum of the release.
type releaseModule struct {
	path, version string
	dir           string // folder in the checkout, relative to its top: "cmd/harness"
	goMod, goSum  []byte
	siblings      []*releaseModule // modules that it requires, directly or indirectly
	sums          string           // checksums of its own zip and go.mod, as lines of a go.sum
}

// tag returns the name of the module's tag.
func (m *releaseModule) tag() string { return path.Join(m.dir, m.version) }

// readModules returns the modules of the workspace, each after those that it requires.
func readModules(version string) ([]*releaseModule, error) {
	dirs, err := modfiles.Dirs()
	if err != nil {
		return nil, err
	}
	top, err := commandOutput("git", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	all := map[string]*releaseModule{}
	for path, dir := range dirs {
		dir, err := filepath.Rel(strings.TrimSpace(top), dir)
		if err != nil {
			return nil, err
		}
		all[path] = &releaseModule{path: path, version: version, dir: filepath.ToSlash(dir)}
	}
	for _, m := range all {
		if err := m.rewrite(all); err != nil {
			return nil, fmt.Errorf("%s: %w", m.path, err)
		}
	}
	return inOrder(all)
}

// rewrite makes the go.mod of the release.
func (m *releaseModule) rewrite(all map[string]*releaseModule) error {
	text, err := os.ReadFile(filepath.Join(m.dir, "go.mod"))
	if err != nil {
		return err
	}
	text, siblings, err := modfiles.Release(text, m.version)
	if err != nil {
		return err
	}
	for _, path := range siblings {
		if all[path] == nil {
			return fmt.Errorf("go.mod requires %s, which go.work does not list", path)
		}
		m.siblings = append(m.siblings, all[path])
	}
	m.goMod = text
	return nil
}

// inOrder sorts modules so that each comes after its siblings.
func inOrder(all map[string]*releaseModule) ([]*releaseModule, error) {
	var sorted []*releaseModule
	done := map[string]bool{}
	for len(sorted) < len(all) {
		before := len(sorted)
		for _, path := range slices.Sorted(maps.Keys(all)) {
			m := all[path]
			waits := slices.ContainsFunc(m.siblings, func(s *releaseModule) bool { return !done[s.path] })
			if !done[path] && !waits {
				done[path], sorted = true, append(sorted, m)
			}
		}
		if len(sorted) == before {
			return nil, errors.New("modules require one another in a circle")
		}
	}
	return sorted, nil
}

// writeTo writes the module into a file-based proxy.
func (m *releaseModule) writeTo(proxy string) error {
	if err := m.addSums(); err != nil {
		return err
	}
	escaped, err := module.EscapePath(m.path)
	if err != nil {
		return err
	}
	dir := filepath.Join(proxy, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	date, err := commandOutput("git", "log", "-1", "--format=%cI")
	if err != nil {
		return err
	}
	info := fmt.Sprintf("{\"Version\":%q,\"Time\":%q}\n", m.version, strings.TrimSpace(date))
	for name, text := range map[string]string{
		"list": m.version + "\n", m.version + ".info": info, m.version + ".mod": string(m.goMod),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	archive := filepath.Join(dir, m.version+".zip")
	if err := m.writeZip(archive); err != nil {
		return err
	}
	return m.hashArchive(archive)
}

// addSums makes the go.sum of the release: that of the checkout, and lines for the siblings.
func (m *releaseModule) addSums() error {
	text, err := os.ReadFile(filepath.Join(m.dir, "go.sum"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, s := range m.siblings {
		lines = append(lines, strings.Split(strings.TrimSpace(s.sums), "\n")...)
	}
	lines = slices.DeleteFunc(lines, func(l string) bool { return l == "" })
	slices.Sort(lines)
	if len(lines) > 0 {
		m.goSum = []byte(strings.Join(slices.Compact(lines), "\n") + "\n")
	}
	return nil
}

// writeZip writes the module's files to a zip file.
func (m *releaseModule) writeZip(to string) error {
	files, err := m.listFiles()
	if err != nil {
		return err
	}
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	err = zip.Create(f, module.Version{Path: m.path, Version: m.version}, files)
	return errors.Join(err, f.Close())
}

func (m *releaseModule) hashArchive(archive string) error {
	whole, err1 := dirhash.HashZip(archive, dirhash.Hash1)
	mod, err2 := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(string(m.goMod))), nil
	})
	m.sums = fmt.Sprintf("%s %s %s\n%s %s/go.mod %s\n", m.path, m.version, whole, m.path, m.version, mod)
	return errors.Join(err1, err2)
}

func commandOutput(args ...string) (string, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w", strings.Join(args, " "), err)
	}
	return string(text), err
}
