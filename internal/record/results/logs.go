package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// maxLogs is how many runs are made of the logs below one folder: more than any round of submissions has had.
const maxLogs = 20_000

// maxSkipped is how many folders whose logs cannot be read are named one by one.
const maxSkipped = 20

// readBareLogs makes records of the detail logs below a folder, at any depth, named after where they lie. why is why
// there are no results of it: it is said where there is a result.json that cannot be read, and where there is no log.
func readBareLogs(root string, why error, seen map[string]bool) (Set, error) {
	s := bareLogs{seen: seen}
	err := s.walkLogs(root, func(string) bool { return false })
	switch {
	case err != nil:
		return Set{}, err
	case s.found == 0 && errors.Is(why, errNoRecord):
		return Set{}, sdk.Data(fmt.Errorf("neither %s nor %s in %s or the folders below it: want the --out folder of a run, "+
			"LoadGen's logs, or a folder of such folders", record.FileName, mllog.DetailFile, root))
	case s.found == 0:
		return Set{}, why
	case len(s.Runs) == 0 && s.skipped > 0:
		return Set{}, fmt.Errorf("%w%s", errors.Join(s.faults...), s.moreFaults(root))
	}
	if _, err := os.Lstat(filepath.Join(root, record.FileName)); err == nil {
		s.faults = append([]error{why}, s.faults...)
	}
	return s.toSet(root), nil
}

// readUnrecorded makes records of the detail logs below a folder that lie in no folder with a result.json.
func readUnrecorded(root string, seen map[string]bool) (Set, error) {
	s := bareLogs{seen: seen}
	err := s.walkLogs(root, func(dir string) bool { return isFile(filepath.Join(dir, record.FileName)) })
	return s.toSet(root), err
}

// bareLogs are runs of which there are logs alone.
type bareLogs struct {
	Set
	seen    map[string]bool // files that were read before
	faults  []error
	found   int // logs
	skipped int // of these, and folders, that cannot be read
}

// walkLogs reads the logs below root. Links to folders are not followed, hidden folders left out, and those that pass
// says.
func (s *bareLogs) walkLogs(root string, pass func(dir string) bool) error {
	return filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			s.skipLog(err)
			return nil
		case e.IsDir() && path != root && (strings.HasPrefix(e.Name(), ".") || pass(path)):
			return fs.SkipDir
		case e.IsDir() || e.Name() != mllog.DetailFile:
			return nil
		case len(s.Runs) >= maxLogs:
			return fmt.Errorf("%s holds logs of more than %s: name the folders of fewer, such as one submitter's", root,
				figure.Plural(maxLogs, "run"))
		}
		if s.found++; !noteKnown(path, s.seen) {
			s.addLog(path)
		}
		return nil
	})
}

func (s *bareLogs) skipLog(err error) {
	if s.skipped++; len(s.faults) < maxSkipped {
		s.faults = append(s.faults, err)
	}
}

// toSet is what was read.
func (s *bareLogs) toSet(root string) Set {
	s.Skipped = lists.Map(s.faults, error.Error)
	if more := s.moreFaults(root); more != "" {
		s.Skipped = append(s.Skipped, strings.TrimSpace(more))
	}
	return s.Set
}

// moreFaults says how many faults are not named.
func (s *bareLogs) moreFaults(root string) string {
	if n := s.skipped - maxSkipped; n > 0 {
		return fmt.Sprintf("\n%d more logs of %s cannot be read", n, root)
	}
	return ""
}

// addLog reads the log at path.
func (s *bareLogs) addLog(path string) {
	dir := filepath.Dir(path)
	run, err := ReadBare(dir)
	if err != nil {
		s.skipLog(err)
		return
	}
	run.Rules = roundOfSeeds(run.Settings)
	if place, ok := PlaceOf(dir); ok {
		place.applyTo(&run)
	}
	s.Runs = append(s.Runs, FoundRun{Run: run, Out: dir, File: path})
}
