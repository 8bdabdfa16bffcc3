package prepare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/treefiles"
	"github.com/plumbline-ml/plumbline/internal/submission/official/internal/python"
	"github.com/plumbline-ml/plumbline/internal/submission/system"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// Options contains the options of the official tool.
type Options struct {
	Input, Output  string
	Submitter      string // empty: all
	Round          string // one of officialRounds; without one, the tool dies after copying the tree
	ModelMapping   string // name of an open submitter's file; empty: model_mapping.json
	KeepStructure  bool   // leave compliance, measurements and code in their places
	KeepEmptyDirs  bool
	NoLowAccuracy  bool // do not copy
	NoScenarios    bool // if Offline and MultiStream are both missing, do not copy SingleStream to them
	NoMoveToOpen   bool // remove failing results of closed and network
	NoDeleteFailed bool // no effect, as in the tool
}

// ErrOutputExists reports that Output exists already.
var ErrOutputExists = errors.New("the output folder already exists")

// PrepareTree makes a new tree like the official tool, with all its peculiarities. An error means that the tool dies;
// the tree is then incomplete. Run does not call the power working group's checker.
func PrepareTree(o Options) ([]python.Line, error) {
	t := &preparation{Options: o}
	t.ModelMapping = cmp.Or(o.ModelMapping, tree.ModelMapping)
	if _, err := os.Stat(o.Output); err == nil {
		t.AddLine(python.LevelError, "output directory %s already exists", o.Output)
		return t.Lines, ErrOutputExists
	}
	return t.Lines, t.runTool()
}

// preparation is the state of Run. Paths are slash-separated and relative to the new tree.
type preparation struct {
	Options
	python.Log

	rules oldRules
	kind  mlconf.SystemType // type of the last examined system
}

func (t *preparation) runTool() (err error) {
	if err := t.copyInput(); err != nil {
		return err
	}
	if t.rules, err = openOldRules(t.Round); err != nil {
		return err
	}
	if err := t.removeEmpty(); err != nil {
		return err
	}
	divisions, err := t.listFolders(".")
	if err != nil {
		return err
	}
	for _, division := range slices.Sorted(slices.Values(divisions)) {
		if !slices.Contains(tree.Divisions(), division) {
			continue
		}
		if err := t.walkDivision(division); err != nil {
			return err
		}
	}
	return t.removeEmpty()
}

func (t *preparation) pathTo(name string) string {
	return filepath.Join(t.Output, filepath.FromSlash(name))
}

// exists reports whether a path exists, following links.
func (t *preparation) exists(name string) bool {
	_, err := os.Stat(t.pathTo(name))
	return err == nil
}

// listFolders lists the folders in a folder. SingleStream is first, so nothing is inferred from an inferred result. The
// tool uses the order of the file system.
func (t *preparation) listFolders(name string) ([]string, error) {
	return foldersIn(t.pathTo(name))
}

func foldersIn(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if info, err := os.Stat(filepath.Join(dir, e.Name())); err == nil && info.IsDir() {
			names = append(names, e.Name())
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return folderRank(a) - folderRank(b) })
	return names, nil
}

func folderRank(folder string) int {
	if strings.EqualFold(folder, "SingleStream") {
		return 0
	}
	return 1
}

