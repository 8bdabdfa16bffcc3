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

// Limits of the search below a folder of runs: the depth of OUT/BACKEND/ROUND and one level more, and the number of
// folders.
const (
	maxLevels  = 4
	maxFolders = 20_000
)

// findResultFiles returns the result files below a folder without one, in the order of their paths. It does not search
// below a folder with a result file, or in hidden folders.
func findResultFiles(root string) ([]string, error) {
	s := fileSearcher{root: root}
	err := s.searchBelow(root, maxLevels)
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

// errNoRecord states that a folder contains no record of a run.
var errNoRecord = errors.New("no " + record.FileName)

// findRecordAbove finds the record of the run with logs in dir, for example OUT/MODEL/SCENARIO/performance/run_1.
func findRecordAbove(dir string) (Set, error) {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return Set{}, err
	}
	parent := whole
	for range maxLevels {
		parent = filepath.Dir(parent)
		file := filepath.Join(parent, record.FileName)
		if !isFile(file) {
			continue
		}
		s, err := readDocuments([]string{file}, map[string]bool{}, strayFileAdvice)
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

// AccuracyLog is an accuracy log and the record of its run.
type AccuracyLog struct {
	Path string
	// Run is the record in the result.json of the log's folder or of one of the two folders above, which may be its
	// scenario's. If there is none, as for the official LoadGen's logs, Run contains the properties in the folders'
	// names.
	Run record.Run
}

// PreviousName is the name of a folder in an output directory with results that are being replaced. Searches skip it.
const PreviousName = ".previous"

// AccuracyLogs returns the accuracy logs at path: a file itself, the log of a run's directory, or the accuracy logs
// below a directory. It omits logs of performance runs and of compliance tests, which contain few or no responses, and
// logs of results that are being replaced.
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

// findRecord finds the record of a log's run. For the log of a performance run the scenario's result.json is two levels
// up.
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
	return recordOfPlace(dir)
}

// recordOfPlace returns a record with the properties in the path of a log; the benchmark is the folder's name.
func recordOfPlace(dir string) record.Run {
	p, ok := PlaceOf(dir)
	if !ok {
		return record.Run{}
	}
	var r record.Run
	p.applyTo(&r)
	r.Scenario = p.Scenario
	return r
}
