package truncate

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/internal/treefiles"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// Options selects the parts of a tree to truncate and the folder for the originals.
type Options struct {
	StoreFolder string        // folder of the Store, outside the tree
	Submitter   string        // truncate only this submitter's logs; empty: all
	OnLog       func(Outcome) // called for each log without errors, if not nil
}

// TruncateTree truncates all accuracy logs of the tree at root: of scenarios in results/, and of audits there and in
// compliance/, which rounds before v6.0 use. The outcomes are in order of paths. Errors do not stop the truncation of
// other logs; the returned error contains all of them.
func TruncateTree(ctx context.Context, root string, o Options) (all []Outcome, err error) {
	if err := requireOutside(o.StoreFolder, root); err != nil {
		return nil, err
	}
	folders, faults, err := accuracyFolders(root, o.Submitter)
	if err != nil {
		return nil, err
	}
	store, err := OpenStore(ctx, o.StoreFolder)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	for _, dir := range folders {
		out, err := store.TruncateLog(ctx, dir)
		switch {
		case ctx.Err() != nil:
			return all, context.Cause(ctx)
		case err != nil:
			faults = append(faults, err)
			continue
		}
		if all = append(all, out); o.OnLog != nil {
			o.OnLog(out)
		}
	}
	return all, errors.Join(faults...)
}

// requireOutside returns an error if the folder for originals is inside the submission.
func requireOutside(keep, root string) error {
	if keep == "" {
		return errors.New("no folder for the original logs is given")
	}
	ok, err := treefiles.IsOutside(root, keep)
	if err == nil && !ok {
		err = fmt.Errorf("%s, the folder for the original logs, is in the tree %s: want one outside, which is not submitted",
			keep, root)
	}
	return err
}

// complianceDir is the folder of audits in rounds before v6.0.
const complianceDir = "compliance"

// accuracyPlaces returns patterns of the paths of accuracy folders below DIVISION/SUBMITTER.
func accuracyPlaces() []string {
	const scenario, audit = "/*/*/*/", "TEST[0-9][0-9]/"
	return []string{
		tree.ResultsDir + scenario + tree.AccuracyDir, tree.ResultsDir + scenario + audit + tree.AccuracyDir,
		complianceDir + scenario + audit + tree.AccuracyDir,
	}
}

// accuracyFolders returns the accuracy folders of a tree. Links are faults, because their targets do not belong to the
// tree.
func accuracyFolders(root, submitter string) (folders []string, faults []error, err error) {
	t, err := tree.Open(root, "")
	if err != nil {
		return nil, nil, err
	}
	defer t.Close()
	faults = t.Unread()
	owners, err := t.ChooseSubmitters(submitter)
	if err != nil {
		return nil, nil, err
	}
	whole := 0 // number of endpoints runs, which have no log to truncate
	for e := range t.All {
		owner := slices.ContainsFunc(owners, func(s tree.Submitter) bool { return strings.HasPrefix(e.Path, s.Folder()+"/") })
		switch {
		case !owner || !e.Dir && !e.Link:
		case e.Link && mayHideLogs(e):
			faults = append(faults, fmt.Errorf("%s is a link: want the folder itself", t.OSPath(e.Path)))
		case !e.Link && isAccuracyFolder(e.Path) && isEndpointsFolder(t, e.Path):
			whole++
		case !e.Link && isAccuracyFolder(e.Path):
			folders = append(folders, t.OSPath(e.Path))
		}
	}
	if len(folders)+len(faults)+whole == 0 {
		err = fmt.Errorf("%s has no accuracy folder: want DIVISION/SUBMITTER/results/SYSTEM/BENCHMARK/SCENARIO/accuracy",
			root)
	}
	return folders, faults, err
}

// isEndpointsFolder reports whether an accuracy folder has the form of the endpoints harness.
func isEndpointsFolder(t *tree.Tree, name string) bool {
	return t.HasFile(path.Join(name, path.Base(endpoints.AccuracyFile))) && !t.HasFile(path.Join(name, tree.AccuracyLog))
}

// isAccuracyFolder reports whether a folder can contain an accuracy log.
func isAccuracyFolder(name string) bool {
	return slices.ContainsFunc(accuracyPlaces(), func(place string) bool {
		ok, _ := path.Match("*/*/"+place, name) // the pattern is valid
		return ok
	})
}

// mayHideLogs reports whether a link can lead to a folder with accuracy logs. A link out of the tree counts as broken,
// and its target can be a folder.
func mayHideLogs(link tree.Entry) bool {
	parts := strings.Split(link.Path, "/")
	logs := len(parts) > 2 && slices.Contains([]string{tree.ResultsDir, complianceDir}, parts[2])
	return logs && (link.Dir || link.Broken) && !isAccuracyFolder(path.Dir(link.Path))
}
