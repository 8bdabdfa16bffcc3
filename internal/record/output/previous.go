package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/record/results"
)

// PreviousName is the name of a folder in an output directory. It contains the results that runs are about to replace,
// in the directory's own layout, until Recover removes or restores them.
const PreviousName = results.PreviousName

func previous(out string) string { return filepath.Join(out, PreviousName) }

// Recovered lists the results that were set aside, by the directories of their runs.
type Recovered struct {
	Restored []string // restored: the new run was not made or left no logs
	Kept     []string // still set aside: the new run began but did not finish
}

// SetAside copies the records of runs in dirs whose logs will be replaced. It must be called before result.json changes
// and before Prepare, which moves the logs.
func SetAside(out string, dirs []string) error {
	var old []record.Run
	for _, dir := range dirs {
		// logs that are already set aside belong to a finished run
		if !containsLog(out, dir) || containsLog(previous(out), dir) {
			continue
		}
		run, found, err := readRecorded(out, dir)
		if err != nil {
			return fmt.Errorf("replacing an existing result: %w; move it away", err)
		}
		if found {
			old = append(old, run)
		}
	}
	return record.Save(previous(out), old...)
}

// readRecorded returns the record of the run in dir from the result.json of out.
func readRecorded(out, dir string) (run record.Run, found bool, err error) {
	d, err := record.Read(filepath.Join(out, record.FileName))
	i := slices.IndexFunc(d.Runs, func(r record.Run) bool { return r.Dir == filepath.ToSlash(dir) })
	if err != nil || i < 0 {
		return record.Run{}, false, err
	}
	return d.Runs[i], true, nil
}

// Text returns lines for the user, or an empty text if no results were set aside.
func (s Recovered) Text() string {
	var b strings.Builder
	for _, dir := range s.Restored {
		fmt.Fprintf(&b, "%s: the results that were to be replaced are back: no others were made\n", dir)
	}
	for _, dir := range s.Kept {
		fmt.Fprintf(&b, "%s: the results that were to be replaced are kept here: the run that was to replace them did not "+
			"come to its end\n", dir)
	}
	return b.String()
}

// Recover removes the results that were set aside for runs that are now complete. It restores the others, unless the
// new run left logs without finishing. It also completes the work of a session that was killed at any moment.
func Recover(out string) (Recovered, error) {
	var s Recovered
	dirs, err := foldersSetAside(out)
	if err != nil {
		return s, err
	}
	faults := make([]error, len(dirs))
	for i, dir := range dirs {
		faults[i] = s.recoverRun(out, dir)
	}
	if err := errors.Join(faults...); err != nil || len(s.Kept) > 0 {
		return s, err
	}
	return s, os.RemoveAll(previous(out))
}

func (s *Recovered) recoverRun(out, dir string) error {
	run, found, err := readRecorded(out, dir)
	switch {
	case err != nil:
		return err
	case found && run.Status == record.Complete:
		return removeLogs(previous(out), dir)
	case found && run.Status != record.NotRun && hasAny(filepath.Join(out, dir), logNames[:loadgenLogCount]):
		if containsLog(previous(out), dir) {
			s.Kept = append(s.Kept, filepath.Join(previous(out), dir))
		}
		return nil
	}
	if err := restoreRun(out, dir, run); err != nil {
		return err
	}
	if containsLog(out, dir) {
		s.Restored = append(s.Restored, filepath.Join(out, dir))
	}
	return nil
}

// restoreRun restores logs and then their record. Until the logs are complete, result.json contains the run as not
// made, so that after a kill in between the partly restored logs do not count as those of a run.
//
// It removes the output of the failed run's plugin, whose last lines are in the error message.
func restoreRun(out, dir string, run record.Run) error {
	if run.Status != record.NotRun && run.Model != "" {
		run.Skip(exitcode.Code(run.ExitCode))
		if err := record.Save(out, run); err != nil {
			return err
		}
	}
	if containsLog(previous(out), dir) {
		_ = os.Remove(filepath.Join(out, dir, PluginLogName)) // the old one is moved last
	}
	if err := moveLogs(previous(out), out, dir); err != nil {
		return err
	}
	old, found, err := readRecorded(previous(out), dir)
	if err != nil || !found || !containsLog(out, dir) {
		return err
	}
	return record.Save(out, old)
}

// foldersSetAside returns the runs' directories whose logs or records are set aside. The record is set aside before the
// logs.
func foldersSetAside(out string) ([]string, error) {
	dirs := logsSetAside(out)
	d, err := record.Read(filepath.Join(previous(out), record.FileName))
	for _, run := range d.Runs {
		if dir := filepath.FromSlash(run.Dir); filepath.IsLocal(dir) && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs, err
}

// logsSetAside returns the runs' directories with logs that are set aside.
func logsSetAside(out string) []string {
	var dirs []string
	top := previous(out)
	_ = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error { // an unreadable folder counts as empty
		if err != nil || d.IsDir() || !slices.Contains(logNames[:], d.Name()) {
			return nil
		}
		dir := filepath.Dir(path)
		if isTrial(filepath.Base(dir)) {
			dir = filepath.Dir(dir)
		}
		if dir, err = filepath.Rel(top, dir); err == nil && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
		return nil
	})
	return dirs
}

// moveLogs moves the logs of a run and of its trials from one output directory to another. It replaces existing files.
func moveLogs(from, to, dir string) error {
	for _, old := range runFolders(from, dir) {
		rel, err := filepath.Rel(from, old)
		if err != nil {
			return err
		}
		for _, name := range logNames {
			err := moveFile(filepath.Join(old, name), filepath.Join(to, rel, name))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		removeTrial(from, dir, old)
	}
	return nil
}

// moveFile moves a file to a folder, which it creates if necessary.
func moveFile(from, to string) error {
	if _, err := os.Lstat(from); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// removeLogs removes the logs of a run and of its trials.
func removeLogs(out, dir string) error {
	for _, old := range runFolders(out, dir) {
		for _, name := range logNames {
			if err := os.Remove(filepath.Join(old, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		removeTrial(out, dir, old)
	}
	return nil
}

// removeTrial removes the folder of a trial, unless it is the run's own folder or contains files of the user.
func removeTrial(out, dir, folder string) {
	if folder != filepath.Join(out, dir) {
		_ = os.Remove(folder)
	}
}
