package assemble

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/internal/fetch/filelock"
	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/internal/lists"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/internal/submission/truncate"
)

// Written is what became of a plan.
type Written struct {
	Out      string
	Listing  string // path of the list of all files with their origins
	Files    int
	Logs     []truncate.Outcome // the accuracy logs, with paths in the tree
	Replaced bool               // a tree that was there is gone
}

// ErrExists says that the tree is there already.
var ErrExists = errors.New("it exists already")

// Write makes the tree at out: beside it first, and then whole under its name. force replaces a tree that is there; a
// folder that is no tree of a submission is never replaced. Whole accuracy logs are kept in the workspace, and read
// again there. Of two that build one tree, or of one workspace, the second waits.
func (p *Plan) Write(ctx context.Context, out string, force bool) (*Written, error) {
	out = filepath.Clean(out)
	if err := p.writable(out, force); err != nil {
		return nil, err
	}
	release, err := p.workspace.hold(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	free, err := filelock.Hold(ctx, beside(out, "lock")) // of another workspace's build
	if err != nil {
		return nil, fmt.Errorf("the tree %s: %w", out, err)
	}
	defer free()
	if err := p.writable(out, force); err != nil { // as it is now
		return nil, err
	}
	making := beside(out, "building")
	w := &Written{Out: out, Listing: out + ".files.json", Files: len(p.Files)}
	err = os.RemoveAll(making) // of a build that was killed
	if err == nil {
		err = p.fill(ctx, making, w)
	}
	if err == nil {
		err = p.list(ctx, making, w)
	}
	if err == nil {
		w.Replaced, err = rename(making, out, force)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(making))
	}
	return w, nil
}

// beside is a hidden name next to a folder's.
func beside(out, what string) string {
	return filepath.Join(filepath.Dir(out), "."+filepath.Base(out)+"."+what)
}

// writable wants nothing in the place of the tree, or with force a tree; and the workspace to lie elsewhere.
func (p *Plan) writable(out string, force bool) error {
	if within(out, p.workspace.Dir) || within(filepath.Join(p.workspace.Dir, OriginalsDir), out) {
		return fmt.Errorf("%s: the workspace %s would be part of the tree, or be replaced by it; choose another --out", out,
			p.workspace.Dir)
	}
	entries, err := os.ReadDir(out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return wholefile.Possible(filepath.Dir(out))
	case err != nil:
		return err
	case !force:
		return fmt.Errorf("%s: %w; choose another --out, or replace it with --force", out, ErrExists)
	}
	for _, e := range entries {
		if !slices.Contains(tree.Divisions(), e.Name()) {
			return fmt.Errorf("%s: %s is in it, which is no part of a submission's tree: it is not replaced; choose another "+
				"--out", out, e.Name())
		}
	}
	return nil
}

// within says whether path is folder or lies in it.
func within(folder, path string) bool {
	a, err1 := filepath.Abs(folder)
	b, err2 := filepath.Abs(path)
	rel, err3 := filepath.Rel(a, b)
	return err1 == nil && err2 == nil && err3 == nil && filepath.IsLocal(rel)
}

// fill writes all files below root, truncates the accuracy logs, and reads the originals again.
func (p *Plan) fill(ctx context.Context, root string, w *Written) error {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	for _, f := range p.Files {
		if err := f.write(ctx, root); err != nil {
			return err
		}
	}
	keep := filepath.Join(p.workspace.Dir, OriginalsDir)
	logs, err := truncate.Tree(ctx, root, truncate.Options{Keep: keep})
	if err != nil {
		return err
	}
	if err := checkOriginals(ctx, keep, logs); err != nil {
		return err
	}
	for _, log := range logs {
		if log.Log, err = filepath.Rel(root, log.Log); err != nil {
			return err
		}
		w.Logs = append(w.Logs, log)
	}
	return nil
}

