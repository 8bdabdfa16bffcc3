package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// maxLogs limits the runs that are made from the logs below one folder. It exceeds the size of all rounds of
// submissions.
const maxLogs = 20_000

// maxSkipped limits the folders with unreadable logs that are named one by one.
const maxSkipped = 20

// readBareLogs makes records from the detail logs below a folder, at any depth, and names them after their folders. why
// is the reason why there are no results. It is reported if a result.json is unreadable or there is no log.
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

// readUnrecorded makes records from the detail logs below a folder that are not in a folder with a result.json.
func readUnrecorded(root string, seen map[string]bool) (Set, error) {
	s := bareLogs{seen: seen}
	err := s.walkLogs(root, func(dir string) bool { return isFile(filepath.Join(dir, record.FileName)) })
	return s.toSet(root), err
}

// bareLogs collects runs that have only logs.
type bareLogs struct {
	Set
	seen    map[string]bool // files that were read before
	faults  []error
	found   int // number of logs
	skipped int // number of unreadable logs and folders
}

// walkLogs reads the logs below root. It does not follow links to folders, and omits hidden folders and those for which
// pass returns true.
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
		if s.found++; !wasSeen(path, s.seen) {
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

// toSet returns the collected runs.
func (s *bareLogs) toSet(root string) Set {
	s.Skipped = make([]string, len(s.faults))
	for i, fault := range s.faults {
		s.Skipped[i] = fault.Error()
	}
	if more := s.moreFaults(root); more != "" {
		s.Skipped = append(s.Skipped, strings.TrimSpace(more))
	}
	return s.Set
}

// moreFaults states the number of faults that are not listed.
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
