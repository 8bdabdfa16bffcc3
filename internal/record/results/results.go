// Package results finds and reads the files of runs in folders: records, logs without a record, and accuracy logs to
// score. Comparisons, reports and scores use it.
//
// In scope: the layouts of output folders. Out of scope: use of the runs.
package results

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// FoundRun is a run and the location of its record.
type FoundRun struct {
	record.Run
	// Out is the folder to which the run's Dir and Files are relative.
	Out string
	// File is the path of the result.json, or of the file that collects results.
	File string
	// Commit is the project's commit that the run measured; empty: the file does not contain it.
	Commit string
}

// LogFolder returns the folder of the run's logs.
func (f FoundRun) LogFolder() string { return filepath.Join(f.Out, filepath.FromSlash(f.Dir)) }

// SeriesFolder returns the folder of the run's series. For a search for the most streams it is the folder of the last
// trial that met the limit.
func (f FoundRun) SeriesFolder() string {
	if f.Performance != nil && f.Performance.Streams != nil {
		trials := f.Performance.Streams.Trials
		for i := len(trials) - 1; i >= 0; i-- {
			if trials[i].Met && trials[i].Dir != "" {
				return filepath.Join(f.Out, filepath.FromSlash(trials[i].Dir))
			}
		}
	}
	return f.LogFolder()
}

// Set contains the runs found at a path.
type Set struct {
	Runs []FoundRun // ordered by path, then as in the files; the points of a sweep by their loads
	// Skipped lists the unreadable files in folders of several runs, with the reasons.
	Skipped []string
	// Benchmarks are the benchmarks of the rounds of suites, as in the suites' documents.
	Benchmarks []record.Benchmark
}

// Read reads the runs at the paths. A path is an output folder of a run, a folder of one scenario or of one run's logs
// in it, a result.json, or a folder of such folders. A file that belongs to two paths is read once. Unreadable files in
// a folder of several runs are listed in Set; if there are no others, they are the error.
func Read(paths ...string) (Set, error) {
	seen := map[string]bool{}
	return readEach(paths, func(path string) (Set, error) { return readPath(path, seen) })
}

// ReadLogs is like Read, and also makes records from detail logs without a result.json: in a run's folder, a submission
// or a whole repository of results, at any depth. A path may also name a log.
func ReadLogs(paths ...string) (Set, error) {
	seen := map[string]bool{}
	return readEach(paths, func(path string) (Set, error) {
		if name := filepath.Base(path); (name == mllog.DetailFile || name == mllog.SummaryFile) && isFile(path) {
			path = filepath.Dir(path)
		}
		s, err := readPath(path, seen)
		if err != nil {
			return readBareLogs(path, sdk.Data(err), seen)
		}
		return s.addBareLogs(path, seen)
	})
}

// addBareLogs adds the runs below a folder that have only logs to the runs found in it.
func (s Set) addBareLogs(path string, seen map[string]bool) (Set, error) {
	inside := func(f FoundRun) bool { return levelsBelow(path, f.File) > 0 }
	if isFile(filepath.Join(path, record.FileName)) || !isFolder(path) || !slices.ContainsFunc(s.Runs, inside) {
		return s, nil
	}
	more, err := readUnrecorded(path, seen)
	s.Runs, s.Skipped = append(s.Runs, more.Runs...), append(s.Skipped, more.Skipped...)
	return s, err
}

// levelsBelow returns the number of levels that a path is below a folder, or 0 if it is not below it.
func levelsBelow(root, path string) int {
	below, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(below) || below == "." {
		return 0
	}
	return 1 + strings.Count(below, string(filepath.Separator))
}

func readEach(paths []string, read func(path string) (Set, error)) (Set, error) {
	var all Set
	var faults []error
	for _, path := range paths {
		s, err := read(path)
		all.Runs, all.Skipped = append(all.Runs, s.Runs...), append(all.Skipped, s.Skipped...)
		all.Benchmarks = append(all.Benchmarks, s.Benchmarks...)
		faults = append(faults, err)
	}
	return all, sdk.Data(errors.Join(faults...))
}

// SplitPaths splits a user's list "DIR,DIR". A text that is an existing path is not split, even if it contains commas.
func SplitPaths(list string) []string {
	if _, err := os.Lstat(list); err == nil {
		return []string{list}
	}
	return slices.DeleteFunc(strings.Split(list, ","), func(path string) bool { return path == "" })
}