// copyInput copies the submitters' folders. Unless the structure is kept, it moves some of them to other places.
func (t *preparation) copyInput() error {
	if err := os.MkdirAll(t.Output, 0o755); err != nil {
		return err
	}
	for _, division := range tree.Divisions() {
		submitters, err := foldersIn(filepath.Join(t.Input, division))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		for _, submitter := range submitters {
			if t.Submitter != "" && submitter != t.Submitter {
				continue
			}
			if err := t.copySubmitter(path.Join(division, submitter)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *preparation) copySubmitter(name string) error {
	from := filepath.Join(t.Input, filepath.FromSlash(name))
	if t.KeepStructure {
		return treefiles.CopyFolder(context.Background(), from, t.pathTo(name))
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		source := filepath.Join(from, e.Name())
		info, err := os.Stat(source)
		switch {
		case err != nil: // a link without a target is neither a folder nor a file
		case info.IsDir():
			err = treefiles.CopyFolder(context.Background(), source, t.pathTo(path.Join(name, newPlace(e.Name()))))
		default:
			if err = os.MkdirAll(t.pathTo(name), 0o755); err == nil {
				err = treefiles.CopyFile(context.Background(), source, t.pathTo(path.Join(name, e.Name())))
			}
		}
		if err != nil && info != nil {
			return err
		}
	}
	return nil
}

// newPlace returns the new place of a submitter's folder.
func newPlace(folder string) string {
	switch folder {
	case "compliance", "measurements":
		return tree.ResultsDir
	case "code":
		return "src"
	}
	return folder
}

// removeEmpty removes folders without files, possibly including the tree itself.
func (t *preparation) removeEmpty() error {
	if t.KeepEmptyDirs {
		return nil
	}
	empty, err := t.removeEmptyBelow(t.Output, t.Output)
	if err == nil && empty {
		err = &os.PathError{Op: "open", Path: t.Output, Err: os.ErrNotExist}
	}
	return err
}

// removeEmptyBelow removes a folder if it contains only empty folders. name is the folder's name in messages.
func (t *preparation) removeEmptyBelow(dir, name string) (empty bool, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, err
	}
	empty = true
	for _, e := range entries {
		gone := false
		if e.IsDir() {
			gone, err = t.removeEmptyBelow(filepath.Join(dir, e.Name()), name+"/"+e.Name())
		}
		if err != nil {
			return false, err
		}
		empty = empty && gone
	}
	if !empty {
		return false, nil
	}
	t.AddLine(python.LevelInfo, "Removing empty dir: (%s)", name)
	return true, os.Remove(dir)
}

func (t *preparation) walkDivision(division string) error {
	submitters, err := t.listFolders(division)
	if err != nil {
		return err
	}
	for _, submitter := range submitters {
		p := tree.Place{Division: division, Submitter: submitter}
		if t.Submitter != "" && submitter != t.Submitter {
			continue
		}
		if !t.exists(p.Results()) {
			t.AddLine(python.LevelError, "no submission in %s", p.Results())
			continue
		}
		if err := t.walkSystems(p); err != nil {
			return err
		}
		if t.NoLowAccuracy {
			continue
		}
		if err := t.copyLowAccuracies(p); err != nil {
			return err
		}
	}
	return nil
}

func (t *preparation) walkSystems(p tree.Place) error {
	systems, err := t.listFolders(p.Results())
	if err != nil {
		return err
	}
	for _, p.System = range systems {
		if !t.exists(p.SystemFile()) {
			t.AddLine(python.LevelError, "no system_desc for %s/%s/%s", p.Division, p.Submitter, p.System)
			continue
		}
		s, err := t.openSystem(p)
		if err != nil {
			return err
		}
		benchmarks, err := t.listFolders(p.Results())
		if err != nil {
			return err
		}
		for _, name := range benchmarks {
			s.place.Benchmark = name
			if err := t.walkBenchmark(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// officialSystem is a system as read by the tool.
type officialSystem struct {
	place    tree.Place // place of the current benchmark
	text     []byte     // text of the description
	kindText string     // its system_type
	judge    oldJudge
	mapping  map[string]string // of an open submitter; nil: none
}

func (t *preparation) openSystem(p tree.Place) (s officialSystem, err error) {
	s.place = p
	s.judge = oldJudge{rules: t.rules, division: p.Division}
	if s.text, s.judge.system, err = readObject(t.pathTo(p.SystemFile())); err != nil {
		return s, err
	}
	value := s.judge.system["system_type"]
	s.kindText, _ = value.(string)
	kind, ok := system.ParseType(s.kindText)
	if !ok {
		t.AddLine(python.LevelError, "Division %s, submitter %s, system %s has invalid system type (%v)", p.Division,
			p.Submitter, p.SystemFile(), pythonText(value))
		return s, errors.New("ValueError: invalid system type")
	}
	t.kind = kind
	mapping := path.Join(p.Folder(), t.ModelMapping)
	if p.Division != tree.DivisionOpen || !t.exists(mapping) {
		return s, nil
	}
	_, names, err := readObject(t.pathTo(mapping))
	s.mapping = map[string]string{}
	for folder, model := range names {
		s.mapping[folder], _ = model.(string)
	}
	return s, err
}

// pythonText returns a JSON value in the form in which Python prints None or a boolean.
func pythonText(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		return map[bool]string{true: "True", false: "False"}[v]
	}
	return fmt.Sprint(v)
}

// walkBenchmark cleans a benchmark's folder and infers its missing scenarios.
func (t *preparation) walkBenchmark(s officialSystem) error {
	p := s.place
	model, _ := t.rules.ModelOf(p.Benchmark, s.mapping)
	if len(t.rules.requiredScenarios(model, t.kind)) == 0 {
		models := "dict_keys(['" + strings.Join(t.rules.modelsFor(t.kind), "', '") + "'])"
		t.AddLine(python.LevelWarning, "Division %s, submitter %s, system %s has invalid MLPerf model (%s) corresponding to "+
			"given model (%s). Valid ones for MLPerf inference version (%s) in (%s) category are [%s]. Removing...", p.Division,
			p.Submitter, p.SystemFile(), model, p.Benchmark, t.rules.Name, s.kindText, models)
		return t.removeBenchmark(p)
	}
	if err := t.cleanBenchmark(s, model); err != nil || !t.exists(p.Results()) {
		return err
	}
	return t.inferScenarios(p, t.rules.allScenarios(model, t.kind))
}

// removeBenchmark removes a benchmark's folder, and the system's folder if it is then empty.
func (t *preparation) removeBenchmark(p tree.Place) error {
	t.AddLine(python.LevelPrint, "rmtree %s", p.Results())
	if err := os.RemoveAll(t.pathTo(p.Results())); err != nil {
		return err
	}
	p.Benchmark = ""
	entries, err := os.ReadDir(t.pathTo(p.Results()))
	if err != nil || len(entries) > 0 {
		return err
	}
	t.AddLine(python.LevelInfo, "No benchmark results remaining for %s. rmtree %s", p.System, p.Results())
	return os.RemoveAll(t.pathTo(p.Results()))
}
