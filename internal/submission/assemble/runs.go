package assemble

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/record/requests"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// ErrNoRun reports a folder without runs of harness run.
var ErrNoRun = errors.New("no output of harness run")

// outputRuns contains the runs of one output directory.
type outputRuns struct {
	root string // the output directory
	runs []record.Run
}

// readOutputs reads the runs of a folder. The folder is an output directory OUT, the folder of a scenario,
// OUT/MODEL/SCENARIO, the folder of a model, OUT/MODEL, or a folder that contains such folders.
func readOutputs(folder string) ([]*outputRuns, error) {
	abs, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	if hasRunList(abs) {
		out, err := readOutput(abs)
		return []*outputRuns{out}, err
	}
	if out := runsOfModel(abs); out != nil {
		return []*outputRuns{out}, nil
	}
	entries, err := os.ReadDir(abs)
	if err != nil {
		return nil, err
	}
	var all []*outputRuns
	for _, e := range entries {
		below := filepath.Join(abs, e.Name())
		if !e.IsDir() || !hasRunList(below) {
			continue
		}
		out, err := readOutput(below)
		if err != nil {
			return nil, err
		}
		all = append(all, out)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: %w: it has no %s; give the folder that harness run --out wrote", folder, ErrNoRun,
			record.FileName)
	}
	return all, nil
}

// hasRunList reports whether a folder contains a list of runs.
func hasRunList(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, record.FileName))
	return err == nil
}

// runsOfModel returns the runs in a model's folder, from the list in the surrounding output directory. It returns nil
// if there are none.
func runsOfModel(folder string) *outputRuns {
	root := filepath.Dir(folder)
	d, err := record.Read(filepath.Join(root, record.FileName))
	if err != nil {
		return nil
	}
	runs := slices.DeleteFunc(d.Runs, func(r record.Run) bool {
		first, _, _ := strings.Cut(r.Dir, "/")
		return first != filepath.Base(folder)
	})
	if !hasLogs(root, runs) {
		return nil
	}
	return &outputRuns{root, runs}
}

// readOutput reads the runs that a folder lists.
func readOutput(folder string) (*outputRuns, error) {
	d, err := record.Read(filepath.Join(folder, record.FileName))
	if err != nil {
		return nil, err
	}
	if len(d.Runs) == 0 {
		return nil, fmt.Errorf("%s: %w: its %s lists no run", folder, ErrNoRun, record.FileName)
	}
	for _, root := range []string{folder, filepath.Dir(filepath.Dir(folder))} {
		if hasLogs(root, d.Runs) {
			return &outputRuns{root, d.Runs}, nil
		}
	}
	return nil, fmt.Errorf("%s: %w: the logs that its %s lists (%s) are not there", folder, ErrNoRun, record.FileName,
		d.Runs[0].Dir)
}

// hasLogs reports whether at least one run's detail log exists below root. Missing logs of other runs are reported
// later.
func hasLogs(root string, runs []record.Run) bool {
	return slices.ContainsFunc(runs, func(r record.Run) bool {
		_, err := os.Stat(logPath(root, r.Dir))
		return err == nil
	})
}

// logPath returns the path of a run's detail log.
func logPath(root, dir string) string {
	return filepath.Join(root, filepath.FromSlash(dir), tree.DetailLog)
}

// identifyingLog returns the path of the log that identifies a run: its detail log, or the record of turns of a replay.
func identifyingLog(root, dir, mode string) string {
	if mode == record.ModeServing {
		return filepath.Join(root, filepath.FromSlash(dir), requests.JSONLName)
	}
	return logPath(root, dir)
}

// loadGenVersion returns the version of the LoadGen that wrote a detail log.
func loadGenVersion(path string) (string, error) {
	f, err := bounded.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // opened for reading
	d, err := mllog.ScanDetail(f)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	version, ok := d.First("loadgen_version")
	if !ok {
		return "", fmt.Errorf("%s has no loadgen_version: no log of a LoadGen", path)
	}
	return fmt.Sprint(version.Value), nil
}

// ownLoadGen is the prefix of the versions of this project's LoadGen, whose runs are rehearsals.
const ownLoadGen = "plumbline"

func isRehearsal(version string) bool { return strings.HasPrefix(version, ownLoadGen) }
