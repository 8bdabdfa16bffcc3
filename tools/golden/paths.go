package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"regexp"
)

// machinePath matches paths that exist only on the machine on which a case was made.
var machinePath = regexp.MustCompile(`/(?:work|root|home|tmp|Users)/`)

// findPaths returns an error if a file, or a file within it if it is an archive, contains a path of a machine.
func findPaths(name string, data []byte) error {
	var faults []error
	look := func(within string, data []byte) error {
		if at := machinePath.FindIndex(data); at != nil {
			around := data[max(0, at[0]-20):min(len(data), at[1]+40)]
			faults = append(faults, fmt.Errorf("%s has the path of a machine: %q", within, around))
		}
		return nil
	}
	if err := walk(name, data, look); err != nil {
		return err
	}
	return errors.Join(faults...)
}

// walk calls visit for a file and for the files in it (gzip, zip and tar). If an archive is damaged on purpose, visit
// sees only its bytes.
func walk(name string, data []byte, visit func(name string, data []byte) error) error {
	if err := visit(name, data); err != nil {
		return err
	}
	if plain, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
		if within, err := io.ReadAll(plain); err == nil {
			return walk(name+"!", within, visit)
		}
	}
	if files, err := zip.NewReader(bytes.NewReader(data), int64(len(data))); err == nil {
		return walkZip(name, files, visit)
	}
	return walkTar(name, data, visit)
}

func walkZip(name string, files *zip.Reader, visit func(name string, data []byte) error) error {
	for _, file := range files.File {
		opened, err := file.Open()
		if err != nil {
			continue
		}
		within, err := io.ReadAll(opened)
		if err != nil {
			continue
		}
		if err := walk(name+"!"+file.Name, within, visit); err != nil {
			return err
		}
	}
	return nil
}

func walkTar(name string, data []byte, visit func(name string, data []byte) error) error {
	for files := tar.NewReader(bytes.NewReader(data)); ; {
		file, err := files.Next()
		if err != nil {
			return nil // the end, or not an archive
		}
		within, err := io.ReadAll(files)
		if err != nil {
			return nil
		}
		if err := visit(name+"!"+file.Name, []byte(file.Name+file.Linkname+file.Uname+file.Gname)); err != nil {
			return err
		}
		if err := walk(name+"!"+file.Name, within, visit); err != nil {
			return err
		}
	}
}
