package serve

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// modelSum contains the checksum of a model and, if it has several files, those of its files.
type modelSum struct {
	SHA256 string
	Size   int64
	files  []sdk.FileSum
}

// maxListedFiles is the maximum number of a model's files in a report.
const maxListedFiles = 256

// checksumModel returns the SHA-256 and the size in bytes of a model: of its bytes, of its file, or over all files if
// the model is a folder or a pair of files.
func checksumModel(m backend.Model) (modelSum, error) {
	if m.Path == "" {
		sum := sha256.Sum256(m.Bytes)
		return modelSum{SHA256: hex.EncodeToString(sum[:]), Size: int64(len(m.Bytes))}, nil
	}
	info, err := os.Stat(m.Path)
	switch {
	case err != nil:
		return modelSum{}, err
	case info.IsDir():
		files, err := filesOf(m.Path)
		if err != nil {
			return modelSum{}, err
		}
		return checksumFiles(os.DirFS(m.Path), files)
	case !info.Mode().IsRegular():
		return modelSum{}, nil // a backend may accept an address
	}
	dir, name := filepath.Split(m.Path)
	root := os.DirFS(filepath.Clean(dir + "."))
	if files := append([]string{name}, companionFiles(dir, name)...); len(files) > 1 {
		return checksumFiles(root, files)
	}
	sum, size, err := fileSum(root, name)
	return modelSum{SHA256: sum, Size: size}, err
}

// companionFiles returns the second file of formats with two files: the weights next to OpenVINO's .xml and ncnn's
// .param.
func companionFiles(dir, name string) []string {
	stem, ext := strings.TrimSuffix(name, filepath.Ext(name)), strings.ToLower(filepath.Ext(name))
	if ext != ".xml" && ext != ".param" {
		return nil
	}
	if info, err := os.Stat(filepath.Join(dir, stem+".bin")); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return []string{stem + ".bin"}
}

// maxModelFiles is the maximum number of files in a model's folder.
const maxModelFiles = 100_000

// filesOf lists the files below a model's folder, with slashes between names. It treats links to files as files.
func filesOf(dir string) ([]string, error) {
	var files []string
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := fs.Stat(root, name)
		switch {
		case err != nil:
			return err
		case !info.Mode().IsRegular():
			return fmt.Errorf("%s is a %v, want files alone in a model's folder", name, info.Mode().Type())
		case len(files) == maxModelFiles:
			return fmt.Errorf("the folder has more than %d files: name that of one model", maxModelFiles)
		}
		files = append(files, name)
		return nil
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: the folder has no file", dir)
	}
	return files, err
}

// checksumFiles returns the checksum over files.
func checksumFiles(root fs.FS, files []string) (modelSum, error) {
	slices.Sort(files)
	sums := make([]sdk.FileSum, len(files))
	for i, name := range files {
		sum, size, err := fileSum(root, name)
		if err != nil {
			return modelSum{}, err
		}
		sums[i] = sdk.FileSum{Name: name, SHA256: sum, Size: size}
	}
	var all modelSum
	all.SHA256, all.Size = combineSums(sums)
	if len(sums) <= maxListedFiles {
		all.files = sums
	}
	return all, nil
}

// combineSums returns the SHA-256 over the lines "SHA256 SIZE NAME" of files, and the sum of their sizes.
func combineSums(files []sdk.FileSum) (sum string, size int64) {
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%s %d %q\n", f.SHA256, f.Size, f.Name)
		size += f.Size
	}
	return hex.EncodeToString(h.Sum(nil)), size
}

func fileSum(root fs.FS, name string) (sum string, size int64, err error) {
	f, err := root.Open(name)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = f.Close() }() // opened only for reading
	h := sha256.New()
	size, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), size, err
}
