package former

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	fields "github.com/plumbline-ml/plumbline/internal/submission/system"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// measurements judges the folder with a result's configuration and description. An error is a crash.
func (c *formerChecker) judgeMeasurements(f *scenarioFolder, dir string) (faults []string, err error) {
	names, err := c.files.Files(dir)
	if err != nil {
		return nil, err
	}
	faults = c.checkConfigurations(dir, names)
	if f.hasPower && c.book.PowerTexts {
		faults = append(faults, c.checkPowerTexts(dir)...)
	}
	i := slices.IndexFunc(names, func(name string) bool {
		return strings.HasPrefix(name, f.place.System) && strings.HasSuffix(name, ".json")
	})
	if i < 0 {
		if c.book.EqualIssue != nil {
			return nil, fmt.Errorf("there is no description %s*.json", f.place.System)
		}
		return append(faults, "there is no description "+f.place.System+"*.json"), nil
	}
	model, err := c.checkDescription(path.Join(dir, names[i]))
	if err != nil {
		return nil, err
	}
	faults = append(faults, model...)
	code, ok, err := c.findPrograms(f, implementationName(names[i], f))
	if err != nil {
		return nil, err
	}
	if !ok {
		faults = append(faults, code+" is missing")
	}
	return faults, c.readEqualIssue(f, dir, names)
}

// checkConfigurations checks for the required files of the folder.
func (c *formerChecker) checkConfigurations(dir string, names []string) (faults []string) {
	for _, name := range []string{tree.MLPerfConf, tree.UserConf, tree.Readme} {
		switch size, err := c.files.Size(path.Join(dir, name)); {
		case !slices.Contains(names, name):
			faults = append(faults, name+" is missing")
		case !c.features.LoosePapers && !c.SkipEmptyFiles && (err != nil || size == 0):
			faults = append(faults, name+" is empty")
		}
	}
	return faults
}

// implementation returns the part of a description's name that names the implementation.
func implementationName(name string, f *scenarioFolder) string {
	rest, whole := strings.CutSuffix(name, "_"+f.place.Scenario+".json")
	if !whole {
		rest = strings.TrimSuffix(name, ".json")
	}
	return rest[min(len(rest), len(f.place.System)+1):]
}

// checkDescription checks the fields of a model's description.
func (c *formerChecker) checkDescription(name string) (faults []string, err error) {
	v, err := c.files.JSON(name)
	if err != nil {
		return nil, err
	}
	list, _ := v.(*pyvalue.Dict)
	for _, field := range fields.Measurements() {
		v, ok := list.Get(field.Name)
		switch {
		case !ok:
			faults = append(faults, "the field "+field.Name+" is missing")
		case !c.features.LoosePapers && !c.SkipMeaningful && !pyvalue.IsTrue(v):
			faults = append(faults, "the field "+field.Name+" is empty")
		}
	}
	return faults, nil
}

// checkPowerTexts checks for texts about a power measurement, in the result's folder or one above it.
func (c *formerChecker) checkPowerTexts(dir string) (faults []string) {
	const levels = 4 // up to measurements/
	found := map[string]string{}
	for range levels {
		names, _ := c.files.Files(dir)
		for _, name := range names {
			for _, text := range tree.PowerTexts() {
				if strings.HasPrefix(name, text) && name != text { // the checker's pattern requires an additional character
					found[text] = path.Join(dir, name)
				}
			}
		}
		dir = path.Dir(dir)
	}
	for _, text := range []string{"analyzer_table", "power_settings"} {
		name, ok := found[text]
		size, err := c.files.Size(name)
		switch {
		case !ok:
			faults = append(faults, text+".* is missing")
		case !c.SkipEmptyFiles && (err != nil || size == 0):
			faults = append(faults, name+" is empty")
		}
	}
	return faults
}

// equalIssue reads from the configuration files whether samples are issued equally often. An error is a crash.
func (c *formerChecker) readEqualIssue(f *scenarioFolder, dir string, names []string) error {
	if !hasClosedRules(f.place.Division) || !slices.Contains(c.book.EqualIssue, f.place.Benchmark) {
		return nil
	}
	for _, name := range []string{tree.MLPerfConf, tree.UserConf} {
		if !slices.Contains(names, name) {
			continue
		}
		lines, err := c.files.Lines(path.Join(dir, name))
		if err != nil {
			return err
		}
		if err := f.parseEqualIssue(lines); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

var errConf = errors.New("a line is not MODEL.SCENARIO.KEY = VALUE")

func (f *scenarioFolder) parseEqualIssue(lines []string) error {
	model := strings.NewReplacer("-99.9", "", "-99", "").Replace(f.place.Benchmark)
	for _, line := range lines {
		line = strings.NewReplacer(" ", "", "\n", "").Replace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		halves := strings.Split(line, "=")
		parts := strings.Split(halves[0], ".")
		if len(halves) != 2 || len(parts) != 3 {
			return fmt.Errorf("%w: %.80q", errConf, line)
		}
		if parts[2] == "sample_concatenate_permutation" && (parts[0] == model || parts[0] == "*") &&
			(parts[1] == f.place.Scenario || parts[1] == "*") && isNumeric(halves[1]) {
			n, err := strconv.ParseUint(pyfloat.ToASCIIDigits(halves[1]), 10, 64)
			f.equalIssue = err == nil && n == 1
			return nil
		}
	}
	return nil
}

func isNumeric(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsNumber(r) })
}

func trimSpace(text string) string { return strings.TrimFunc(text, pyfloat.IsSpace) }
