package treeops

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/internal/testkit/slow"
)

// EachPart makes a tree of each benchmark of the tree at from, with what its submitter and system have, in folders of
// their own that are there until part returns: they are judged many times quicker than the whole. Their files are
// those of the tree: they are for reading only.
func EachPart(t *testing.T, from string, part func(t *testing.T, root string)) {
	t.Helper()
	found, err := tree.Open(from, "")
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	for _, s := range found.Submitters {
		for _, system := range s.Systems {
			for _, benchmark := range system.Benchmarks {
				t.Run(benchmark.Results(), func(t *testing.T) {
					dir := t.TempDir()
					if err := linkPart(from, dir, benchmark.Place); err != nil {
						t.Fatal(err)
					}
					part(t, dir)
				})
			}
		}
	}
}

// linkPart links what belongs to a benchmark: its results, its system's description, and all of its submitter that is
// of no system.
func linkPart(from, to string, p tree.Place) error {
	submitter, results := p.Folder(), p.Results()
	return fs.WalkDir(os.DirFS(from), submitter, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return nil
		case !strings.HasPrefix(name, results+"/") && strings.HasPrefix(name, submitter+"/results/"):
			return nil
		case path.Dir(name) == submitter+"/systems" && !strings.HasPrefix(path.Base(name), p.System):
			return nil
		}
		at := filepath.Join(to, filepath.FromSlash(name))
		return errors.Join(os.MkdirAll(filepath.Dir(at), 0o755),
			os.Link(filepath.Join(from, filepath.FromSlash(name)), at))
	})
}

// ShortLists makes trees small by their logs' lists of samples, which are nine tenths of them.
func ShortLists() Op {
	return Op{Op: "log-set", Path: "**_detail.txt", Key: "loaded_qsl_set", Value: []byte("[0]"), All: true}
}

// Share is what PLUMBLINE_MUTATIONS says, 1 for all mutations and N for one of N, or else usual in make test-all and
// one of sixteen times as many in make test.
func Share(t *testing.T, usual uint64) uint64 {
	t.Helper()
	text := os.Getenv("PLUMBLINE_MUTATIONS")
	if text == "" && slow.All() {
		return usual
	}
	if text == "" {
		return 16 * usual
	}
	share, err := strconv.ParseUint(text, 10, 64)
	if err != nil || share == 0 {
		t.Fatalf("PLUMBLINE_MUTATIONS is %q, want 1 for all mutations, or N for one of N", text)
	}
	return share
}

// EachMutation makes one of share mutations of the tree at from, chosen by their names, and tries them on all cores:
// each tree is there until try returns, and for reading only. What try returns is told as the test's error. It returns
// how many were tried.
func EachMutation(t *testing.T, from string, share uint64, try func(root string) error) (tried int) {
	t.Helper()
	files := map[string][]byte{}
	err := fs.WalkDir(os.DirFS(from), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[name], err = os.ReadFile(filepath.Join(from, filepath.FromSlash(name)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	next := make(chan Mutation)
	for range runtime.GOMAXPROCS(0) {
		w := workTree{from, t.TempDir()}
		if err := link(from, w.dir); err != nil {
			t.Fatal(err)
		}
		wait.Go(func() {
			for m := range next {
				if err := errors.Join(w.apply(m), try(w.dir), w.undo(m)); err != nil {
					t.Errorf("%s: %v", m.Name, err)
				}
			}
			if got, want := listed(w.dir), listed(from); !slices.Equal(got, want) {
				t.Errorf("with all mutations undone, the tree has\n%v\nwant\n%v", got, want)
			}
		})
	}
	for m := range Mutations(files) {
		if chosen(m.Name, share) {
			tried++
			next <- m
		}
	}
	close(next)
	wait.Wait()
	return tried
}

func chosen(name string, share uint64) bool {
	h := fnv.New64a()
	fmt.Fprint(h, name)
	return h.Sum64()%share == 0
}

// workTree is a tree at dir whose files are those of the one at from, but for one mutation: making it anew each time
// would take longer than to judge it.
type workTree struct{ from, dir string }

func (w workTree) apply(m Mutation) error {
	for _, op := range m.Ops() {
		if err := apply(w.dir, op); err != nil {
			return fmt.Errorf("change %s %s%s: %w", op.Op, op.Path, op.From, err)
		}
	}
	return nil
}

// undo puts back what is at the paths of a mutation, and removes folders that were made for it.
func (w workTree) undo(m Mutation) error {
	for _, op := range m.Ops() {
		for _, name := range []string{op.Path, op.From, op.To} {
			if name == "" {
				continue
			}
			for w.isNew(path.Dir(name)) {
				name = path.Dir(name)
			}
			if err := w.restore(filepath.FromSlash(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w workTree) isNew(name string) bool {
	_, err := os.Lstat(filepath.Join(w.from, filepath.FromSlash(name)))
	return err != nil
}

func (w workTree) restore(name string) error {
	from, at := filepath.Join(w.from, name), filepath.Join(w.dir, name)
	if err := os.RemoveAll(at); err != nil {
		return err
	}
	switch info, err := os.Lstat(from); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return errors.Join(os.Mkdir(at, 0o755), link(from, at))
	}
	return os.Link(from, at)
}

// listed are the names in a tree, with the lengths of files.
func listed(dir string) (all []string) {
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && !d.IsDir() {
			name = fmt.Sprintf("%s, %d bytes", name, info.Size())
		}
		all = append(all, name)
		return err
	})
	return append(all, fmt.Sprint(err))
}
