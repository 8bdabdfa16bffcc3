package main

import (
	"archive/tar"
	"debug/elf"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// writeRoot writes the files that an empty container or a chroot needs in addition to the archive: the loader, the
// libraries of the C and C++ compilers that the plugins need, their copyright notes if the system has them, and the
// usual folders of Linux. /opt/plumbline is a link to the folder of the archive. It returns the file's path.
func (d *dist) writeRoot(p platform, name, dir string) (path string, err error) {
	libraries, err := p.libraries(dir)
	if err != nil {
		return "", err
	}
	path = filepath.Join(d.out, name+"-root.tar.gz")
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z, err := compressor(f, path)
	if err != nil {
		return "", err
	}
	t := tar.NewWriter(z)
	entries := rootFolders(name)
	for _, file := range libraries {
		entries = append(entries, rootEntry{name: "usr/lib/" + filepath.Base(file), from: file, mode: 0o755})
	}
	notes, err := copyrights()
	for _, e := range slices.Concat(entries, notes) {
		if err == nil {
			err = d.addEntry(t, e)
		}
	}
	return path, errors.Join(err, t.Close(), z.Close())
}

// rootEntry is a file, folder (its name ends in "/") or link of the root.
type rootEntry struct {
	name, link string
	from       string // path of the file's content; empty: text
	text       string
	mode       int64
}

// rootFolders returns the folders that programs expect, and the library folders that a loader searches, which are links
// to one folder.
func rootFolders(archive string) []rootEntry {
	return []rootEntry{
		{name: "dev/", mode: 0o755}, {name: "etc/", mode: 0o755},
		{name: "etc/passwd", text: "root:x:0:0:root:/root:/\n", mode: 0o644}, {name: "opt/", mode: 0o755},
		{name: "opt/plumbline", link: archive}, {name: "proc/", mode: 0o755}, {name: "root/", mode: 0o700},
		{name: "sys/", mode: 0o755}, {name: "tmp/", mode: 0o1777}, {name: "usr/", mode: 0o755},
		{name: "usr/lib/", mode: 0o755}, {name: "lib", link: "usr/lib"}, {name: "lib64", link: "usr/lib"},
		{name: "usr/lib64", link: "lib"}, {name: "usr/share/", mode: 0o755}, {name: "usr/share/doc/", mode: 0o755},
		{name: "work/", mode: 0o755},
	}
}

// addEntry adds an entry to the archive.
func (d *dist) addEntry(t *tar.Writer, e rootEntry) error {
	h := tar.Header{Typeflag: tar.TypeReg, Name: e.name, Mode: e.mode, ModTime: d.date}
	text := []byte(e.text)
	switch {
	case strings.HasSuffix(e.name, "/"):
		h.Typeflag = tar.TypeDir
	case e.link != "":
		h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, e.link, 0o777
	case e.from != "":
		var err error
		if text, err = os.ReadFile(e.from); err != nil {
			return err
		}
	}
	h.Size = int64(len(text))
	if err := t.WriteHeader(&h); err != nil {
		return err
	}
	_, err := t.Write(text)
	return err
}

// libraries finds the shared libraries that the programs of a folder need, directly or through other libraries, with
// the C compiler of the platform.
func (p platform) libraries(dir string) ([]string, error) {
	n, err := needsOf(dir)
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for wanted := n.libraries; len(wanted) > 0; {
		name := wanted[0]
		wanted = wanted[1:]
		if found[name] != "" {
			continue
		}
		text, err := exec.Command(p.compiler, "-print-file-name="+name).Output()
		if err != nil {
			return nil, fmt.Errorf("%s -print-file-name=%s: %w", p.compiler, name, err)
		}
		path := strings.TrimSpace(string(text))
		if path == name { // the compiler prints the name if it does not find the library
			return nil, fmt.Errorf("%s does not know where %s is, which the plugins need", p.compiler, name)
		}
		f, err := elf.Open(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		more, err := f.ImportedLibraries()
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		found[name] = path
		wanted = append(wanted, more...)
	}
	return slices.SortedFunc(maps.Values(found), func(a, b string) int {
		return strings.Compare(filepath.Base(a), filepath.Base(b))
	}), nil
}

// copyrights returns the copyright notes of the Debian packages that contain the libraries; empty on other systems.
func copyrights() ([]rootEntry, error) {
	var entries []rootEntry
	for _, pkg := range []string{"libc6", "libgcc-s1", "libstdc++6"} {
		path := filepath.Join("/usr/share/doc", pkg, "copyright")
		if real, err := filepath.EvalSymlinks(path); err == nil {
			entries = append(entries, rootEntry{name: "usr/share/doc/" + pkg + "/", mode: 0o755},
				rootEntry{name: strings.TrimPrefix(path, "/"), from: real, mode: 0o644})
		} else if !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	return entries, nil
}
