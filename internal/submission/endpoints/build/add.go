package build

import (
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/internal/schema"
)

// The files in a point's folder.
const (
	pointFile    = "point.yaml"
	configFile   = "config.yaml"
	summaryFile  = "result_summary.json"
	accuracyFile = "accuracy_results.json"
	resultsFile  = "results.json"
	systemDesc   = "system_desc.json"
	systemPower  = "system_power.json"
)

// AddOptions contains the options for adding points.
type AddOptions struct {
	System    string // empty: the workspace's only system
	Replace   bool   // replace points that were added before
	Rehearsal bool   // accept points that cannot be submitted
	Now       time.Time
}

// Add adds points to the submission. Each folder is the folder of a point, or contains folders rN of several points. If
// there is a fault, Add adds none. It writes the sheet of each new model and saves the workspace.
func (w *Workspace) Add(folders []string, o AddOptions, rules *endpoints.Rules) (added []Point, err error) {
	name, err := w.chooseSystem(o.System)
	if err == nil && !slices.Contains(w.Systems(), name) {
		err = fmt.Errorf("the system %s has no sheet: harness submission init --rules %s --system %s", name, w.Rules, name)
	}
	if err != nil {
		return nil, err
	}
	points, added, err := w.readPoints(folders, name, o, rules)
	if err != nil {
		return nil, err
	}
	w.Points = points
	if err := os.MkdirAll(filepath.Join(w.Dir, modelsDir), 0o755); err != nil {
		return nil, err
	}
	for _, p := range added {
		if _, err := w.completeSheet(modelFile(p.Model), modelFields(), nil); err != nil {
			return nil, err
		}
	}
	return added, w.saveFile()
}

// readPoints reads the points of folders and inserts them among the existing ones.
func (w *Workspace) readPoints(folders []string, name string, o AddOptions, rules *endpoints.Rules) (points,
	added []Point,
	err error) {
	var faults []error
	points = slices.Clone(w.Points)
	for _, folder := range folders {
		dirs, err := pointFolders(folder)
		faults = append(faults, err)
		for _, dir := range dirs {
			p, err := readPoint(dir, rules)
			if err == nil && len(p.Marks) > 0 && !o.Rehearsal {
				err = fmt.Errorf("%s cannot be submitted: %s; --rehearsal takes it, marked", dir, strings.Join(p.Marks, "; "))
			}
			if err != nil {
				faults = append(faults, err)
				continue
			}
			p.System, p.Added = name, o.Now.UTC().Format(time.RFC3339)
			points, err = placePoint(points, p, o.Replace, added)
			faults = append(faults, err)
			added = append(added, p)
		}
	}
	return points, added, errors.Join(faults...)
}

// placePoint inserts a point among the existing ones.
func placePoint(points []Point, p Point, replace bool, now []Point) ([]Point, error) {
	i := slices.IndexFunc(points, p.hasSameName)
	switch {
	case i < 0:
	case slices.ContainsFunc(now, p.hasSameName):
		return points, fmt.Errorf("%v: there are two, in %s and %s", p, points[i].Dir, p.Dir)
	case !replace:
		return points, fmt.Errorf("%v: there is one from %s; put this in its place with --replace", p, points[i].Dir)
	default:
		points = slices.Delete(slices.Clone(points), i, i+1)
	}
	points = append(points, p)
	slices.SortFunc(points, func(a, b Point) int {
		if a.System != b.System || a.Model != b.Model {
			return strings.Compare(a.System+"/"+a.Model, b.System+"/"+b.Model)
		}
		if a.Concurrency != b.Concurrency {
			return a.Concurrency - b.Concurrency
		}
		return -strings.Compare(a.Mode, b.Mode)
	})
	return points, nil
}

// pointFolders returns the folders of points in a folder.
func pointFolders(folder string) (dirs []string, err error) {
	whole, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(whole, pointFile)); err == nil {
		return []string{whole}, nil
	}
	entries, err := os.ReadDir(whole)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(whole, e.Name(), pointFile)); err == nil {
			dirs = append(dirs, filepath.Join(whole, e.Name()))
		}
	}
	if len(dirs) == 0 {
		return nil, fmt.Errorf("%s has no %s, nor has a folder in it: want the folder of a point, as harness submission run "+
			"and the official client write it", folder, pointFile)
	}
	return dirs, nil
}

