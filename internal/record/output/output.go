// Package output chooses and prepares the output directory. It overwrites a result only on request.
package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/internal/record/results"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/export"
	"github.com/plumbline-ml/plumbline/internal/power"
	"github.com/plumbline-ml/plumbline/internal/power/spl"
	"github.com/plumbline-ml/plumbline/internal/record/series"
)

// DefaultDir is the output directory without --out. If it already contains a result of the same runs, or another
// session writes to it, the directory is out-2, out-3, and so on.
const DefaultDir = "out"

// logNames are the names of the files that a run writes into its directory, including those of a power session in its
// subfolder.
var logNames = slices.Concat([]string{
	mllog.SummaryFile, mllog.DetailFile, mllog.AccuracyFile, mllog.TraceFile, results.AccuracyText,
	PluginLogName, spl.FileName, series.FileName,
}, export.Names(), power.SessionFiles())

// loadgenLogCount is the number of logs that every run has.
const loadgenLogCount = 4

// probeName is the name of a file that is written to test whether a run's directory is writable.
const probeName = ".write"

// trialPattern matches the directories of a search's trials, below the search's directory.
const trialPattern = "run_*_streams_*"

// runFolders returns a run's directory and those of its trials, below out.
func runFolders(out, dir string) []string {
	all := []string{filepath.Join(out, dir)}
	entries, _ := os.ReadDir(all[0]) // a missing directory has no trials
	for _, e := range entries {
		if isTrial(e.Name()) {
			all = append(all, filepath.Join(all[0], e.Name()))
		}
	}
	return all
}

func isTrial(name string) bool {
	matched, _ := filepath.Match(trialPattern, name) // the pattern is valid
	return matched
}

// Choose returns the output directory for runs in dirs (relative to it). An explicit directory that already contains a
// result of one of the runs is an error unless force is set.
func Choose(out string, force bool, dirs []string) (string, error) {
	if out == "" {
		return firstFree(dirs), nil
	}
	full := occupiedFolders(out, dirs)
	if len(full) == 0 || force {
		return out, nil
	}
	for _, dir := range logsSetAside(out) {
		full = append(full, filepath.Join(previous(out), dir)+
			" (results that a run with --force was to replace, which did not come to its end)")
	}
	return "", sdk.Usage(fmt.Errorf(
		"%s already holds results; choose another --out, or replace them with --force:\n  %s", out,
		strings.Join(full, "\n  ")))
}

// firstFree returns the first default directory without results of the runs.
func firstFree(dirs []string) string {
	n := 1
	for len(occupiedFolders(numberedDir(n), dirs)) > 0 {
		n++
	}
	return numberedDir(n)
}

// numberedDir returns the nth default directory: out, out-2, out-3, ...
func numberedDir(n int) string {
	if n == 1 {
		return DefaultDir
	}
	return fmt.Sprintf("%s-%d", DefaultDir, n)
}

// occupiedFolders returns the runs' directories that contain a log file.
func occupiedFolders(out string, dirs []string) []string {
	var full []string
	for _, dir := range dirs {
		if containsLog(out, dir) {
			full = append(full, filepath.Join(out, dir))
		}
	}
	return full
}

// containsLog reports whether a run's directory, or that of one of its trials, contains a log.
func containsLog(out, dir string) bool {
	return slices.ContainsFunc(runFolders(out, dir), func(d string) bool { return hasAny(d, logNames) })
}

func hasAny(dir string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	})
}

// Prepare creates the runs' directories, moves logs of earlier runs in them to PreviousName, and checks that the
// directories are writable.
func Prepare(out string, dirs []string) error {
	for _, dir := range dirs {
		if err := prepareRun(out, dir); err != nil {
			return unwritableError(out, err)
		}
	}
	return nil
}

func unwritableError(out string, err error) error {
	return sdk.Usage(fmt.Errorf("output directory %s: %w; choose a directory that can be written with --out", out, err))
}

// prepareRun prepares the directory of one run.
func prepareRun(out, run string) error {
	dir := filepath.Join(out, run)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := setLogsAside(out, run); err != nil {
		return err
	}
	removeTempFiles(out, run)
	probe, err := wholefile.Create(filepath.Join(dir, probeName), 0o644)
	if err != nil {
		return err
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// setLogsAside moves the logs of an earlier run away. If logs are already set aside, it deletes the logs in the
// directory, because they belong to a run that did not finish.
func setLogsAside(out, run string) error {
	if containsLog(previous(out), run) {
		return removeLogs(out, run)
	}
	return moveLogs(out, previous(out), run)
}

// removeTempFiles removes temporary files of killed writers from a run's directory and its parents, up to out.
func removeTempFiles(out, run string) {
	for d := run; ; d = filepath.Dir(d) {
		_ = wholefile.RemoveTemp(filepath.Join(out, d)) // the next session tries again
		if d == "." {
			return
		}
	}
}

// Prune removes the directories of runs that were not made, if they are empty.
func Prune(out string, dirs []string) {
	for _, dir := range dirs {
		for d := dir; d != "."; d = filepath.Dir(d) {
			if os.Remove(filepath.Join(out, d)) != nil { // not empty
				break
			}
		}
	}
}

// WriteUserConf writes the user's settings next to the results of a scenario, as the official tree requires. It moves
// the settings of results that are set aside to these results.
func WriteUserConf(out, scenarioDir string, text []byte) error {
	const name = "user.conf"
	path, aside := filepath.Join(out, scenarioDir, name), filepath.Join(previous(out), scenarioDir)
	if _, err := os.Lstat(aside); err == nil && !hasAny(aside, []string{name}) {
		_ = os.Rename(path, filepath.Join(aside, name)) // there may be no such file
	}
	return sdk.Usage(wholefile.Write(path, text, 0o644))
}

// CheckLost returns an error if logs of a finished run are no longer in its directory.
func CheckLost(out, dir string) error {
	var gone []string
	for _, name := range logNames[:loadgenLogCount] {
		path := filepath.Join(out, dir, name)
		if _, err := os.Lstat(path); err != nil {
			gone = append(gone, path)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s; run again, and leave the folder until the end", loadgen.ErrLogsLost,
		strings.Join(gone, ", "))
}

// SyncAndList syncs a run's files to the disk, so that its record can refer to them, and returns them with their
// checksums. Paths are relative to out. A file that cannot be synced is an error, because the logs might be lost after
// a later failure of the system.
func SyncAndList(out, dir string) ([]record.File, error) {
	if err := syncRun(out, dir); err != nil {
		return nil, err
	}
	return listFiles(out, dir)
}

// syncRun syncs all files in a run's folder and the folders above it, up to out. It returns nil if the folder does not
// exist; CheckLost reports that case.
func syncRun(out, dir string) error {
	if _, err := os.Lstat(filepath.Join(out, dir)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := wholefile.SyncTree(filepath.Join(out, dir)); err != nil {
		return fmt.Errorf("bringing the logs to the disk: %w", err)
	}
	for d := dir; d != "."; {
		d = filepath.Dir(d)
		if err := wholefile.SyncNames(filepath.Join(out, d)); err != nil {
			return err
		}
	}
	return nil
}

func listFiles(out, dir string) ([]record.File, error) {
	var files []record.File
	for _, d := range runFolders(out, dir) {
		for _, name := range logNames {
			path := filepath.Join(d, name)
			sum, size, err := checksum.File(path)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			if path, err = filepath.Rel(out, path); err != nil {
				return nil, err
			}
			files = append(files, record.File{Path: filepath.ToSlash(path), Size: size, SHA256: sum})
		}
	}
	return files, nil
}
