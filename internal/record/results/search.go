package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// How far a folder of runs is searched: OUT/BACKEND/ROUND, and one above; and how much may lie there.
const (
	deepest    = 4
	maxFolders = 20_000
)

// findResultFiles finds the result files below a folder that has none of its own, in the order of their paths. What
// lies below a folder with one is its own, and hidden folders are nobody's.
func findResultFiles(root string) ([]string, error) {
	s := fileSearcher{root: root}
	err := s.searchBelow(root, deepest)
	return s.files, err
}

type fileSearcher struct {
	root  string
	files []string
	seen  int
}

func (s *fileSearcher) searchBelow(dir string, levels int) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if strings.HasPrefix(e.Name(), ".") || !isFolder(path) {
			continue
		}
		if s.seen++; s.seen > maxFolders {
			return fmt.Errorf("%s holds more than %d folders: name the folder of the runs", s.root, maxFolders)
		}
		if file := filepath.Join(path, record.FileName); isFile(file) {
			s.files = append(s.files, file)
		} else if levels > 1 {
			if err := s.searchBelow(path, levels-1); err != nil {
				return err
			}
		}
	}
	return nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// errNoRecord says that a folder has no record of a run.
var errNoRecord = errors.New("no " + record.FileName)

// findRecordAbove finds the record of the run whose logs lie in dir: OUT/MODEL/SCENARIO/performance/run_1, say.
func findRecordAbove(dir string) (Set, error) {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return Set{}, err
	}
	parent := whole
	for range deepest {
		parent = filepath.Dir(parent)
		file := filepath.Join(parent, record.FileName)
		if !isFile(file) {
			continue
		}
		s, err := readDocuments([]string{file}, map[string]bool{}, besideOthers)
		if err != nil {
			return s, err
		}
		for _, f := range s.Runs {
			if f.LogFolder() == whole {
				return Set{Runs: []FoundRun{f}}, nil
			}
		}
	}
	return Set{}, fmt.Errorf("%w in %s, nor in the folders below or above it: want the --out folder of a run, or a "+
		"folder of such folders", errNoRecord, dir)
}

// AccuracyLog is an accuracy log.
type AccuracyLog struct {
	Path string
	// Run is the record of its run: of the result.json in the log's folder or in one of the two above, which may be its
	// scenario's. Where there is none, as of the official LoadGen's logs, it has what the folders' names say, if anything.
	Run record.Run
}

// PreviousName is the folder of an output directory with results that are being replaced: they are nobody's.
const PreviousName = ".previous"

// AccuracyLogs lists the accuracy logs that path means: a file itself; the log of a run's directory; or the accuracy
// logs below a directory, without those of performance runs, which hold no or few responses, of compliance tests, which
// hold some, and of results that are being replaced.
func AccuracyLogs(path string) ([]AccuracyLog, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("score: %w", err)
	}
	if !info.IsDir() {
		return []AccuracyLog{{path, findRecord(path)}}, nil
	}
	if direct := filepath.Join(path, mllog.AccuracyFile); fileExists(direct) {
		return []AccuracyLog{{direct, findRecord(direct)}}, nil
	}
	logs, err := accuracyLogs(path)
	if err == nil && len(logs) == 0 {
		err = fmt.Errorf("no %s in %s; name the directory of an accuracy run, or the file", mllog.AccuracyFile, path)
	}
	return logs, err
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

func accuracyLogs(root string) ([]AccuracyLog, error) {
	var logs []AccuracyLog
	err := fs.WalkDir(os.DirFS(root), ".", func(below string, d fs.DirEntry, err error) error { // root may be a link
		path := filepath.Join(root, filepath.FromSlash(below))
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "performance" || d.Name() == PreviousName || testFolder.MatchString(d.Name()) ||
			fileExists(filepath.Join(path, mlconf.AuditFile))):
			return fs.SkipDir
		case !d.IsDir() && d.Name() == mllog.AccuracyFile:
			logs = append(logs, AccuracyLog{path, findRecord(path)})
		}
		return nil
	})
	slices.SortFunc(logs, func(a, b AccuracyLog) int { return strings.Compare(a.Path, b.Path) })
	return logs, err
}

// findRecord finds the record of the run that a log is of. For the log of a performance run its scenario's result.json
// is two levels up.
func findRecord(log string) record.Run {
	dir, err := filepath.Abs(filepath.Dir(log))
	if err != nil {
		return record.Run{}
	}
	for _, d := range []string{dir, filepath.Dir(dir), filepath.Dir(filepath.Dir(dir))} {
		doc, err := record.Read(filepath.Join(d, record.FileName))
		if err != nil {
			continue
		}
		for _, r := range doc.Runs {
			if strings.HasSuffix(filepath.ToSlash(dir), "/"+r.Dir) {
				return r
			}
		}
	}
	return ofPlace(dir)
}

// ofPlace is what the path of a log says of its run, where there is no record: the benchmark by its folder's name.
func ofPlace(dir string) record.Run {
	p, ok := PlaceOf(dir)
	if !ok {
		return record.Run{}
	}
	var r record.Run
	p.applyTo(&r)
	r.Scenario = p.Scenario
	return r
}
