package page

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/record/bare"
	"github.com/plumbline-ml/plumbline/bench/record/results"
)

// deepest is how far below a folder logs are looked for, mostLogs how many runs are made of them.
const (
	deepest  = 5
	mostLogs = 200
)

// Load reads the runs at paths, as results.Read does. Where a folder has no result.json that can be read, the records
// are made of the detail logs below it.
func Load(paths ...string) (results.Set, error) {
	var all results.Set
	var faults []error
	for _, path := range paths {
		s, err := results.Read(path)
		if err != nil {
			var bareOnes results.Set
			if bareOnes, err = fromLogs(path, err); len(bareOnes.Runs) > 0 {
				s, err = bareOnes, nil
			}
		}
		all.Runs, all.Skipped = append(all.Runs, s.Runs...), append(all.Skipped, s.Skipped...)
		faults = append(faults, err)
	}
	return all, sdk.Data(errors.Join(faults...))
}

// fromLogs reads the detail logs below a folder whose results could not be read for a reason, which is said unless
// there was no result.json.
func fromLogs(root string, why error) (results.Set, error) {
	var s results.Set
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && path != root && (below(root, path) > deepest || strings.HasPrefix(e.Name(), ".")):
			return fs.SkipDir
		case e.Name() != bare.DetailName || len(s.Runs) >= mostLogs:
			return nil
		}
		dir := filepath.Dir(path)
		run, err := bare.Read(dir)
		if err != nil {
			s.Skipped = append(s.Skipped, err.Error())
			return nil
		}
		s.Runs = append(s.Runs, results.Found{Run: run, Out: dir, File: path})
		return nil
	})
	if err != nil || len(s.Runs) == 0 {
		return results.Set{}, why
	}
	if hasResult(root) {
		s.Skipped = append(s.Skipped, why.Error())
	}
	return s, nil
}

// below is how many levels a path is below a folder.
func below(root, path string) int {
	return strings.Count(strings.TrimPrefix(path, root), string(filepath.Separator))
}

func hasResult(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, "result.json"))
	return err == nil
}