// readPoint reads the description of a point from its folder.
func readPoint(dir string, rules *endpoints.Rules) (p Point, err error) {
	d, _, err := readYAML(filepath.Join(dir, pointFile))
	if err != nil {
		return p, err
	}
	p = Point{Dir: dir, Mode: Performance}
	p.Model, _ = pyvalue.Field[string](d, "model_name")
	p.Concurrency = wholeNumber(d, "concurrency")
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf(dir+": "+format, args...))
	}
	if !slices.Contains(rules.Models, p.Model) {
		fault("model_name of %s is %q, want one of %s", pointFile, p.Model, strings.Join(rules.Models, ", "))
	}
	if p.Concurrency < 1 {
		fault("concurrency of %s is no whole number from 1: want that of the run", pointFile)
	}
	if mark, _ := pyvalue.Field[bool](d, "rehearsal"); mark {
		client, _ := pyvalue.Field[string](d, "client")
		p.Marks = append(p.Marks, fmt.Sprintf("a rehearsal by %q: the rules want the official client, and its times", client))
	}
	run, _, err := readYAML(filepath.Join(dir, configFile))
	if err != nil {
		fault("%w: want what the client ran", err)
	}
	summary, accuracy := firstFile(dir, summaryNames()...), accuracyPath(dir)
	switch {
	case summary == "" && accuracy == "":
		fault("there is no %s and no %s: the run has not ended, or is another client's", summaryFile, accuracyFile)
	case accuracy != "" && (summary == "" || firstSetType(run) == Accuracy):
		p.Mode = Accuracy
	case summary == "":
		fault("there is no %s", summaryFile)
	}
	if err := errors.Join(faults...); err != nil {
		return p, err
	}
	of := summary
	if p.Mode == Accuracy {
		of = accuracy
	}
	p.SHA256, _, err = checksum.File(of)
	return p, err
}

// wholeNumber returns a whole number from a file, or 0 if it is missing, not a whole number or above 2^30.
func wholeNumber(d *pyvalue.Dict, key string) int {
	v, _ := d.Get(key)
	switch v := v.(type) {
	case int64:
		if v >= 0 && v <= 1<<30 {
			return int(v)
		}
	case *big.Int:
		if v.IsInt64() && v.Int64() >= 0 && v.Int64() <= 1<<30 {
			return int(v.Int64())
		}
	}
	return 0
}

// firstSetType returns the type of the first data set in a client's configuration.
func firstSetType(run *pyvalue.Dict) string {
	sets, _ := pyvalue.Field[[]any](run, "datasets")
	if len(sets) == 0 {
		return ""
	}
	first, _ := sets[0].(*pyvalue.Dict)
	kind, _ := pyvalue.Field[string](first, "type")
	return strings.ToLower(strings.TrimSpace(kind))
}

func summaryNames() []string { return []string{filepath.Join("performance", summaryFile), summaryFile} }

// accuracyPath returns the path of a run's accuracy file; empty: none.
func accuracyPath(dir string) string {
	found := firstFile(dir, filepath.Join("accuracy", accuracyFile), accuracyFile, filepath.Join("accuracy", resultsFile))
	if found != "" {
		return found
	}
	if d, err := readJSON(filepath.Join(dir, resultsFile)); err == nil {
		if _, there := d.Get("accuracy_scores"); there {
			return filepath.Join(dir, resultsFile)
		}
	}
	return ""
}

// firstFile returns the path of the first existing file among names.
func firstFile(dir string, names ...string) string {
	for _, name := range names {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

func readYAML(path string) (d *pyvalue.Dict, text []byte, err error) {
	if text, err = bounded.ReadFile(path, maxFile); err == nil {
		d, err = schema.ParseYAML(text, maxFile)
		if err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}
	return d, text, err
}

func readJSON(path string) (*pyvalue.Dict, error) {
	text, err := bounded.ReadFile(path, maxFile)
	if err != nil {
		return nil, err
	}
	v, err := pyvalue.Decode(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	d, ok := v.(*pyvalue.Dict)
	if !ok {
		return nil, fmt.Errorf("%s: want a JSON object", path)
	}
	return d, nil
}

// Remove removes the points whose names contain one of the given texts.
func (w *Workspace) Remove(names []string) (removed []Point, err error) {
	for _, name := range names {
		has := func(p Point) bool {
			return slices.Contains(strings.FieldsFunc(p.String(), isSeparator), name) || p.String() == name
		}
		if !slices.ContainsFunc(w.Points, has) {
			return nil, fmt.Errorf("no point is called %q: want rN, a model, a system or a mode", name)
		}
		w.Points = slices.DeleteFunc(w.Points, func(p Point) bool {
			if has(p) {
				removed = append(removed, p)
			}
			return has(p)
		})
	}
	return removed, w.saveFile()
}

func isSeparator(r rune) bool { return r == '/' || r == ' ' }
