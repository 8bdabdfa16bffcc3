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

// systemPackages writes the packages of Debian's and of Red Hat's kind of the folder that the archive is made of, and
// returns their paths. They have no scripts: files alone are installed and removed.
func (d *dist) systemPackages(p platform, dir string) (made []string, err error) {
	n, err := needsOf(dir)
	if err != nil {
		return nil, err
	}
	for _, kind := range []struct {
		packager nfpm.Packager
		describe func(*nfpm.Info, needs)
		finish   func(text []byte, date time.Time) ([]byte, error)
	}{
		{deb.Default, debian, withWindow},
		{rpm.DefaultRPM, redHat, func(text []byte, _ time.Time) ([]byte, error) { return text, nil }},
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

// describe is what both kinds of packages say and have.
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
	for _, folder := range ownFolders(all) { // Red Hat's kind leaves folders that no package names
		info.Contents = append(info.Contents, &files.Content{
			Destination: "/usr/" + folder, Type: files.TypeDir, FileInfo: &files.ContentFileInfo{Mode: 0o755, MTime: d.date},
		})
	}
	return nfpm.WithDefaults(info), nil
}

// ownFolders are the folders called plumbline, and those below them, that files lie in.
func ownFolders(all []packedFile) []string {
	folders := map[string]bool{}
	for _, f := range all {
		for dir := path.Dir(f.to); strings.Contains("/"+dir+"/", "/plumbline/"); dir = path.Dir(dir) {
			folders[dir] = true
		}
	}
	return slices.Sorted(maps.Keys(folders))
}

// debian adds what packages of Debian's kind say: what they depend on by the names of packages.
func debian(info *nfpm.Info, n needs) {
	info.Depends = []string{"libc6 (>= " + n.versions.String("GLIBC") + ")", "libgcc-s1", "libstdc++6"}
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

// redHat adds what packages of Red Hat's kind say: what they depend on by the names of libraries.
func redHat(info *nfpm.Info, n needs) {
	for _, library := range n.libraries {
		info.Depends = append(info.Depends, library+"()(64bit)")
	}
	info.Depends = append(info.Depends, "libc.so.6(GLIBC_"+n.versions.String("GLIBC")+")(64bit)")
	info.Recommends = []string{"ca-certificates"}
	info.RPM.Compression = "zstd:best"
	info.RPM.BuildHost = "localhost" // not this machine's name, so that the bytes are the same on any
	info.RPM.Summary, _, _ = strings.Cut(info.Description, "\n")
}

// withWindow compresses the data of a package of Debian's kind as .tar.zst archives are, with a window that what
// plugins share fits in: nfpm's own takes half as much again.
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
			member, err = compressed(member, h.Name)
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

func compressed(text []byte, name string) ([]byte, error) {
	var to bytes.Buffer
	w, err := compressor(&to, name)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(text)
	err = errors.Join(err, w.Close()) // which writes the rest
	return to.Bytes(), err
}
