package score

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// Find lists the accuracy logs that path means: a file itself; the log of a run's directory; or the accuracy
// logs below a directory, without those of performance runs, which hold no or few responses, of compliance
// tests, which hold some, and of results that are being replaced.
func Find(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("score: %w", err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	if direct := filepath.Join(path, LogName); exists(direct) {
		return []string{direct}, nil
	}
	logs, err := below(path)
	if err == nil && len(logs) == 0 {
		err = fmt.Errorf("no %s in %s; name the directory of an accuracy run, or the file", LogName, path)
	}
	return logs, err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

func below(dir string) ([]string, error) {
	var logs []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error { // dir itself may be a link
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "performance" || d.Name() == PreviousName ||
			exists(filepath.Join(dir, filepath.FromSlash(path), mlconf.AuditFile))):
			return fs.SkipDir
		case !d.IsDir() && d.Name() == LogName:
			logs = append(logs, filepath.Join(dir, filepath.FromSlash(path)))
		}
		return nil
	})
	slices.Sort(logs)
	return logs, err
}