func readPath(path string, seen map[string]bool) (Set, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Set{}, fmt.Errorf("%s: %w; want the --out folder of a run, or a folder in it", path, fs.ErrNotExist)
	case err != nil:
		return Set{}, err
	case !info.IsDir() && strings.EqualFold(filepath.Ext(path), CollectedEnding):
		return readCollected(path, seen)
	case !info.IsDir():
		return readDocuments([]string{path}, seen, "want a result.json, or the --out folder of a run")
	case isFile(filepath.Join(path, record.FileName)):
		return readDocuments([]string{filepath.Join(path, record.FileName)}, seen, strayFileAdvice)
	}
	files, err := findResultFiles(path)
	if err != nil {
		return Set{}, err
	}
	if len(files) > 0 {
		return readDocuments(files, seen, strayFileAdvice)
	}
	return findRecordAbove(path)
}

// strayFileAdvice is the advice for a file in a folder that is not a result.
const strayFileAdvice = "move it away, or name the folders of runs one by one"

// readDocuments reads result files. advice is part of the error about a file that is not a result.
func readDocuments(files []string, seen map[string]bool, advice string) (Set, error) {
	var s Set
	var faults []error
	for _, file := range files {
		if wasSeen(file, seen) {
			continue
		}
		d, err := record.Read(file)
		if err != nil {
			faults = append(faults, fmt.Errorf("%w; %s", err, advice))
			continue
		}
		for _, r := range d.Runs {
			f := FoundRun{Run: r, Out: outputFolder(file, r), File: file}
			f.checkFiles()
			s.Runs = append(s.Runs, f)
		}
		s.Benchmarks = append(s.Benchmarks, d.Benchmarks...)
	}
	sortSweeps(s.Runs)
	if len(s.Runs) == 0 {
		return s, errors.Join(faults...)
	}
	for _, f := range faults {
		s.Skipped = append(s.Skipped, f.Error())
	}
	return s, nil
}

// checkFiles adds a note if the files of a measured server have changed. The figures then come from the record.
func (f *FoundRun) checkFiles() {
	if f.Serving == nil {
		return
	}
	if err := record.CheckFiles(f.Out, f.Files); err != nil {
		f.Notes = append(slices.Clone(f.Notes), record.Finding{About: FilesSubject, Text: fmt.Sprintf(
			"%v: figures are those that were recorded, and cannot be made again", err)})
	}
}

// FilesSubject is the subject of a note about changed files of a run.
const FilesSubject = "files"

// sortSweeps sorts the points of each sweep, which are neighbours, by their loads, because the names of their folders
// have another order.
func sortSweeps(runs []FoundRun) {
	for from := 0; from < len(runs); {
		to := from + 1
		for to < len(runs) && isSameSweep(runs[from], runs[to]) {
			to++
		}
		slices.SortStableFunc(runs[from:to], func(a, b FoundRun) int {
			if a.Serving == nil {
				return 0
			}
			return cmp.Or(a.Serving.Load.Compare(b.Serving.Load), a.Started.Compare(b.Started))
		})
		from = to
	}
}

func isSameSweep(a, b FoundRun) bool {
	return a.Serving != nil && b.Serving != nil && filepath.Dir(a.LogFolder()) == filepath.Dir(b.LogFolder())
}

// wasSeen records a file in seen and reports whether it was already there.
func wasSeen(file string, seen map[string]bool) bool {
	name := file
	if whole, err := filepath.EvalSymlinks(file); err == nil {
		name = whole
	}
	if whole, err := filepath.Abs(name); err == nil {
		name = whole
	}
	before := seen[name]
	seen[name] = true
	return before
}

// outputFolder returns the output folder of a run recorded in file, which may be its scenario's file:
// OUT/MODEL/SCENARIO/result.json.
func outputFolder(file string, r record.Run) string {
	dir := filepath.Dir(file)
	whole, err := filepath.Abs(dir)
	if err != nil {
		whole = dir
	}
	if r.Model != "" && filepath.Base(whole) == r.Scenario && filepath.Base(filepath.Dir(whole)) == r.Model {
		return filepath.Dir(filepath.Dir(whole))
	}
	return dir
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
