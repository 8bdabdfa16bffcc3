package build

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/report"

	"github.com/plumbline-ml/plumbline/submission/tree"
)

// source is the folder of programs: the workspace's own one, and a text that says which programs of this project ran. A
// benchmark that is a copy of the one with the higher accuracy has a copy of its programs.
func (p *Plan) source() error {
	to := p.Layout.SourceDir(tree.Place{Division: p.Division, Submitter: p.Submitter})
	from := filepath.Join(p.workspace.Dir, SourceDir)
	if err := p.folder(to, from); err != nil {
		return err
	}
	copied := map[string]bool{}
	for _, r := range p.results {
		name := r.place.Benchmark
		if r.from.Benchmark == "" || r.from.Benchmark == name || copied[name] {
			continue
		}
		copied[name] = true
		if _, err := os.Stat(filepath.Join(from, name)); err == nil {
			continue
		}
		if err := p.folder(path.Join(to, name), filepath.Join(from, r.from.Benchmark)); err != nil {
			return err
		}
	}
	name := path.Join(to, tree.Readme)
	if slices.ContainsFunc(p.Files, func(f File) bool { return f.Path == name }) {
		name = path.Join(to, "PLUMBLINE.md")
	}
	p.text(name, "the programs that the results name", p.programs())
	return nil
}

// programs says which programs ran, so that they can be had again.
func (p *Plan) programs() []byte {
	var text bytes.Buffer
	text.WriteString("# Programs\n\nThe results were made with Plumbline, github.com/plumbline-ml/plumbline, whose " +
		"sources are public:\n`make build` makes the harness and the plugins below.\n\n")
	text.WriteString("| benchmark | harness | plugin | backend |\n|---|---|---|---|\n")
	for _, row := range p.rows(func(r *placed) string {
		run := r.performance.run
		return fmt.Sprintf("| %s | %s | %s %s, sha256 %s | %s |\n", r.place.Benchmark,
			strings.TrimSpace(run.Harness.Version+" "+run.Harness.Commit), run.Plugin.Name, run.Plugin.Version,
			run.Plugin.SHA256, backendOf(run))
	}) {
		text.WriteString(row)
	}
	return text.Bytes()
}

func backendOf(run *report.Run) string {
	if run.Workload == nil {
		return ""
	}
	return strings.TrimSpace(run.Workload.Backend + " " + run.Workload.BackendInfo["version"])
}

// rows are the different lines about results, sorted.
func (p *Plan) rows(line func(*placed) string) []string {
	rows := map[string]bool{}
	for _, r := range p.results {
		rows[line(r)] = true
	}
	return slices.Sorted(maps.Keys(rows))
}

// calibration is the document about how models were quantised: the workspace's own, else what manifests say.
func (p *Plan) calibration() error {
	place := tree.Place{Division: p.Division, Submitter: p.Submitter}
	to := path.Join(place.Folder(), tree.DocumentationDir, tree.CalibrationFile)
	own := filepath.Join(p.workspace.Dir, CalibrationFile)
	if _, err := os.Stat(own); err == nil {
		p.copied(to, own)
		return nil
	}
	var text bytes.Buffer
	text.WriteString("# Calibration and quantisation\n")
	for _, row := range p.rows(func(r *placed) string {
		return "\n## " + r.place.Benchmark + "\n\n" + calibrationOf(r.performance.run)
	}) {
		text.WriteString(row)
	}
	p.text(to, "the manifests' notes on the models that ran", text.Bytes())
	return nil
}

// calibrationOf is what is known of how a run's model was made.
func calibrationOf(run *report.Run) string {
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
