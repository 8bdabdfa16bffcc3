package assemble

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"

	"github.com/plumbline-ml/plumbline/internal/submission/system"
)

// OpenFields returns the fields that a person must still fill in.
func (w *Workspace) OpenFields() ([]Unfilled, error) { return w.unfilledFields(w.Systems()) }

// unfilledFields returns the fields of some systems that must be filled in.
func (w *Workspace) unfilledFields(systems []string) ([]Unfilled, error) {
	var open []Unfilled
	if !w.SubmitterKnown() {
		open = append(open, Unfilled{WorkspaceFile, system.OpenField{Field: "submitter",
			Ask: "the name of your organisation"}})
	}
	for _, name := range systems {
		sheet, err := w.openSheet(name)
		if err != nil {
			return nil, err
		}
		for _, o := range sheet.OpenFields() {
			if o.Field != "submitter" || w.SubmitterKnown() { // otherwise the workspace asks for it once
				open = append(open, Unfilled{w.systemFile(name), o})
			}
		}
	}
	measured, err := w.openMeasurements()
	return append(open, measured...), err
}

// openSheet reads the description of a system.
func (w *Workspace) openSheet(name string) (*system.Sheet, error) {
	s, _, err := readSheet(filepath.Join(w.Dir, w.systemFile(name)), systemFields(w.isNetworked(name)))
	return s, err
}

// openMeasurements returns the fields of measurements that neither a person nor the runs provide.
func (w *Workspace) openMeasurements() ([]Unfilled, error) {
	var open []Unfilled
	err := w.eachMeasurements(func(benchmark string, sheet *system.Sheet) error {
		for _, o := range sheet.OpenFields() {
			open = append(open, Unfilled{measurementsFile(benchmark), o})
		}
		return nil
	})
	return open, err
}

// writeOpenMeasurements creates the files in which a person fills in the data on the models that the runs do not
// contain.
func (w *Workspace) writeOpenMeasurements() error {
	return w.eachMeasurements(func(benchmark string, sheet *system.Sheet) error {
		open := sheet.OpenFields()
		if len(open) == 0 {
			return nil
		}
		path := filepath.Join(w.Dir, measurementsFile(benchmark))
		own, before, err := readSheet(path, system.Measurements())
		if err != nil {
			return err
		}
		for _, o := range open {
			own.Put(o.Field, system.FillIn+o.Ask)
		}
		if text := own.JSON(); !bytes.Equal(before, text) {
			return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), wholefile.Write(path, text, 0o644))
		}
		return nil
	})
}

// measurementsFile returns the path of a benchmark's sheet in the workspace.
func measurementsFile(benchmark string) string {
	return filepath.Join(MeasurementsDir, benchmark+".json")
}

// eachMeasurements calls do with the measurements of each benchmark.
func (w *Workspace) eachMeasurements(do func(benchmark string, sheet *system.Sheet) error) error {
	seen := map[string]bool{}
	for _, r := range w.Results {
		if r.Mode != bench.ModePerformance || r.Test != "" || seen[r.Benchmark] {
			continue
		}
		seen[r.Benchmark] = true
		run, err := r.readRecord()
		if err != nil {
			return err
		}
		sheet, err := w.measurements(r.Benchmark, run)
		if err != nil {
			return err
		}
		if err := do(r.Benchmark, sheet); err != nil {
			return err
		}
	}
	return nil
}

// measurements returns the measurements of a benchmark. Each field comes from the benchmark's sheet, or else from the
// sheet for all benchmarks, or else from the run.
func (w *Workspace) measurements(benchmark string, run *record.Run) (*system.Sheet, error) {
	sheet := system.NewSheet(system.Measurements())
	for _, file := range []string{measurementsFile(benchmark), MeasurementsFile} {
		said, _, err := readSheet(filepath.Join(w.Dir, file), system.Measurements())
		if err != nil {
			return nil, err
		}
		for _, f := range system.Measurements() {
			if text := said.Text(f.Name); text != "" && !sheet.Has(f.Name) {
				sheet.Put(f.Name, text)
			}
		}
	}
	sheet.Complete(measuredFacts(run))
	return sheet, nil
}

// measuredFacts returns the data of a run on its model. Only the manifest's own model files have a known origin of
// their weights.
func measuredFacts(run *record.Run) map[string]string {
	w := run.Workload
	if w == nil {
		return nil
	}
	precision := cmp.Or(w.Precision, run.Stated.Precision)
	known := map[string]string{
		"input_data_types": inputTypes(w), "weight_data_types": precision,
		"starting_weights_filename": modelName(w), "weight_transformations": w.ModelNote,
	}
	if precision == "fp32" {
		known["weight_transformations"] = "none"
	}
	return known
}

// modelName returns the name of the model's file, or the names of its parts' files.
func modelName(w *record.Workload) string {
	if len(w.Parts) == 0 {
		return filepath.Base(w.ModelFile)
	}
	names := make([]string, len(w.Parts))
	for i, p := range w.Parts {
		names[i] = filepath.Base(p.File)
	}
	return strings.Join(names, ", ")
}

// inputTypes returns the input types of all parts of the model, if the record contains them.
func inputTypes(w *record.Workload) string {
	types := map[string]bool{}
	for _, p := range w.Parts {
		for _, t := range p.Inputs {
			types[strings.Replace(t.Type, "float", "fp", 1)] = true // submissions write fp32, not float32
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(types)), ", ")
}

// readRecord reads the record of an added run. It returns an error if the run's log has changed since it was added.
func (r Result) readRecord() (*record.Run, error) {
	log := identifyingLog(r.Out, r.Dir, r.Mode)
	sum, _, err := checksum.File(log)
	if err != nil {
		return nil, fmt.Errorf("%v: %w; it was there when the run was added", r, err)
	}
	if sum != r.Log {
		return nil, fmt.Errorf("%v: %s is not what was added any more; add the new run with --replace", r,
			log)
	}
	d, err := record.Read(filepath.Join(r.Out, record.FileName))
	if err == nil && len(d.Runs) == 0 { // without a list in the output directory, the scenario's own list
		d, err = record.Read(filepath.Join(r.Out, filepath.FromSlash(r.Model), r.loadGenScenario(), record.FileName))
	}
	if err != nil {
		return nil, err
	}
	for i := range d.Runs {
		if run := &d.Runs[i]; run.Dir == r.Dir && run.Mode == r.Mode && run.Test == r.Test {
			return run, nil
		}
	}
	return nil, fmt.Errorf("%v: the %s in %s does not list it any more", r, record.FileName, r.Out)
}

// loadGenScenario returns LoadGen's name of the scenario.
func (r Result) loadGenScenario() string {
	if r.Scenario == "Interactive" {
		return "Server"
	}
	return r.Scenario
}

// sourcePath returns the path of a file of the run.
func (r Result) sourcePath(elements ...string) string {
	return filepath.Join(append([]string{r.Out, filepath.FromSlash(r.Dir)}, elements...)...)
}

// hasFile reports whether a file or folder of the run exists.
func (r Result) hasFile(elements ...string) bool {
	_, err := os.Stat(r.sourcePath(elements...))
	return err == nil
}
