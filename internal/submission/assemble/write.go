package assemble

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/wholetree"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/internal/submission/truncate"
)

// Written is the result of writing a plan.
type Written struct {
	Out      string
	Listing  string // path of the list of all files with their origins
	Files    int
	Logs     []truncate.Outcome // truncated accuracy logs, with paths in the tree
	Replaced bool               // an earlier tree was removed
}

// ErrExists reports that the tree exists already.
var ErrExists = wholetree.ErrExists

// Write writes the tree to out, completely or not at all. It writes to a temporary folder first. force replaces an
// existing tree, but never a folder that is not a submission's tree. Complete accuracy logs are kept in the workspace
// and verified there. Concurrent writes of one tree, or from one workspace, wait for each other.
func (p *Plan) Write(ctx context.Context, out string, force bool) (*Written, error) {
	out = filepath.Clean(out)
	if isWithin(out, p.workspace.Dir) || isWithin(filepath.Join(p.workspace.Dir, OriginalsDir), out) {
		return nil, fmt.Errorf("%s: the workspace %s would be part of the tree, or be replaced by it; choose another --out",
			out, p.workspace.Dir)
	}
	w := &Written{Out: out, Listing: out + ".files.json", Files: len(p.Files)}
	t := wholetree.Tree{Out: out, Force: force, IsPart: isDivision, Fill: func(root string) error {
		if err := p.fillTree(ctx, root, w); err != nil {
			return err
		}
		return p.writeListing(ctx, root, w)
	}}
	if err := t.CheckPossible(); err != nil {
		return nil, err
	}
	release, err := p.workspace.lockWorkspace(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	if w.Replaced, err = t.Write(ctx); err != nil {
		return nil, err
	}
	return w, nil
}

func isDivision(name string) bool { return slices.Contains(tree.Divisions(), name) }

// isWithin reports whether path is folder or is inside it.
func isWithin(folder, path string) bool {
	a, err1 := filepath.Abs(folder)
	b, err2 := filepath.Abs(path)
	rel, err3 := filepath.Rel(a, b)
	return err1 == nil && err2 == nil && err3 == nil && filepath.IsLocal(rel)
}

// fillTree writes all files below root, truncates the accuracy logs and verifies the kept originals.
func (p *Plan) fillTree(ctx context.Context, root string, w *Written) error {
	for _, f := range p.Files {
		if err := f.Write(ctx, root); err != nil {
			return err
		}
	}
	keep := filepath.Join(p.workspace.Dir, OriginalsDir)
	logs, err := truncate.TruncateTree(ctx, root, truncate.Options{StoreFolder: keep})
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

// checkOriginals reads the kept complete logs and compares their checksums.
func checkOriginals(ctx context.Context, keep string, logs []truncate.Outcome) error {
	store, err := truncate.OpenStore(ctx, keep)
	if err != nil {
		return err
	}
	defer store.Close()
	var faults []error
	seen := map[string]bool{}
	for _, log := range logs {
		if log.Original != "" && !seen[log.Hash] {
			seen[log.Hash] = true
			faults = append(faults, store.Check(ctx, log.Hash))
		}
	}
	return errors.Join(faults...)
}

// fileListing is the content of the file that lists a tree's files.
type fileListing struct {
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
	// Original is the path of the complete version of a truncated log.
	Original string `json:"original,omitempty"`
}

// writeListing writes the list of the tree's files.
func (p *Plan) writeListing(ctx context.Context, root string, w *Written) error {
	l := fileListing{
		Schema: "plumbline.submission-files", SchemaVersion: 1, Rules: p.Layout.Round, Workspace: p.workspace.Dir,
		Files: []listedFile{}, Derived: append([]Derived{}, p.Derived...), Missing: append([]string{}, p.Missing...),
		Unfilled: []string{},
	}
	for _, u := range p.OpenFields {
		l.Unfilled = append(l.Unfilled, u.String())
	}
	files, err := p.listFiles(ctx, root, w)
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

// listFiles returns the files of the tree with their final contents, sorted by path.
func (p *Plan) listFiles(ctx context.Context, root string, w *Written) ([]listedFile, error) {
	origins, kept := map[string]string{}, map[string]string{}
	for _, f := range p.Files {
		origins[f.Path] = f.Origin
	}
	for _, log := range w.Logs {
		kept[filepath.ToSlash(log.Log)] = log.Original
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
		f.SHA256, f.Size, err = fileSum(ctx, name)
		files = append(files, f)
		return err
	})
	return files, err
}

// fileSum returns the SHA-256 and the size of a file.
func fileSum(ctx context.Context, name string) (sum string, size int64, err error) {
	f, err := os.Open(name)
	if err != nil {
		return "", 0, err
	}
	sum, size, err = checksum.Contents(bounded.NewContextReader(ctx, f))
	return sum, size, errors.Join(err, f.Close())
}
