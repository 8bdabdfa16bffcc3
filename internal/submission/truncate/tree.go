package truncate

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/internal/treefiles"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// Options selects the parts of a tree to truncate and the folder for the originals.
type Options struct {
	Keep      string        // folder of the Store, outside the tree
	Submitter string        // only this one's logs; empty: everybody's
	Each      func(Outcome) // called for each log that is in order, if not nil
}

// Tree truncates every accuracy log of the tree at root: the scenarios' in results/, and the audits' there and in
// compliance/, where rounds before v6.0 have them. The outcomes are in the order of paths. A log that cannot be
// truncated does not keep the others from it: the error has them all.
func Tree(ctx context.Context, root string, o Options) (all []Outcome, err error) {
	if err := storeOutside(o.Keep, root); err != nil {
		return nil, err
	}
	folders, faults, err := accuracyFolders(root, o.Submitter)
	if err != nil {
		return nil, err
	}
	store, err := OpenStore(ctx, o.Keep)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	for _, dir := range folders {
		out, err := store.Log(ctx, dir)
		switch {
		case ctx.Err() != nil:
			return all, context.Cause(ctx)
		case err != nil:
			faults = append(faults, err)
			continue
		}
		if all = append(all, out); o.Each != nil {
			o.Each(out)
		}
	}
	return all, errors.Join(faults...)
}

// storeOutside wants the folder for originals not to be part of what is submitted.
func storeOutside(keep, root string) error {
	if keep == "" {
		return errors.New("no folder for the original logs is given")
	}
	ok, err := treefiles.Outside(root, keep)
	if err == nil && !ok {
		err = fmt.Errorf("%s, the folder for the original logs, is in the tree %s: want one outside, which is not submitted",
			keep, root)
	}
	return err
}

// complianceDir is where rounds before v6.0 have the audits.
const complianceDir = "compliance"

// accuracyPlaces are where accuracy folders lie below DIVISION/SUBMITTER.
func accuracyPlaces() []string {
	const scenario, audit = "/*/*/*/", "TEST[0-9][0-9]/"
	return []string{
		tree.ResultsDir + scenario + tree.AccuracyDir, tree.ResultsDir + scenario + audit + tree.AccuracyDir,
		complianceDir + scenario + audit + tree.AccuracyDir,
	}
}

// accuracyFolders lists the accuracy folders of a tree. Links are faults: what they lead to is not the tree's.
func accuracyFolders(root, submitter string) (folders []string, faults []error, err error) {
	t, err := tree.Open(root, "")
	if err != nil {
		return nil, nil, err
	}
	defer t.Close()
	faults = lists.Map(t.Faults, func(f tree.Fault) error { return f.Err })
	owners, err := t.Choose(submitter)
	if err != nil {
		return nil, nil, err
	}
	whole := 0 // of endpoints runs, which have no log to truncate
	for e := range t.All {
		owner := slices.ContainsFunc(owners, func(s tree.Submitter) bool { return strings.HasPrefix(e.Path, s.Folder()+"/") })
		switch {
		case !owner || !e.Dir && !e.Link:
		case e.Link && mayHideLogs(e):
			faults = append(faults, fmt.Errorf("%s is a link: want the folder itself", t.Abs(e.Path)))
		case !e.Link && isAccuracyFolder(e.Path) && ofEndpoints(t, e.Path):
			whole++
		case !e.Link && isAccuracyFolder(e.Path):
			folders = append(folders, t.Abs(e.Path))
		}
	}
	if len(folders)+len(faults)+whole == 0 {
		err = fmt.Errorf("%s has no accuracy folder: want DIVISION/SUBMITTER/results/SYSTEM/BENCHMARK/SCENARIO/accuracy",
			root)
	}
	return folders, faults, err
}

// ofEndpoints says whether an accuracy folder is in the form of the endpoints harness.
func ofEndpoints(t *tree.Tree, name string) bool {
	return t.HasFile(path.Join(name, path.Base(endpoints.AccuracyFile))) && !t.HasFile(path.Join(name, tree.AccuracyLog))
}

// isAccuracyFolder says whether a folder is one for an accuracy log.
func isAccuracyFolder(name string) bool {
	return slices.ContainsFunc(accuracyPlaces(), func(place string) bool {
		ok, _ := path.Match("*/*/"+place, name) // the pattern is a good one
		return ok
	})
}

// mayHideLogs says whether a link may stand for a folder with accuracy logs. One to somewhere outside the tree is
// broken, and may be one to a folder.
func mayHideLogs(link tree.Entry) bool {
	parts := strings.Split(link.Path, "/")
	logs := len(parts) > 2 && slices.Contains([]string{tree.ResultsDir, complianceDir}, parts[2])
	return logs && (link.Dir || link.Broken) && !isAccuracyFolder(path.Dir(link.Path))
}
