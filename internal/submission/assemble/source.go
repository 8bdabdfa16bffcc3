package assemble

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// addSources adds the folder of programs: the workspace's folder and a text that names the programs of this project. A
// benchmark copied from its variant with the higher accuracy also gets a copy of that variant's programs.
func (p *Plan) addSources(of tree.Place) error {
	to := p.Layout.SourceDir(of)
	from := filepath.Join(p.workspace.Dir, SourceDir)
	if err := p.copyFolder(to, from); err != nil {
		return err
	}
	copied := map[string]bool{}
	for _, r := range p.results {
		name := r.place.Benchmark
		if r.place.Division != of.Division || r.original.Benchmark == "" || r.original.Benchmark == name || copied[name] {
			continue
		}
		copied[name] = true
		if _, err := os.Stat(filepath.Join(from, name)); err == nil {
			continue
		}
		if err := p.copyFolder(path.Join(to, name), filepath.Join(from, r.original.Benchmark)); err != nil {
			return err
		}
	}
	name := path.Join(to, tree.Readme)
	if slices.ContainsFunc(p.Files, func(f File) bool { return f.Path == name }) {
		name = path.Join(to, "PLUMBLINE.md")
	}
	p.addText(name, "the programs that the results name", p.programsText(of))
	return nil
}

// programsText returns a text that names the programs and how to build them.
func (p *Plan) programsText(of tree.Place) []byte {
	var text bytes.Buffer
	text.WriteString("# Programs\n\nThe results were made with Plumbline, github.com/plumbline-ml/plumbline, whose " +
		"sources are public.\n\n")
	text.WriteString("| benchmark | harness | LoadGen | plugin | backend |\n|---|---|---|---|---|\n")
	for _, row := range p.distinctRows(of, func(r *placedResult) string {
		run := r.performance.run
		return fmt.Sprintf("| %s | %s | %s | %s %s, sha256 %s | %s |\n", r.place.Benchmark, harnessText(run),
			loadGenText(run),
			run.Plugin.Name, run.Plugin.Version, run.Plugin.SHA256, backendText(run))
	}) {
		text.WriteString(row)
	}
	text.WriteString("\n## How they were built\n")
	for _, row := range p.distinctRows(of, func(r *placedResult) string { return buildCommands(r.performance.run) }) {
		text.WriteString(row)
	}
	return text.Bytes()
}

// harnessText returns the version, commit and build of the harness of a run.
func harnessText(run *record.Run) string {
	h := run.Harness
	commit := cmp.Or(h.Commit, "of a commit that is not known")
	if h.Modified {
		commit += " with changes"
	}
	return strings.TrimSuffix(strings.TrimSpace(h.Version+" "+commit)+", "+h.Build, ", ")
}

// loadGenText describes the LoadGen of a run.
func loadGenText(run *record.Run) string {
	l := run.LoadGen
	if l == nil {
		return "the harness's own: a rehearsal"
	}
	return fmt.Sprintf("%s %s, sha256 of its sources %s, unmodified: %t", l.Name, l.Version, l.SHA256, l.Unmodified)
}

// buildCommands returns the commands that build the programs of a run.
func buildCommands(run *record.Run) string {
	var text strings.Builder
	fmt.Fprintf(&text, "\nIn a checkout of %s:\n\n", cmp.Or(run.Harness.Commit, "the commit, which is not known"))
	text.WriteString("    make build\n")
	if l := run.LoadGen; l != nil {
		fmt.Fprintf(&text, "    make official-loadgen LOADGEN=DIR    # the sources of the official LoadGen %s\n", l.Version)
	}
	return text.String()
}

func backendText(run *record.Run) string {
	if run.Workload == nil {
		return ""
	}
	return strings.TrimSpace(run.Workload.Backend + " " + run.Workload.BackendInfo["version"])
}

// distinctRows returns the distinct lines for the results of a division, sorted.
func (p *Plan) distinctRows(of tree.Place, line func(*placedResult) string) []string {
	rows := map[string]bool{}
	for _, r := range p.results {
		if r.place.Division == of.Division {
			rows[line(r)] = true
		}
	}
	return slices.Sorted(maps.Keys(rows))
}

// addCalibration adds the document on the quantisation of the models: the workspace's own, or else one with the
// manifests' notes.
func (p *Plan) addCalibration(of tree.Place) {
	to := path.Join(of.Folder(), tree.DocumentationDir, tree.CalibrationFile)
	own := filepath.Join(p.workspace.Dir, CalibrationFile)
	if hasText(own) {
		p.addCopy(to, own)
		return
	}
	var text bytes.Buffer
	text.WriteString("# Calibration and quantisation\n")
	for _, row := range p.distinctRows(of, func(r *placedResult) string {
		return "\n## " + r.place.Benchmark + "\n\n" + calibrationText(r.performance.run)
	}) {
		text.WriteString(row)
	}
	p.addText(to, "the manifests' notes on the models that ran", text.Bytes())
}

// hasText reports whether a regular file exists and is not empty.
func hasText(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

// listOptionalMissing lists optional parts that the tree lacks and reviewers will ask for.
func (p *Plan) listOptionalMissing() {
	own := filepath.Join(p.workspace.Dir, SourceDir)
	if entries, err := os.ReadDir(own); err != nil || len(entries) == 0 {
		p.addOptionalMissingf(
			"%s is empty: the rules want the programs that ran, and the tree only says which commit of Plumbline "+
				"they "+
				"are of; put a copy of those sources there, and what else is yours", own)
	}
	if path := filepath.Join(p.workspace.Dir, CalibrationFile); !hasText(path) {
		p.addOptionalMissingf(
			"there is no %s: the tree has the notes of the plugins' manifests in its place; say there how the models "+
				"were quantised, or that they were not", path)
	}
	for _, place := range p.systemPlaces() {
		p.listMissingPower(place)
	}
	if slices.ContainsFunc(slices.Collect(maps.Values(p.results)), func(r *placedResult) bool {
		return r.performance.run.Harness.Commit == ""
	}) {
		p.addOptionalMissingf("the commit of the harness that made the runs is not known: build it in a checkout, without " +
			"-buildvcs=false")
	}
}

// listMissingPower lists the missing documents on a system's power measurements.
func (p *Plan) listMissingPower(of tree.Place) {
	for place, r := range p.results {
		if place.System != of.System || place.Division != of.Division || !r.performance.hasFile("..", tree.PowerDir) {
			continue
		}
		for _, what := range tree.PowerTexts() {
			if len(p.workspace.powerTexts(of.System, what)) == 0 {
				p.addOptionalMissingf("there is no %s.md: the guidelines want it of a system whose power was measured",
					filepath.Join(p.workspace.Dir, SystemsDir, of.System+"_"+what))
			}
		}
		return
	}
}

func (p *Plan) addOptionalMissingf(format string, args ...any) {
	p.OptionalMissing = append(p.OptionalMissing, fmt.Sprintf(format, args...))
}

// calibrationText returns the notes on how a run's model was made.
func calibrationText(run *record.Run) string {
	w := run.Workload
	if w == nil {
		return "Not known.\n"
	}
	text := fmt.Sprintf("%s, %s, sha256 %s.\n", modelName(w), w.Precision, w.ModelSHA256)
	if w.Precision == "fp32" {
		text += "\nWeights and activations are FP32: nothing was quantised, no calibration data was used.\n"
	}
	if w.ModelNote != "" {
		text += "\n" + w.ModelNote + "\n"
	}
	return text
}
