package assemble

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"

	"github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/system"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// planFiles lists the tree's files.
func (p *Plan) planFiles() error {
	for _, place := range p.systemPlaces() {
		if err := p.addSystem(place); err != nil {
			return err
		}
	}
	for _, place := range p.resultPlaces() {
		if err := p.addResult(p.results[place]); err != nil {
			return err
		}
	}
	for _, of := range p.submitterPlaces() {
		if err := p.addSources(of); err != nil {
			return err
		}
		p.addModelMapping(of)
		p.addCalibration(of)
	}
	p.listOptionalMissing()
	return nil
}

// addSystem adds the description of a system with its submitter and division. It removes the network fields in the
// closed division if the system is also submitted in the network division.
func (p *Plan) addSystem(place tree.Place) error {
	name := place.System
	file := filepath.Join(p.workspace.Dir, p.workspace.systemFile(name))
	sheet, err := p.workspace.openSheet(name)
	if err != nil {
		return err
	}
	sheet.Put("submitter", p.Submitter)
	sheet.Put("division", place.Division)
	if place.Division == tree.DivisionClosed && p.workspace.isNetworked(name) {
		sheet.Remove(system.IsNetwork)
		for _, f := range system.NetworkFields() {
			sheet.Remove(f.Name)
		}
	}
	p.addText(place.SystemFile(), file, sheet.JSON())
	nameplate := filepath.Join(p.workspace.Dir, SystemsDir, name+"_power.yaml")
	if _, err := os.Stat(nameplate); err == nil {
		p.addCopy(place.NameplateFile(), nameplate)
	}
	return nil
}

// addResult adds all files of a result.
func (p *Plan) addResult(r *placedResult) error {
	if run := r.performance.run; run.Serving != nil || canHaveEndpointsForm(run) &&
		r.performance.hasFile("..", "..", endpoints.Folder, endpoints.ConfigFile) {
		return p.addEndpoints(r)
	}
	perf, acc := r.performance.sourcePath, r.accuracy
	p.addCopiesInto(r.place.Run(), fileFinder(perf), tree.RunFiles())
	if r.performance.hasFile("..", tree.PowerDir) {
		p.addPower(r.place, perf)
	}
	p.addCopiesInto(r.place.Accuracy(), fileFinder(acc.sourcePath), tree.AccuracyFiles())
	if err := p.addExhibits(r); err != nil {
		return err
	}
	for test, runs := range r.audits {
		p.addAudit(r, test, runs)
	}
	return p.addDescriptions(r)
}

// canHaveEndpointsForm reports whether a run of LoadGen can have files in the form of the endpoints harness. The round
// must define that form, and the run must be driven by this project's LoadGen, because the official LoadGen does not
// provide the data.
func canHaveEndpointsForm(run *record.Run) bool {
	round, err := mlconf.Round(run.Rules)
	return err == nil && round.HasEndpoints() && run.LoadGen == nil
}

// addEndpoints adds a result in the form of the endpoints harness. These files are in the scenario's folder of a
// replay, and one level above it for a run of LoadGen.
func (p *Plan) addEndpoints(r *placedResult) error {
	replay, up := r.performance.run.Serving != nil, []string{"..", endpoints.Folder}
	if !replay {
		up = append([]string{".."}, up...)
	}
	files, by := endpoints.ResultFiles(replay), "harness run writes it when both runs are made"
	if len(r.audits[cachingTest]) > 0 {
		files = append(files, endpoints.CachingFile)
	}
	for _, name := range files {
		from := r.performance.sourcePath(append(up, filepath.FromSlash(name))...)
		if _, err := os.Stat(from); err != nil {
			if name == endpoints.AccuracyFile && !replay {
				by += ", harness score when the score is of files that another program wrote"
			}
			return fmt.Errorf("%v: %w; %s", r.performance.Result, err, by)
		}
		p.addCopy(path.Join(r.place.Results(), name), from)
	}
	if err := p.addExhibits(r); err != nil {
		return err
	}
	return p.addDescriptions(r)
}

// cachingTest is the audit with a file in the form of the endpoints harness.
const cachingTest = "TEST04"

// addExhibits adds the outputs for inspection: images and videos.
func (p *Plan) addExhibits(r *placedResult) error {
	var faults []error
	for _, folder := range []string{tree.ImagesDir, tree.VideosDir} {
		faults = append(faults, p.copyFolder(path.Join(r.place.Accuracy(), folder), r.accuracy.sourcePath(folder)))
	}
	return errors.Join(faults...)
}

// addPower adds the files of a power measurement. It skips readings without the files of the official power tools,
// because they are informal.
func (p *Plan) addPower(place tree.Place, run func(...string) string) {
	p.addCopiesInto(place.Run(), fileFinder(run), []string{tree.PowerSamples})
	p.addCopiesInto(place.Ranging(), fileFinder(withPrefix(run, "..", tree.RangingDir)), append(tree.RunFiles(),
		tree.PowerSamples))
	p.addCopiesInto(place.Power(), fileFinder(withPrefix(run, "..", tree.PowerDir)), tree.PowerFiles())
	for _, name := range tree.PowerTexts() {
		for _, own := range p.workspace.powerTexts(place.System, name) {
			p.addCopy(path.Join(p.Layout.Measurements(place), name+filepath.Ext(own)), own)
		}
	}
}

