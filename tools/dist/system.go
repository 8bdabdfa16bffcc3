package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/blakesmith/ar"
	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	"github.com/goreleaser/nfpm/v2/rpm"
)

// systemPackages writes .deb and .rpm packages of the archive's folder and returns their paths. They contain no
// scripts: only files are installed and removed.
func (d *dist) systemPackages(p platform, dir string) (made []string, err error) {
	n, err := needsOf(dir)
	if err != nil {
		return nil, err
	}
	for _, kind := range []struct {
		packager nfpm.Packager
		describe func(*nfpm.Info, systemNeeds)
		finish   func(text []byte, date time.Time) ([]byte, error)
	}{
		{deb.Default, addDebian, withWindow},
		{rpm.DefaultRPM, addRedHat, func(text []byte, _ time.Time) ([]byte, error) { return text, nil }},
	} {
		info, err := d.describe(p, dir)
		if err != nil {
			return nil, err
		}
		kind.describe(info, n)
		var text bytes.Buffer
		if err := kind.packager.Package(info, &text); err != nil {
			return nil, err
		}
		whole, err := kind.finish(text.Bytes(), d.date)
		if err != nil {
			return nil, err
		}
		file := filepath.Join(d.out, kind.packager.ConventionalFileName(info))
		if err := os.WriteFile(file, whole, 0o644); err != nil {
			return nil, err
		}
		made = append(made, file)
	}
	return made, nil
}

// describe returns the content and the facts that both kinds of packages share.
func (d *dist) describe(p platform, dir string) (*nfpm.Info, error) {
	all, err := prefixed(dir)
	if err != nil {
		return nil, err
	}
	info := &nfpm.Info{
		Name: "plumbline", Arch: p.arch, Platform: "linux", Version: d.version, MTime: d.date,
		Section: "science", Maintainer: "The Plumbline maintainers <maintainers@plumbline.invalid>",
		License: "Apache-2.0", DisableGlobbing: true,
		Description: "Machine-learning inference benchmarks\nA LoadGen, eleven benchmarks with their preprocessing " +
			"and accuracy scoring,\ncompatible with MLPerf Inference's rules, logs and reference results.",
	}
	if commit, devel := strings.CutPrefix(d.version, "devel-"); devel {
		info.Version, info.Prerelease = "0.0.0", "devel."+commit // older than any release
	}
	for _, f := range all {
		mode := os.FileMode(0o644)
		if f.executable {
			mode = 0o755
		}
		info.Contents = append(info.Contents, &files.Content{
			Source: f.from, Destination: "/usr/" + f.to, FileInfo: &files.ContentFileInfo{Mode: mode, MTime: d.date},
		})
	}
	for _, folder := range ownFolders(all) { // rpm keeps folders that are not part of a package
		info.Contents = append(info.Contents, &files.Content{
			Destination: "/usr/" + folder, Type: files.TypeDir, FileInfo: &files.ContentFileInfo{Mode: 0o755, MTime: d.date},
		})
	}
	return nfpm.WithDefaults(info), nil
}

// ownFolders returns the folders called plumbline, and the folders below them that contain files.
func ownFolders(all []packedFile) []string {
	folders := map[string]bool{}
	for _, f := range all {
		for dir := path.Dir(f.to); strings.Contains("/"+dir+"/", "/plumbline/"); dir = path.Dir(dir) {
			folders[dir] = true
		}
	}
	return slices.Sorted(maps.Keys(folders))
}

// addDebian adds the facts of .deb packages: their dependencies by package name.
func addDebian(info *nfpm.Info, n systemNeeds) {
	info.Depends = []string{"libc6 (>= " + n.versions.newest("GLIBC") + ")", "libgcc-s1", "libstdc++6"}
	info.Recommends = []string{"ca-certificates"}
	info.Deb.Compression = "none" // withWindow compresses
	info.Contents = append(info.Contents, &files.Content{
		Source: "LICENSE", Destination: "/usr/share/doc/plumbline/copyright",
		FileInfo: &files.ContentFileInfo{Mode: 0o644, MTime: info.MTime},
	})
	for _, c := range info.Contents {
		c.Destination = strings.Replace(c.Destination, "/zsh/site-functions/", "/zsh/vendor-completions/", 1)
	}
}

// addRedHat adds the facts of .rpm packages: their dependencies by library name.
func addRedHat(info *nfpm.Info, n systemNeeds) {
	for _, library := range n.libraries {
		info.Depends = append(info.Depends, library+"()(64bit)")
	}
	info.Depends = append(info.Depends, "libc.so.6(GLIBC_"+n.versions.newest("GLIBC")+")(64bit)")
	info.Recommends = []string{"ca-certificates"}
	info.RPM.Compression = "zstd:best"
	info.RPM.BuildHost = "localhost" // instead of this machine's name, so that the bytes are the same on all machines
	info.RPM.Summary, _, _ = strings.Cut(info.Description, "\n")
}

// withWindow compresses the data of a .deb package like .tar.zst archives, with a window that covers the common content
// of plugins. nfpm's own compression needs half as much space again.
func withWindow(text []byte, date time.Time) ([]byte, error) {
	var to bytes.Buffer
	w := ar.NewWriter(&to)
	if err := w.WriteGlobalHeader(); err != nil {
		return nil, err
	}
	for r := ar.NewReader(bytes.NewReader(text)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return to.Bytes(), nil
		}
		if err != nil {
			return nil, err
		}
		member, err := io.ReadAll(r)
		if err == nil && strings.TrimSuffix(h.Name, "/") == "data.tar" {
			h.Name = "data.tar.zst"
			member, err = compressText(member, h.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", h.Name, err)
		}
		h.Size, h.ModTime = int64(len(member)), date
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(member); err != nil {
			return nil, err
		}
	}
}

func compressText(text []byte, name string) ([]byte, error) {
	var to bytes.Buffer
	w, err := compressor(&to, name)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(text)
	err = errors.Join(err, w.Close()) // Close writes the rest
	return to.Bytes(), err
}
