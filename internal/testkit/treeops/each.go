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

// EachPart makes a tree for each benchmark of the tree at from, with the files of its submitter and system, and calls
// part with it. Judging these small trees is many times faster than judging the whole. Their files are shared with from
// and must not be changed. They exist until part returns.
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

// linkPart links the files of a benchmark: its results, its system's description, and all files of its submitter that
// do not belong to a system.
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

// ShortLists shortens the lists of samples in logs, which are nine tenths of a tree's size.
func ShortLists() Op {
	return Op{Op: "log-set", Path: "**_detail.txt", Key: "loaded_qsl_set", Value: []byte("[0]"), All: true}
}

// Share returns the value of PLUMBLINE_MUTATIONS: 1 for all mutations, N for one of N. If it is not set, Share returns
// usual in make test-all, and sixteen times usual in make test.
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

// EachMutation makes one of share mutations of the tree at from, chosen by their names, and calls try for each, on all
// cores. A tree must not be changed and exists until try returns. An error of try is an error of the test. EachMutation
// returns the number of mutations.
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
		if err := linkFolder(from, w.dir); err != nil {
			t.Fatal(err)
		}
		wait.Go(func() {
			for m := range next {
				if err := errors.Join(w.apply(m), try(w.dir), w.undo(m)); err != nil {
					t.Errorf("%s: %v", m.Name, err)
				}
			}
			if got, want := listTree(w.dir), listTree(from); !slices.Equal(got, want) {
				t.Errorf("with all mutations undone, the tree has\n%v\nwant\n%v", got, want)
			}
		})
	}
	for m := range Mutations(files) {
		if isChosen(m.Name, share) {
			tried++
			next <- m
		}
	}
	close(next)
	wait.Wait()
	return tried
}

func isChosen(name string, share uint64) bool {
	h := fnv.New64a()
	fmt.Fprint(h, name)
	return h.Sum64()%share == 0
}

// workTree is a tree at dir that shares the files of the tree at from, except those of one mutation. Making it anew for
// each mutation would take longer than judging it.
type workTree struct{ from, dir string }

func (w workTree) apply(m Mutation) error {
	for _, op := range m.Ops() {
		if err := apply(w.dir, op); err != nil {
			return fmt.Errorf("change %s %s%s: %w", op.Op, op.Path, op.From, err)
		}
	}
	return nil
}

// undo restores the paths of a mutation, and removes folders that were created for it.
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
		return errors.Join(os.Mkdir(at, 0o755), linkFolder(from, at))
	}
	return os.Link(from, at)
}

// listTree returns the names in a tree, with the lengths of files.
func listTree(dir string) (all []string) {
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