// powerTexts returns the files in which a person describes the power measurement of a system, such as
// SYSTEM_power_settings.md.
func (w *Workspace) powerTexts(name, what string) []string {
	dir := filepath.Join(w.Dir, SystemsDir)
	entries, _ := os.ReadDir(dir) // a missing folder has no entries
	var found []string
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasPrefix(e.Name(), name+"_"+what+".") {
			found = append(found, filepath.Join(dir, e.Name()))
		}
	}
	return found
}

// fileFinder returns a function that returns the path of a source file and whether it is a regular file.
func fileFinder(source func(...string) string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		info, err := os.Stat(source(name))
		return source(name), err == nil && info.Mode().IsRegular()
	}
}

func withPrefix(source func(...string) string, elements ...string) func(...string) string {
	return func(more ...string) string { return source(slices.Concat(elements, more)...) }
}

// copyFolder adds copies of all files of a folder. A missing folder adds none.
func (p *Plan) copyFolder(to, from string) error {
	if _, err := os.Stat(from); err != nil {
		return nil //nolint:nilerr // most runs have none
	}
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s is no file of its own: want one in the place of a link", name)
		}
		within, err := filepath.Rel(from, name)
		if err == nil {
			p.addCopy(path.Join(to, filepath.ToSlash(within)), name)
		}
		return err
	})
}

// addAudit adds the verdicts of an audit and the logs that the rules require.
func (p *Plan) addAudit(r *placedResult, test string, runs []measuredRun) {
	to, files := p.Layout.Audit(r.place, test), tree.FilesOf(test)
	for i, run := range runs {
		top := withPrefix(run.sourcePath, "..", "..") // TESTnn/performance/run_1
		if run.Mode == "accuracy" {
			top = withPrefix(run.sourcePath, "..")
		}
		if run.Mode == "performance" && files.Performance {
			p.addCopiesInto(path.Join(to, tree.PerformanceDir, tree.RunDir), fileFinder(run.sourcePath), tree.RunFiles())
		}
		if i > 0 {
			continue
		}
		p.addCopiesInto(to, fileFinder(top), files.Verdicts)
		if files.Accuracy {
			p.auditAccuracy(path.Join(to, tree.AccuracyDir), run, top)
		}
	}
}

// auditAccuracy adds the accuracy log of an audit from its folder accuracy, or else from the timed run.
func (p *Plan) auditAccuracy(to string, run measuredRun, top func(...string) string) {
	there := fileFinder(withPrefix(top, tree.AccuracyDir))
	if _, ok := there(tree.AccuracyLog); !ok {
		there = fileFinder(run.sourcePath)
	}
	p.addCopiesInto(to, there, []string{
		tree.AccuracyLog, tree.AccuracyText, tree.BaselineAccuracy, tree.ComplianceAccuracy,
	})
}

// addDescriptions adds the files that describe a result: measurements.json, user.conf and README.md.
func (p *Plan) addDescriptions(r *placedResult) error {
	sheet, err := p.workspace.measurements(r.performance.Benchmark, r.performance.run)
	if err != nil {
		return err
	}
	text := sheet.JSON()
	if marks := r.allMarks(); len(marks) > 0 {
		if text, err = addMarks(text, marks); err != nil {
			return err
		}
	}
	from := filepath.Join(r.performance.Out, record.FileName)
	p.addText(p.Layout.MeasurementsFile(r.place), from+", "+filepath.Join(p.workspace.Dir, MeasurementsFile), text)
	folder := p.Layout.Measurements(r.place)
	p.addUserConf(path.Join(folder, tree.UserConf), r.performance)
	p.addText(path.Join(folder, tree.Readme), from, p.resultReadme(r))
	return nil
}

// addUserConf adds the run's own user.conf if all of its settings come from that file. Otherwise it adds a user.conf
// written from the run's settings.
func (p *Plan) addUserConf(to string, m *measuredRun) {
	kept := filepath.Join(m.Out, filepath.FromSlash(m.Model), m.loadGenScenario(), tree.UserConf)
	if info, err := os.Lstat(kept); err == nil && info.Mode().IsRegular() && info.Size() > 0 && isSetByFile(m.run) {
		p.addCopy(to, kept)
		return
	}
	p.addText(to, "the settings in "+filepath.Join(m.Out, record.FileName), writtenUserConf(m.run))
}

// allMarks returns the marks of all runs of a result, sorted.
func (r *placedResult) allMarks() []string {
	runs := []measuredRun{*r.performance, *r.accuracy}
	for _, of := range r.audits {
		runs = append(runs, of...)
	}
	var all []string
	for _, run := range runs {
		all = append(all, run.Marks...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// addMarks adds the marks of a result to its measurements.
func addMarks(text []byte, marks []string) ([]byte, error) {
	sheet, err := system.ReadSheet(text, system.Measurements())
	if err != nil {
		return nil, err
	}
	list, err := json.Marshal(marks)
	if err != nil {
		return nil, err
	}
	sheet.PutRaw(tree.MarksField, list)
	return sheet.JSON(), nil
}

// addModelMapping adds model_mapping.json, which maps an open submission's own benchmark names to the rules' names.
func (p *Plan) addModelMapping(of tree.Place) {
	if of.Division != tree.DivisionOpen {
		return
	}
	models := map[string]string{}
	for place, r := range p.results {
		if model := p.modelOf(r); place.Division == of.Division && place.Benchmark != model {
			models[place.Benchmark] = model
		}
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetIndent("", "  ")
	_ = e.Encode(models) // encoding texts cannot fail
	p.addText(path.Join(of.Folder(), tree.ModelMapping), "the names of the benchmarks that were added", text.Bytes())
}
