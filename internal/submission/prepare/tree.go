package prepare

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/treefiles"
	"github.com/plumbline-ml/plumbline/internal/submission/repository"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// Options selects the parts of a tree to prepare, and the rules.
type Options struct {
	Round     string // "v6.1"; empty: the newest
	Submitter string // copy only this submitter's folders to the new tree; empty: all
}

// CompleteTree writes a completed copy of the tree at root to the new folder out, completely or not at all, even if ctx
// ends. It returns the executed plan. It rejects trees with links, devices or unreadable folders.
func CompleteTree(ctx context.Context, root, out string, o Options) (Plan, error) {
	rules, err := mlconf.Round(o.Round)
	if err != nil {
		return Plan{}, err
	}
	t, err := tree.Open(root, o.Round)
	if err != nil {
		return Plan{}, err
	}
	defer t.Close()
	submitters, err := t.ChooseSubmitters(o.Submitter)
	if err != nil {
		return Plan{}, err
	}
	plan, err := ReadPlan(t, rules, o.Submitter)
	if err = errors.Join(err, errUncopyable(t), requireApart(root, out)); err != nil {
		return Plan{}, err
	}
	return plan, writeTree(ctx, t, submitters, plan, out)
}

// errUncopyable returns an error that lists the entries that cannot be copied.
func errUncopyable(t *tree.Tree) error {
	var faults []error
	for _, f := range repository.FindAllFaults(t) {
		if f.Kind == repository.Link || f.Kind == repository.Special {
			faults = append(faults, f)
		}
	}
	return errors.Join(faults...)
}

// requireApart returns an error if the new tree would be inside the old one.
func requireApart(root, out string) error {
	if _, err := os.Lstat(out); err == nil {
		return fmt.Errorf("%s is there already: want a new folder", out)
	}
	ok, err := treefiles.IsOutside(root, out)
	if err == nil && !ok {
		err = fmt.Errorf("%s is in the tree %s: want a folder outside", out, root)
	}
	return err
}

// writeTree copies the submitters' folders to a temporary folder next to out, executes the steps there, and renames it
// to out.
func writeTree(ctx context.Context, t *tree.Tree, submitters []tree.Submitter, plan Plan, out string) (err error) {
	draft := filepath.Clean(out) + "." + rand.Text() + ".tmp"
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(draft))
		}
	}()
	for _, s := range submitters {
		to := filepath.Join(draft, filepath.FromSlash(s.Folder()))
		if err := treefiles.CopyFolder(ctx, t.OSPath(s.Folder()), to); err != nil {
			return err
		}
	}
	if err := plan.Execute(ctx, draft); err != nil {
		return err
	}
	return os.Rename(draft, out)
}
