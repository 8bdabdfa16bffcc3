package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
)

// omitted contains patterns (path.Match) of files that are not packed, for the whole path or its last element.
// README.md states the reasons.
var omitted = []string{"found5", "README*.md", "*.py"}

// listFiles returns the names of the files to pack, sorted. Links and other special files are an error.
func listFiles(cases fs.FS) (names []string, err error) {
	err = fs.WalkDir(cases, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case isOmitted(name) && d.IsDir():
			return fs.SkipDir
		case isOmitted(name) || d.IsDir():
			return nil
		case !d.Type().IsRegular():
			return fmt.Errorf("%s is neither a file nor a folder: only those are packed", name)
		}
		names = append(names, name)
		return nil
	})
	if err == nil && len(names) == 0 {
		err = errors.New("the folder has no files to pack")
	}
	slices.Sort(names) // by the whole path
	return names, err
}

func isOmitted(name string) bool {
	for _, pattern := range omitted {
		whole, _ := path.Match(pattern, name) // the patterns are well-formed
		last, _ := path.Match(pattern, path.Base(name))
		if whole || last {
			return true
		}
	}
	return false
}

// pack writes files as a gzipped tar archive without times, owners and permissions of this machine. If files contain
// paths of a machine, the error names all of them.
func pack(to io.Writer, cases fs.FS, names []string) error {
	packed, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(packed)
	var faults []error
	for _, name := range names {
		data, err := fs.ReadFile(cases, name)
		if err != nil {
			return err
		}
		faults = append(faults, findPaths(name, data))
		header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(data)), Mode: 0o644}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(data); err != nil {
			return err
		}
	}
	return errors.Join(append(faults, archive.Close(), packed.Close())...)
}
