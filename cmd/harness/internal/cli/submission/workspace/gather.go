package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/runs"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/internal/submission/assemble"
)

// gatherRuns adds the runs to the workspace, builds the tree and checks it. Without a workspace, or if some runs are
// not good, it prints advice. It ignores a rejection of marked runs by the check.
func (a *app) gatherRuns(ctx context.Context, r *runFlags, good bool) error {
	_, err := os.Stat(filepath.Join(r.Goal.Workspace, assemble.WorkspaceFile))
	switch {
	case err != nil:
		fmt.Fprintf(a.Stdout, "\nthe runs are in %s; next: harness submission init, add %s, build, check\n", r.Output.Dir,
			r.Output.Dir)
		return nil
	case !good && !r.rehearsal:
		fmt.Fprintf(a.Stdout, "\nthe runs are in %s; not all are good: no tree is built of them\n", r.Output.Dir)
		return nil
	}
	if err := a.addRuns(ctx, r); err != nil && !good {
		fmt.Fprintf(a.Stdout, "\nthe runs are in %s; no tree is built, since not all are good: %v\n", r.Output.Dir, err)
		return nil // the outcome of the runs sets the exit code
	} else if err != nil {
		return sdk.Usage(err)
	}
	f := &buildFlags{workspace: r.Goal.Workspace, out: r.tree, force: true}
	f.AllowUnfilled = r.rehearsal
	if err := a.buildTree(ctx, f); err != nil {
		return err
	}
	err = a.check(ctx, r.tree, r.Rules.Round)
	var refused *exitcode.Outcome
	if r.rehearsal && errors.As(err, &refused) {
		return nil
	}
	return err
}

// addRuns adds the runs of the output folder to the workspace. They replace the earlier runs from the same folder.
func (a *app) addRuns(ctx context.Context, r *runFlags) error {
	out, err := filepath.Abs(r.Output.Dir)
	if err != nil {
		return err
	}
	return assemble.UpdateWorkspace(ctx, r.Goal.Workspace, func(w *assemble.Workspace) error {
		w.Results = slices.DeleteFunc(w.Results, func(result assemble.Result) bool { return result.Out == out })
		added, err := w.Add([]string{out}, assemble.AddOptions{
			System: r.Goal.System, Division: r.Rules.Division, Replace: true, Rehearsal: r.rehearsal, Now: a.Now(),
		})
		if err != nil {
			return err
		}
		runs.PrintLeftOut(a.Stdout, added.Skipped)
		a.printMarks(added.Results)
		return nil
	})
}
