package treeops

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// archives contains the unpacked archives of the process, so that a test of hundreds of cases unpacks each archive
// once.
var archives sync.Map // path to func() (map[string][]byte, error)

// WriteBase writes the reference tree "edge" or "datacenter" to a new folder. The test may change it.
func WriteBase(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	for path, content := range unpacked(t, "submission/base/"+name+".tar.gz") {
		put(t, filepath.Join(dir, path), content)
	}
	return dir
}

// BaseTrees are reference trees from which many trees are made quickly, with shared files.
type BaseTrees struct{ dir string }

// NewBaseTrees unpacks the reference trees for the duration of the test.
func NewBaseTrees(t *testing.T) *BaseTrees {
	t.Helper()
	b := &BaseTrees{t.TempDir()}
	for _, name := range []string{"edge", "datacenter"} {
		for path, content := range unpacked(t, "submission/base/"+name+".tar.gz") {
			put(t, filepath.Join(b.dir, name, path), content)
		}
	}
	return b
}

// Tree makes a tree from the named reference tree and changes. The test must not write to it, because all trees of
// these BaseTrees share their unchanged files.
func (b *BaseTrees) Tree(t *testing.T, name string, ops []Op) string {
	t.Helper()
	dir := t.TempDir()
	if err := linkFolder(filepath.Join(b.dir, name), dir); err != nil {
		t.Fatal(err)
	}
	Apply(t, dir, ops)
	return dir
}

// linkFolder creates the folders of from in to, with links to its files.
func linkFolder(from, to string) error {
	list, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, d := range list {
		a, b := filepath.Join(from, d.Name()), filepath.Join(to, d.Name())
		if d.IsDir() {
			err = errors.Join(os.Mkdir(b, 0o755), linkFolder(a, b))
		} else {
			err = os.Link(a, b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// WriteLogs writes logs of the audits' runs to a folder. inputs maps the path of each in the folder to its name in the
// archive.
func WriteLogs(t *testing.T, dir string, inputs map[string]string) {
	t.Helper()
	logs := unpacked(t, "audits/logs.tar.gz")
	for path, name := range inputs {
		content, ok := logs[name]
		if !ok {
			t.Fatalf("no %s in the archive of logs", name)
		}
		put(t, filepath.Join(dir, path), content)
	}
}

func put(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := writeFile(path, content); err != nil {
		t.Fatal(err)
	}
}

// unpacked returns the files of an archive of the golden cases. The caller must not change them.
func unpacked(t *testing.T, name string) map[string][]byte {
	t.Helper()
	path := filepath.Join(golden.Root(t), filepath.FromSlash(name))
	once, _ := archives.LoadOrStore(path, sync.OnceValues(func() (map[string][]byte, error) { return unpack(path) }))
	files, err := once.(func() (map[string][]byte, error))()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func unpack(path string) (map[string][]byte, error) {
	packed, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	files := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if files[filepath.Clean(h.Name)], err = io.ReadAll(r); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, h.Name, err)
		}
	}
}
