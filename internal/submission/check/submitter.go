package check

import (
	"path"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// submitterFolder is a submitter's folder in a division.
type submitterFolder struct {
	tree.Submitter
	checker *treeChecker
	mapping map[string]string // for an open submitter: its model names mapped to the rules' names
}

// checkSubmitter checks a submitter's files other than results.
func (s *submitterFolder) checkSubmitter() {
	c, t := s.checker, s.checker.tree
	if !t.HasDir(path.Join(s.Folder(), tree.ResultsDir)) {
		c.addFinding(Reject, ruleTree, s.Folder(), "the submitter has no results", "", "a folder results/",
			"add the results, or remove the folder: the official checker dies of it, for all submitters")
	}
	if src := t.Layout.SourceDir(s.Place); !t.HasDir(src) {
		c.addFinding(Reject, ruleTree, src, "the folder of programs is missing", "", path.Base(src)+"/",
			"put the programs that made the results into "+src)
	}
	s.checkCalibration()
	s.checkSystems()
	known := []string{tree.SystemsDir, tree.ResultsDir, tree.DocumentationDir, t.Layout.Source}
	if t.Layout.Apart {
		known = append(known, "measurements", t.Layout.AuditsDir())
	}
	for _, e := range t.Folders(s.Folder()) {
		if !slices.Contains(known, e.Name) {
			c.warnStray(e.Path, strings.Join(known, ", "))
		}
	}
}

func (s *submitterFolder) checkCalibration() {
	for _, dir := range []string{"", tree.DocumentationDir} {
		if s.checker.tree.HasFile(path.Join(s.Folder(), dir, tree.CalibrationFile)) {
			return
		}
	}
	s.checker.addFinding(Warn, ruleFiles, s.Folder(), "there is no calibration.md", "", "documentation/calibration.md",
		"describe how weights were quantized, or say that they were not")
}

// checkSystems warns of descriptions of systems without results.
func (s *submitterFolder) checkSystems() {
	dir := path.Join(s.Folder(), tree.SystemsDir)
	for _, name := range s.checker.tree.Files(dir) {
		system, ok := strings.CutSuffix(name, ".json")
		if ok && !slices.ContainsFunc(s.Systems, func(f tree.System) bool { return f.System == system }) {
			s.checker.addFinding(Warn, ruleSystem, path.Join(dir, name), "a system without results", system, "",
				"add its results to results/"+system+", or remove the file")
		}
	}
}

// readMapping reads model_mapping.json, which is optional for open submitters.
func (s *submitterFolder) readMapping() {
	name := path.Join(s.Folder(), tree.ModelMapping)
	if _, there := s.checker.tree.Entry(name); s.Division != tree.DivisionOpen || !there {
		return
	}
	o, err := s.checker.readObject(name)
	if err != nil {
		s.checker.addFinding(Reject, ruleOpen, name, "the mapping of models cannot be read", err.Error(),
			`a JSON object: {"my-model": "resnet"}`, "mend the file")
		return
	}
	s.mapping = map[string]string{}
	for key, value := range o.fields {
		model, ok := value.(string)
		if s.mapping[key] = model; !ok || !s.checker.rules.Has(model) {
			s.checker.addFinding(Reject, ruleOpen, name, "the mapping names no model of the round", key+": "+quoteValue(value),
				"one of "+strings.Join(s.checker.rules.Models(), ", "), "name the model that it stands for")
		}
	}
}
