package checker

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/official/internal/detail"
	"github.com/plumbline-ml/plumbline/internal/submission/power"
	"github.com/plumbline-ml/plumbline/internal/submission/result"
	fields "github.com/plumbline-ml/plumbline/internal/submission/system"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// system is a system with its description.
type system struct {
	place     tree.Place
	fields    *pyvalue.Dict
	mapping   any // the open submitter's mapping of model names
	nameplate nameplate
	privateID string
}

// nameplate is the content of SYSTEM_power.yaml.
type nameplate struct {
	file   string // "" in rounds without one
	exists bool
	watts  power.Watts
	err    error // faults of the values: power.ErrEmpty or power.ErrValues
}

// folder is a scenario folder.
type folder struct {
	system
	place tree.Place
	model string // name in the rules

	performance, accuracy *detail.Log
	accuracyText          []string // lines of accuracy.txt; nil: missing
	measurements          any
	measurementsFile      string
	audits                map[string]auditFiles

	metric         any     // the result: a float64, or a value from the log
	accuracyValues any     // by metric
	watts          float64 // the power result
	designPower    string  // design_power_watts
	faults         []Reason
}

// auditFiles contains the files of an audit's folder that are read before the judging begins.
type auditFiles struct {
	log   *detail.Log
	lines []string // of the file with the verdict on accuracy; nil: missing
}

func (f *folder) addFault(group, format string, args ...any) {
	f.faults = append(f.faults, Reason{group, fmt.Sprintf(format, args...)})
}

func (c *checker) openSystem(p tree.Place) (system, error) {
	s := system{place: p}
	if !c.files.Exists(p.SystemFile()) {
		return s, errMissing
	}
	v, err := c.files.JSON(p.SystemFile())
	if err != nil {
		return s, err
	}
	var ok bool
	if s.fields, ok = v.(*pyvalue.Dict); !ok {
		return s, errors.New("the description is no object")
	}
	if c.rules.HasNameplate() {
		if s.nameplate, err = c.openNameplate(p); err != nil {
			return s, err
		}
	}
	if c.PrivateIDs {
		s.privateID = c.privateID(p)
	}
	return s, nil
}

// openNameplate reads a nameplate. A file that is not YAML is a crash.
func (c *checker) openNameplate(p tree.Place) (nameplate, error) {
	n := nameplate{file: p.NameplateFile()}
	if n.exists = c.files.Exists(n.file); !n.exists {
		return n, nil
	}
	text, err := c.files.Text(n.file)
	if err != nil {
		return n, err
	}
	n.watts, n.err = power.SumNameplate([]byte(text))
	if errors.Is(n.err, power.ErrYAML) {
		return n, n.err
	}
	return n, nil
}

// privateID returns the id in privateid.json, or else the id that would be written there.
func (c *checker) privateID(p tree.Place) string {
	if v, err := c.files.JSON(path.Join(p.Results(), tree.PrivateIDFile)); err == nil {
		if ids, ok := v.(*pyvalue.Dict); ok {
			if id, ok := ids.Get(p.System); ok {
				return pyvalue.Text(id)
			}
		}
	}
	return result.PrivateID(p.System)
}

// scenarioFolders compares the folders of a benchmark with the scenarios of its system type. Errors are crashes.
func (c *checker) scenarioFolders(s system, benchmark string, folders []string) ([]Reason, error) {
	text, _ := s.fields.Get("system_type")
	name, _ := text.(string)
	kind, ok := fields.ParseType(name)
	if !ok {
		return nil, fmt.Errorf("the system type is %s, want edge, datacenter or datacenter,edge", pyvalue.Name(text))
	}
	model, _ := c.rules.ModelOf(benchmark, nil)
	required := lowerCase(c.rules.RequiredScenarios(model, kind))
	if len(required) == 0 {
		return nil, fmt.Errorf("%s has no place on a system of type %s in %s", model, name, c.rules.Name)
	}
	optional := lowerCase(c.rules.OptionalScenarios(model, kind))
	found := lowerCase(folders)
	var faults []Reason
	add := func(format string, args ...any) {
		faults = append(faults, Reason{"performance", fmt.Sprintf(format, args...)})
	}
	for _, name := range required {
		if !slices.Contains(found, name) {
			add("the benchmark lacks the scenario %s", name)
		}
	}
	for i, name := range found {
		if !slices.Contains(required, name) && !slices.Contains(optional, name) {
			add("the benchmark has the folder %s, which is none of its scenarios", folders[i])
		}
	}
	both := slices.Contains(optional, "interactive") && slices.Contains(optional, "server")
	if both && !slices.Contains(found, "interactive") && !slices.Contains(found, "server") {
		add("the benchmark lacks one of Interactive and Server")
	}
	return faults, nil
}

