package main

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/zip"
)

// listFiles returns the files of the module's folder that git tracks, except those of nested modules, with go.mod and
// go.sum of the release and the repository's licence.
func (m *releaseModule) listFiles() ([]zip.File, error) {
	text, err := commandOutput("git", "ls-files", "-z", "--", m.dir)
	if err != nil {
		return nil, err
	}
	names := strings.Split(strings.TrimSuffix(text, "\x00"), "\x00")
	nested := map[string]bool{}
	for _, name := range names {
		if path.Base(name) == "go.mod" && path.Dir(name) != m.dir {
			nested[path.Dir(name)] = true
		}
	}
	all := []zip.File{releaseFile{"go.mod", m.goMod}}
	if len(m.goSum) > 0 {
		all = append(all, releaseFile{"go.sum", m.goSum})
	}
	licence, err := os.ReadFile("LICENSE")
	if err != nil {
		return nil, err
	}
	all = append(all, releaseFile{"LICENSE", licence})
	for _, name := range names {
		inside := strings.TrimPrefix(name, m.dir+"/")
		if inside == "go.mod" || inside == "go.sum" || inside == "LICENSE" || isWithin(name, nested) {
			continue
		}
		if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
			continue // modules cannot contain links
		}
		all = append(all, checkoutFile{inside, filepath.FromSlash(name)})
	}
	return all, nil
}

func isWithin(name string, folders map[string]bool) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if folders[dir] {
			return true
		}
	}
	return false
}

// checkoutFile is a file of the checkout.
type checkoutFile struct{ inside, name string }

func (k checkoutFile) Path() string                 { return k.inside }
func (k checkoutFile) Lstat() (fs.FileInfo, error)  { return os.Lstat(k.name) }
func (k checkoutFile) Open() (io.ReadCloser, error) { return os.Open(k.name) }

// releaseFile is a file that exists only in the release.
type releaseFile struct {
	inside string
	text   []byte
}

func (w releaseFile) Path() string                 { return w.inside }
func (w releaseFile) Lstat() (fs.FileInfo, error)  { return fileInfo(w), nil }
func (w releaseFile) Open() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(w.text)), nil }

// fileInfo is the fs.FileInfo of a releaseFile.
type fileInfo releaseFile

func (i fileInfo) Name() string       { return i.inside }
func (i fileInfo) Size() int64        { return int64(len(i.text)) }
func (i fileInfo) Mode() fs.FileMode  { return 0o644 }
func (i fileInfo) ModTime() time.Time { return time.Time{} }
func (i fileInfo) IsDir() bool        { return false }
func (i fileInfo) Sys() any           { return nil }
