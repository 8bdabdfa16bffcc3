package golden

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// This file is the same in loadgen/internal/testkit/golden and in the package for all other modules, because LoadGen
// requires no module. A test in tools/ compares the two files.

// errAlone states that a module is tested outside of the workspace, which contains the packed cases.
var errAlone = errors.New("no go.work in a folder above: the cases lie in the workspace (or PLUMBLINE_GOLDEN names a " +
	"folder with them)")

// findCases returns the folder of the full set of cases: the one in PLUMBLINE_GOLDEN, or ../shared/golden next to the
// folder with go.work, or the packed cases, tools/golden/cases.tar.gz, unpacked below bin/golden/. Without a workspace
// it returns errAlone.
func findCases() (string, error) {
	if named := os.Getenv("PLUMBLINE_GOLDEN"); named != "" {
		if _, err := os.Stat(named); err != nil {
			return "", fmt.Errorf("PLUMBLINE_GOLDEN names no folder of cases: %w", err)
		}
		return named, nil
	}
	top, err := workspaceDir()
	if err != nil {
		return "", err
	}
	beside := filepath.Join(top, "..", "shared", "golden")
	if _, err := os.Stat(beside); err == nil {
		return beside, nil
	}
	return unpackedCases()
}

// workspaceDir returns the folder of go.work above the test.
func workspaceDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errAlone
		}
	}
}

// unpackedCases returns the folder of the workspace's unpacked cases. It searches once per process.
var unpackedCases = sync.OnceValues(func() (string, error) {
	top, err := workspaceDir()
	if err != nil {
		return "", err
	}
	dir, err := unpackArchive(filepath.Join(top, "tools", "golden", "cases.tar.gz"), filepath.Join(top, "bin", "golden"))
	if err != nil {
		return "", fmt.Errorf("unpack the golden cases (PLUMBLINE_GOLDEN may name a folder with them): %w", err)
	}
	return dir, nil
})

// unpackArchive unpacks an archive into a folder below store, named after the archive's checksum, unless the folder
// exists. Several processes may do this at the same time: each fills its own folder, and the first one to finish
// renames it.
func unpackArchive(archive, store string) (string, error) {
	packed, err := os.ReadFile(archive)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(packed)
	dir := filepath.Join(store, hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(store, 0o755); err != nil {
		return "", err
	}
	fresh, err := os.MkdirTemp(store, "part-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(fresh)
	if err := errors.Join(os.Chmod(fresh, 0o755), extractFiles(packed, fresh)); err != nil {
		return "", fmt.Errorf("%s: %w", archive, err)
	}
	if err := os.Rename(fresh, dir); err != nil {
		if _, missing := os.Stat(dir); missing != nil {
			return "", err
		}
	}
	return dir, nil
}

// extractFiles writes the files of an archive into a folder.
func extractFiles(packed []byte, dir string) error {
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	for files := tar.NewReader(plain); ; {
		file, err := files.Next()
		if errors.Is(err, io.EOF) {
			_, err := io.Copy(io.Discard, plain) // the archive is read to its checksum
			return err
		}
		if err != nil {
			return err
		}
		if file.Typeflag != tar.TypeReg || !filepath.IsLocal(file.Name) {
			return fmt.Errorf("%q is not a file within the folder", file.Name)
		}
		if err := writeFile(filepath.Join(dir, filepath.FromSlash(file.Name)), files); err != nil {
			return err
		}
	}
}

func writeFile(path string, from io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(0o644))
	if err != nil {
		return err
	}
	_, err = io.Copy(file, from)
	return errors.Join(err, file.Close())
}
