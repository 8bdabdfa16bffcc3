package check

import (
	"path"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// resultFolder is the check of one scenario folder. A single goroutine uses it.
type resultFolder struct {
	tree.Place
	checker   *treeChecker
	system    *systemFolder
	model     string // name in the rules
	isGuessed bool   // model derived from a part of the folder's name
	isKnown   bool   // the round contains the model
	scenario  string // canonical name
	isNamed   bool   // the folder's name is a scenario

	performance, accuracy *runLog               // nil: none, or released after the check
	furtherPerformance    []*runLog             // performance runs after the first, in rounds that require several
	uniqueRun             *runLog               // TEST04-A's run, compared with TEST04-B's
	identity              string                // identity of the performance run; empty: unknown
	loadgen               string                // LoadGen version of the performance run
	filedRuns             map[string][]filedRun // runs in its folders by identity
	inferred              bool
	metric                float64
	unit                  string
	findings              []Finding
}

// resultFolders returns all folders of a system's results. A folder whose name is not a scenario fails the check.
func (s *systemFolder) resultFolders() []*resultFolder {
	var list []*resultFolder
	for _, b := range s.Benchmarks {
		model, guessed := s.checker.rules.ModelOf(b.Benchmark, s.submitter.mapping)
		for _, p := range b.Scenarios {
			r := &resultFolder{Place: p, checker: s.checker, system: s, model: model, isGuessed: guessed}
			r.isKnown = s.checker.rules.Has(model)
			r.scenario, r.isNamed = tree.CanonicalScenario(p.Scenario)
			list = append(list, r)
		}
		s.checkScenarios(b, model)
		for _, name := range s.checker.tree.Files(b.Results()) {
			s.checker.warnStray(path.Join(b.Results(), name), "folders of scenarios")
		}
	}
	return list
}

// checkResult applies the rules of all families to the result.
func (r *resultFolder) checkResult() {
	r.checkNames()
	if r.isEndpoints() {
		r.checkMeasurements()
		r.checkEndpoints()
		return
	}
	r.checkFiles()
	r.checkMeasurements()
	r.performance = r.readRun(r.Run(), mainRun)
	r.readFurther()
	r.accuracy = r.readRun(r.Place.Accuracy(), accuracyRun)
	r.checkUserConf()
	r.checkPerformance(r.performance)
	for _, l := range r.furtherPerformance {
		r.checkPerformance(l)
	}
	r.checkMain()
	r.checkAccuracyRun()
	r.checkAccuracyText()
	r.checkAccuracyLog()
	r.checkAudits()
	r.checkPower()
	if r.performance != nil {
		r.loadgen = r.performance.textOf("loadgen_version")
	}
	r.recordRun(r.performance)
	r.recordRun(r.accuracy)
	if r.performance != nil && strings.Count(r.performance.runIdentity(), " ") > 1 {
		r.identity = r.performance.runIdentity()
	}
	r.performance, r.accuracy, r.furtherPerformance = nil, nil, nil // logs are large and results numerous
}

func (r *resultFolder) toResult() Result {
	return Result{Path: r.Results(), Model: r.model, Scenario: r.scenario, Metric: r.metric, Unit: r.unit,
		Inferred: r.inferred, Power: r.isPowerMeasured(), LoadGen: r.loadgen}
}

func (r *resultFolder) isClosed() bool { return r.Division != tree.DivisionOpen }

// addFinding adds a finding of the result. The caller may complete the returned finding before the next call.
func (r *resultFolder) addFinding(s Severity, rule, name, what, found, expected, do string) *Finding {
	if s == Reject && r.checker.features.AuditsWherePresent &&
		strings.HasPrefix(name, r.checker.tree.Layout.Audits(r.Place)+"/") {
		s = Warn
	}
	r.findings = append(r.findings, Finding{Severity: s, Rule: rule, Kind: kindOf(rule, what), Path: name,
		Result: r.Results(), What: what, Found: found, Expected: expected, Source: ruleSource(rule), Do: do})
	return &r.findings[len(r.findings)-1]
}

func (r *resultFolder) addReject(rule, name, what, found, expected, do string) *Finding {
	return r.addFinding(Reject, rule, name, what, found, expected, do)
}

func (r *resultFolder) addWarning(rule, name, what, found, expected, do string) *Finding {
	return r.addFinding(Warn, rule, name, what, found, expected, do)
}

// checkNames checks the names of the benchmark and the scenario.
func (r *resultFolder) checkNames() {
	if !r.isNamed {
		r.addReject(ruleNames, r.Results(), "the folder is no scenario", r.Scenario, strings.Join(tree.Scenarios(), ", "),
			"rename or remove it: it fails every scenario of the benchmark")
	}
	switch {
	case !r.isKnown:
		r.addReject(ruleNames, r.Results(), "the round has no such benchmark", r.Benchmark,
			"one of "+strings.Join(r.checker.rules.Models(), ", "),
			"rename the folder; in the open division name the model in "+tree.ModelMapping)
	case r.isGuessed && r.isClosed():
		r.addWarning(ruleNames, r.Results(), "the benchmark is guessed from a part of the name", r.Benchmark, r.model,
			"call the folder "+r.model)
	}
}

// checkScenarios checks a benchmark's scenarios against the round's required ones.
func (s *systemFolder) checkScenarios(b tree.Benchmark, model string) {
	if s.Division == tree.DivisionOpen || s.kind == "" {
		return
	}
	reject := func(what, found, expected, do string) {
		s.findings = append(s.findings, Finding{Severity: Reject, Rule: ruleScenarios, Path: b.Results(), What: what,
			Found: found, Expected: expected, Source: ruleSource(ruleScenarios), Do: do})
	}
	if !s.checker.rules.Has(model) {
		if len(b.Scenarios) == 0 { // otherwise each scenario is reported
			reject("the folder is no benchmark", b.Benchmark, "one of "+strings.Join(s.checker.rules.Models(), ", "),
				"remove it: the official checker dies of it, for all submitters")
		}
		return
	}
	required := s.checker.rules.RequiredScenarios(model, s.kind)
	optional := s.checker.rules.OptionalScenarios(model, s.kind)
	if len(required)+len(optional) == 0 {
		reject("the benchmark is not for this type of system", string(s.kind), "another system_type, or no such folder",
			"remove it: the official checker dies of it, for all submitters")
		return
	}
	var has []string
	for _, p := range b.Scenarios {
		name, named := tree.CanonicalScenario(p.Scenario)
		has = append(has, name)
		if named && !slices.Contains(required, name) && !slices.Contains(optional, name) {
			reject("the scenario is not one of the benchmark", name, strings.Join(append(required, optional...), ", "),
				"remove it: it fails every scenario of the benchmark")
		}
	}
	for _, name := range required {
		if !slices.Contains(has, name) {
			reject("a scenario is missing", name, strings.Join(required, ", "), "add its result")
		}
	}
	oneOf := []string{"Server", "Interactive"}
	optionally := func(name string) bool { return slices.Contains(optional, name) && !slices.Contains(has, name) }
	if optionally(oneOf[0]) && optionally(oneOf[1]) {
		reject("a scenario is missing", strings.Join(has, ", "), "one of "+strings.Join(oneOf, ", "), "add its result")
	}
}

// checkFiles checks the names of a result's files.
func (r *resultFolder) checkFiles() {
	t := r.checker.tree
	for _, e := range t.Entries(r.Results()) {
		if !r.belongsHere(e) {
			severity, do := unaskedSeverity(e.Name)
			r.addFinding(severity, ruleFiles, e.Path, "it is no part of a result", e.Name, "", do)
		}
	}
	runs := append(tree.RunFiles(), tree.AccuracyLog)
	if r.isPowerMeasured() {
		runs = append(runs, tree.PowerSamples)
	}
	r.checkExtra(r.Run(), runs)
	r.checkExtra(r.Place.Accuracy(), append(tree.AccuracyFiles(), tree.ImagesDir, tree.VideosDir))
	folder := path.Join(r.Results(), tree.PerformanceDir)
	r.checkExtra(folder, append(r.furtherRuns(), tree.RunDir, tree.RangingDir, tree.PowerDir))
}

// checkExtra reports unknown files and folders.
func (r *resultFolder) checkExtra(folder string, known []string) {
	for _, e := range r.checker.tree.Entries(folder) {
		if !slices.Contains(known, e.Name) && !tree.IsExtra(e.Name) && !strings.HasPrefix(e.Name, ".") {
			severity, do := unaskedSeverity(e.Name)
			r.addFinding(severity, ruleFiles, e.Path, "no rule knows it", e.Name, strings.Join(known, ", "), do)
		}
	}
}

func (r *resultFolder) belongsHere(e tree.Entry) bool {
	files := []string{tree.MeasurementFile, tree.UserConf, tree.Readme, tree.MLPerfConf}
	apart := r.checker.tree.Layout.Apart
	switch {
	case tree.IsExtra(e.Name) || strings.HasPrefix(e.Name, "."):
		return true
	case e.Dir:
		return e.Name == tree.AccuracyDir || e.Name == tree.PerformanceDir ||
			!apart && slices.Contains(r.requiredAudits(), e.Name)
	}
	return !apart && (slices.Contains(files, e.Name) || r.isPowerMeasured() && tree.IsPowerText(e.Name))
}
