// Package output chooses and prepares the output directory. It never overwrites a result unless requested.
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
	"github.com/plumbline-ml/plumbline/internal/lists"
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

// DefaultDir is where results go without --out: this directory, or out-2, out-3, ... where it already holds a result of
// the same runs, or another session writes there.
const DefaultDir = "out"

// logs are the files that a run writes into its directory, and those of a power session, in one of their own.
var logs = slices.Concat([]string{
	mllog.SummaryFile, mllog.DetailFile, mllog.AccuracyFile, mllog.TraceFile, results.AccuracyText,
	PluginLogName, spl.FileName, series.FileName,
}, export.Names(), power.SessionFiles())

// loadgenLogs is how many of them every run has.
const loadgenLogs = 4

// probeName is the file that proves that a run's directory can be written to.
const probeName = ".write"

// trials matches the directories below a search's that its runs write to.
const trials = "run_*_streams_*"

// within lists a run's directory and those of its trials, below out.
func within(out, dir string) []string {
	all := []string{filepath.Join(out, dir)}
	entries, _ := os.ReadDir(all[0]) // a directory that is not there has none
	for _, e := range entries {
		if isTrial(e.Name()) {
			all = append(all, filepath.Join(all[0], e.Name()))
		}
	}
	return all
}

func isTrial(name string) bool {
	matched, _ := filepath.Match(trials, name) // the pattern is good
	return matched
}

// Choose returns the output directory for runs in dirs (relative to it). An explicit one that already holds a result of
// one of them is an error unless force is set.
func Choose(out string, force bool, dirs []string) (string, error) {
	if out == "" {
		return free(dirs), nil
	}
	full := occupied(out, dirs)
	if len(full) == 0 || force {
		return out, nil
	}
	for _, dir := range setAside(out) {
		full = append(full, filepath.Join(previous(out), dir)+
			" (results that a run with --force was to replace, which did not come to its end)")
	}
	return "", sdk.Usage(fmt.Errorf(
		"%s already holds results; choose another --out, or replace them with --force:\n  %s", out,
		strings.Join(full, "\n  ")))
}

func free(dirs []string) string {
	n := 1
	for len(occupied(numbered(n), dirs)) > 0 {
		n++
	}
	return numbered(n)
}

// numbered is the nth of the default directories: out, out-2, out-3, ...
func numbered(n int) string {
	if n == 1 {
		return DefaultDir
	}
	return fmt.Sprintf("%s-%d", DefaultDir, n)
}

// occupied lists the runs' directories that hold a log file.
func occupied(out string, dirs []string) []string {
	full := lists.Filter(dirs, func(dir string) bool { return taken(out, dir) })
	return lists.Map(full, func(dir string) string { return filepath.Join(out, dir) })
}

// taken reports whether a run's directory, or one of its trials', holds a log.
func taken(out, dir string) bool {
	return slices.ContainsFunc(within(out, dir), func(d string) bool { return hasAny(d, logs) })
}

func hasAny(dir string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	})
}

// Prepare makes the runs' directories, moves the logs of earlier runs in them to PreviousName, and proves
// that files can be written.
func Prepare(out string, dirs []string) error {
	for _, dir := range dirs {
		if err := prepare(out, dir); err != nil {
			return unwritable(out, err)
		}
	}
	return nil
}

func unwritable(out string, err error) error {
	return sdk.Usage(fmt.Errorf("output directory %s: %w; choose a directory that can be written with --out", out, err))
}

func prepare(out, run string) error {
	dir := filepath.Join(out, run)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := clear(out, run); err != nil {
		return err
	}
	sweep(out, run)
	probe, err := wholefile.Create(filepath.Join(dir, probeName), 0o644)
	if err != nil {
		return err
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// clear moves the logs of an earlier run away. Where some are set aside already, those in their place are of a run that
// did not come to its end, and go.
func clear(out, run string) error {
	if taken(previous(out), run) {
		return removeLogs(out, run)
	}
	return moveLogs(out, previous(out), run)
}

// sweep removes what writers that were killed left in a run's directory and in those above it, up to out.
func sweep(out, run string) {
	for d := run; ; d = filepath.Dir(d) {
		_ = wholefile.RemoveTemp(filepath.Join(out, d)) // what it cannot remove the next one tries again
		if d == "." {
			return
		}
	}
}

// Prune removes the directories of runs that were never made, as far as they are empty.
func Prune(out string, dirs []string) {
	for _, dir := range dirs {
		for d := dir; d != "."; d = filepath.Dir(d) {
			if os.Remove(filepath.Join(out, d)) != nil { // not empty
				break
			}
		}
	}
}

// WriteUserConf writes the user's settings beside the results of a scenario, as the official tree wants. Those of
// results that are set aside go to these.
func WriteUserConf(out, scenarioDir string, text []byte) error {
	const name = "user.conf"
	path, aside := filepath.Join(out, scenarioDir, name), filepath.Join(previous(out), scenarioDir)
	if _, err := os.Lstat(aside); err == nil && !hasAny(aside, []string{name}) {
		_ = os.Rename(path, filepath.Join(aside, name)) // there may be none
	}
	return sdk.Usage(wholefile.Write(path, text, 0o644))
}

// Lost says that logs of a run that came to its end are not in its directory any more.
func Lost(out, dir string) error {
	var gone []string
	for _, name := range logs[:loadgenLogs] {
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

// Keep brings what a run wrote to the disk, so that its record may vouch for it, and lists its files with their
// checksums; paths are relative to out. A file that the disk does not take is an error: a system that fails later would
// leave a result whose logs are not there.
func Keep(out, dir string) ([]record.File, error) {
	if err := keep(out, dir); err != nil {
		return nil, err
	}
	return files(out, dir)
}

// keep syncs a run's folder with all that is in it, and the names of those above it, up to out. A folder that is gone
// has nothing to keep: Lost says so.
func keep(out, dir string) error {
	if _, err := os.Lstat(filepath.Join(out, dir)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := wholefile.Sync(filepath.Join(out, dir)); err != nil {
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

func files(out, dir string) ([]record.File, error) {
	var files []record.File
	for _, d := range within(out, dir) {
		for _, name := range logs {
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