func lowerCase(names []string) []string {
	lower := make([]string, len(names))
	for i, name := range names {
		lower[i] = pyvalue.Lower(name)
	}
	return lower
}

// openFolder reads the files that the official checker reads before it judges. Errors are crashes.
func (c *checker) openFolder(s system, p tree.Place) (*folder, error) {
	f := &folder{system: s, place: p, audits: map[string]auditFiles{}}
	var errs [5]error
	f.performance, errs[0] = c.files.Log(path.Join(p.Run(), tree.DetailLog))
	f.accuracy, errs[1] = c.files.Log(path.Join(p.Accuracy(), tree.DetailLog))
	f.accuracyText, errs[2] = c.files.Lines(path.Join(p.Accuracy(), tree.AccuracyText))
	errs[3] = c.openMeasurements(f)
	errs[4] = c.openAudits(f)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	var err error
	if f.model, err = c.modelOf(f); err != nil {
		return nil, err
	}
	return f, c.requireLogs(f)
}

// requireLogs requires both logs or neither. A folder without logs is treated as one of an endpoints run.
func (c *checker) requireLogs(f *folder) error {
	switch {
	case f.performance == nil && f.accuracy == nil:
		return errNoLogs(f.place.Scenario)
	case f.performance == nil:
		return fmt.Errorf("%s is missing, though there is one of the accuracy run", path.Join(f.place.Run(), tree.DetailLog))
	case f.accuracy == nil:
		return fmt.Errorf("%s is missing, though there is one of the performance run",
			path.Join(f.place.Accuracy(), tree.DetailLog))
	case f.performance.LacksValue(detail.KeyScenario), f.accuracy.LacksValue(detail.KeyScenario):
		return errors.New("the record of " + detail.KeyScenario + " has no value")
	}
	return nil
}

// errNoLogs returns a crash unless the folder's name alone determines an endpoints run's scenario.
func errNoLogs(folder string) error {
	if name := pyvalue.Lower(folder); name == "singlestream" || name == "interactive" {
		return nil
	}
	return errors.New("there are no detail logs")
}

// modelOf returns the rules' model of the folder's benchmark. A mapping that is not an object is a crash if it is
// needed.
func (c *checker) modelOf(f *folder) (string, error) {
	names := map[string]string{}
	given, isObject := f.mapping.(*pyvalue.Dict)
	for _, key := range given.Keys() {
		v, _ := given.Get(key)
		if name, ok := v.(string); ok {
			names[key] = name
		} else if pyvalue.IsTrue(v) {
			names[key] = pyvalue.Text(v) // not the name of a model
		}
	}
	if f.mapping != nil && !isObject {
		if model, _ := c.rules.ModelOf(f.place.Benchmark, map[string]string{f.place.Benchmark: "\x00"}); model == "\x00" {
			return "", fmt.Errorf("%s is no object", tree.ModelMapping)
		}
	}
	model, _ := c.rules.ModelOf(f.place.Benchmark, names)
	return model, nil
}

// openMeasurements finds and reads the measurements. Before v6.0, a missing folder is a crash.
func (c *checker) openMeasurements(f *folder) (err error) {
	f.measurementsFile = c.layout.MeasurementsFile(f.place)
	if c.layout.Apart {
		names, err := c.files.Files(c.layout.Measurements(f.place))
		if err != nil {
			return err
		}
		i := slices.IndexFunc(names, func(name string) bool {
			return strings.HasPrefix(name, f.place.System) && strings.HasSuffix(name, ".json")
		})
		if i < 0 {
			f.measurementsFile = ""
			return nil
		}
		f.measurementsFile = path.Join(c.layout.Measurements(f.place), names[i])
	}
	if !c.files.Exists(f.measurementsFile) {
		f.measurementsFile = ""
		return nil
	}
	f.measurements, err = c.files.JSON(f.measurementsFile)
	return err
}

// openAudits reads the folders of all audits, including those that the benchmark does not have.
func (c *checker) openAudits(f *folder) error {
	for _, test := range tree.AuditTests() {
		var a auditFiles
		for _, name := range tree.FilesOf(test).Opened {
			file := path.Join(c.layout.Audit(f.place, test), name)
			var err error
			if path.Base(name) == tree.DetailLog {
				a.log, err = c.files.Log(file)
			} else {
				a.lines, err = c.files.Lines(file)
			}
			if err != nil {
				return err
			}
		}
		f.audits[test] = a
	}
	return nil
}