// checkOriginals reads the whole logs that were put aside.
func checkOriginals(ctx context.Context, keep string, logs []truncate.Outcome) error {
	store, err := truncate.OpenStore(ctx, keep)
	if err != nil {
		return err
	}
	defer store.Close()
	var faults []error
	seen := map[string]bool{}
	for _, log := range logs {
		if log.Kept != "" && !seen[log.Hash] {
			seen[log.Hash] = true
			faults = append(faults, store.Check(ctx, log.Hash))
		}
	}
	return errors.Join(faults...)
}

// write makes one file of the tree.
func (f File) write(ctx context.Context, root string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	path := filepath.Join(root, filepath.FromSlash(f.Path))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if f.From == "" {
		return os.WriteFile(path, f.Text, 0o644)
	}
	from, err := bounded.Open(f.From)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }() // opened for reading
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, bounded.Until(ctx, from))
	return errors.Join(err, to.Close())
}

// rename gives the tree its name. One that was there goes once the new one has it.
func rename(making, out string, force bool) (replaced bool, err error) {
	old := beside(out, "replaced")
	if err := os.RemoveAll(old); err != nil {
		return false, err
	}
	if force {
		err := os.Rename(out, old)
		if replaced = err == nil; err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	if err := os.Rename(making, out); err != nil {
		if replaced {
			err = errors.Join(err, os.Rename(old, out))
		}
		return false, err
	}
	return replaced, os.RemoveAll(old)
}

// listing is the form of the list of a tree's files, which lies beside the tree.
type listing struct {
	Schema        string       `json:"schema"`
	SchemaVersion int          `json:"schema_version"`
	Rules         string       `json:"rules"`
	Workspace     string       `json:"workspace"`
	Files         []listedFile `json:"files"`
	Derived       []Derived    `json:"derived"`
	Missing       []string     `json:"missing"`
	Unfilled      []string     `json:"unfilled"`
}

type listedFile struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	Origin string `json:"origin"`
	// Original is where the whole of a truncated log is kept.
	Original string `json:"original,omitempty"`
}

// list writes the list of the tree's files.
func (p *Plan) list(ctx context.Context, root string, w *Written) error {
	l := listing{
		Schema: "plumbline.submission-files", SchemaVersion: 1, Rules: p.Layout.Round, Workspace: p.workspace.Dir,
		Files: []listedFile{}, Derived: append([]Derived{}, p.Derived...), Missing: append([]string{}, p.Missing...),
		Unfilled: []string{},
	}
	l.Unfilled = append(l.Unfilled, lists.Map(p.Open, func(u Unfilled) string { return u.String() })...)
	files, err := p.listed(ctx, root, w)
	if err != nil {
		return err
	}
	l.Files, w.Files = files, len(files)
	text, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return err
	}
	return wholefile.Write(w.Listing, append(text, '\n'), 0o644)
}

// listed are the files that the tree has now, sorted by path.
func (p *Plan) listed(ctx context.Context, root string, w *Written) ([]listedFile, error) {
	origins, kept := map[string]string{}, map[string]string{}
	for _, f := range p.Files {
		origins[f.Path] = f.Origin
	}
	for _, log := range w.Logs {
		kept[filepath.ToSlash(log.Log)] = log.Kept
	}
	files := []listedFile{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		within, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		f := listedFile{Path: filepath.ToSlash(within), Origin: "the hash of the log beside it"}
		if origin, planned := origins[f.Path]; planned {
			f.Origin = origin
		}
		f.Original = kept[f.Path]
		f.SHA256, f.Size, err = sumOf(ctx, name)
		files = append(files, f)
		return err
	})
	return files, err
}

// sumOf is the sha256 of a file, and its size.
func sumOf(ctx context.Context, name string) (sum string, size int64, err error) {
	f, err := os.Open(name)
	if err != nil {
		return "", 0, err
	}
	sum, size, err = checksum.Contents(bounded.Until(ctx, f))
	return sum, size, errors.Join(err, f.Close())
}
