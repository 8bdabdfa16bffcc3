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

// Run makes a new tree like the official tool, with all its peculiarities. An error means that the tool dies; the tree
// is then incomplete. Run does not call the power working group's checker.
func Run(o Options) ([]python.Line, error) {
	t := &preparation{Options: o}
	t.ModelMapping = cmp.Or(o.ModelMapping, tree.ModelMapping)
	if _, err := os.Stat(o.Output); err == nil {
		t.Say(python.Error, "output directory %s already exists", o.Output)
		return t.Lines, ErrOutputExists
	}
	return t.Lines, t.run()
}

// preparation is the state of Run. Paths are slash-separated and relative to the new tree.
type preparation struct {
	Options
	python.Log

	rules oldRules
	kind  mlconf.SystemType // type of the last examined system
}

func (t *preparation) run() (err error) {
	if err := t.copyInput(); err != nil {
		return err
	}
	if t.rules, err = openOldRules(t.Round); err != nil {
		return err
	}
	if err := t.removeEmpty(); err != nil {
		return err
	}
	divisions, err := t.folders(".")
	if err != nil {
		return err
	}
	for _, division := range slices.Sorted(slices.Values(divisions)) {
		if !slices.Contains(tree.Divisions(), division) {
			continue
		}
		if err := t.division(division); err != nil {
			return err
		}
	}
	return t.removeEmpty()
}

func (t *preparation) at(name string) string {
	return filepath.Join(t.Output, filepath.FromSlash(name))
}

// exists reports whether a path exists, following links.
func (t *preparation) exists(name string) bool {
	_, err := os.Stat(t.at(name))
	return err == nil
}

// folders lists the folders in a folder. SingleStream is first, so nothing is inferred from an inferred result. The
// tool uses the order of the file system.
func (t *preparation) folders(name string) ([]string, error) {
	return foldersIn(t.at(name))
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
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	return names, nil
}

func rank(folder string) int {
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
		return treefiles.CopyFolder(context.Background(), from, t.at(name))
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
			err = treefiles.CopyFolder(context.Background(), source, t.at(path.Join(name, placeOf(e.Name()))))
		default:
			if err = os.MkdirAll(t.at(name), 0o755); err == nil {
				err = treefiles.CopyFile(context.Background(), source, t.at(path.Join(name, e.Name())))
			}
		}
		if err != nil && info != nil {
			return err
		}
	}
	return nil
}

// placeOf returns the new place of a submitter's folder.
func placeOf(folder string) string {
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
	t.Say(python.Info, "Removing empty dir: (%s)", name)
	return true, os.Remove(dir)
}

func (t *preparation) division(division string) error {
	submitters, err := t.folders(division)
	if err != nil {
		return err
	}
	for _, submitter := range submitters {
		p := tree.Place{Division: division, Submitter: submitter}
		if t.Submitter != "" && submitter != t.Submitter {
			continue
		}
		if !t.exists(p.Results()) {
			t.Say(python.Error, "no submission in %s", p.Results())
			continue
		}
		if err := t.systems(p); err != nil {
			return err
		}
		if t.NoLowAccuracy {
			continue
		}
		if err := t.lowAccuracies(p); err != nil {
			return err
		}
	}
	return nil
}

func (t *preparation) systems(p tree.Place) error {
	systems, err := t.folders(p.Results())
	if err != nil {
		return err
	}
	for _, p.System = range systems {
		if !t.exists(p.SystemFile()) {
			t.Say(python.Error, "no system_desc for %s/%s/%s", p.Division, p.Submitter, p.System)
			continue
		}
		s, err := t.openSystem(p)
		if err != nil {
			return err
		}
		benchmarks, err := t.folders(p.Results())
		if err != nil {
			return err
		}
		for _, name := range benchmarks {
			s.place.Benchmark = name
			if err := t.benchmark(s); err != nil {
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
	if s.text, s.judge.system, err = readObject(t.at(p.SystemFile())); err != nil {
		return s, err
	}
	value := s.judge.system["system_type"]
	s.kindText, _ = value.(string)
	kind, ok := system.Type(s.kindText)
	if !ok {
		t.Say(python.Error, "Division %s, submitter %s, system %s has invalid system type (%v)", p.Division,
			p.Submitter, p.SystemFile(), pythonText(value))
		return s, errors.New("ValueError: invalid system type")
	}
	t.kind = kind
	mapping := path.Join(p.Folder(), t.ModelMapping)
	if p.Division != tree.DivisionOpen || !t.exists(mapping) {
		return s, nil
	}
	_, names, err := readObject(t.at(mapping))
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

// benchmark cleans a benchmark's folder and infers its missing scenarios.
func (t *preparation) benchmark(s officialSystem) error {
	p := s.place
	model, _ := t.rules.ModelOf(p.Benchmark, s.mapping)
	if len(t.rules.required(model, t.kind)) == 0 {
		models := "dict_keys(['" + strings.Join(t.rules.models(t.kind), "', '") + "'])"
		t.Say(python.Warning, "Division %s, submitter %s, system %s has invalid MLPerf model (%s) corresponding to "+
			"given model (%s). Valid ones for MLPerf inference version (%s) in (%s) category are [%s]. Removing...", p.Division,
			p.Submitter, p.SystemFile(), model, p.Benchmark, t.rules.Name, s.kindText, models)
		return t.removeBenchmark(p)
	}
	if err := t.clean(s, model); err != nil || !t.exists(p.Results()) {
		return err
	}
	return t.infer(p, t.rules.scenarios(model, t.kind))
}

// removeBenchmark removes a benchmark's folder, and the system's folder if it is then empty.
func (t *preparation) removeBenchmark(p tree.Place) error {
	t.Say(python.Print, "rmtree %s", p.Results())
	if err := os.RemoveAll(t.at(p.Results())); err != nil {
		return err
	}
	p.Benchmark = ""
	entries, err := os.ReadDir(t.at(p.Results()))
	if err != nil || len(entries) > 0 {
		return err
	}
	t.Say(python.Info, "No benchmark results remaining for %s. rmtree %s", p.System, p.Results())
	return os.RemoveAll(t.at(p.Results()))
}
