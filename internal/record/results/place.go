package results

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// LogPlace contains the properties of a run in the path of its logs' folder: SYSTEM/BENCHMARK/SCENARIO and the folders
// below. Properties that the path does not contain are empty.
type LogPlace struct {
	Division, Submitter, System string // in a submission's tree; other folders have only System
	Benchmark                   string // name of the folder: "bert-99"
	Scenario                    string // in the rules' spelling: "Server"
	Test                        string // name of a compliance test: "TEST01", "TEST04-A"
	Mode                        string // "performance", "accuracy", "ranging"
	Run                         int    // N of performance/run_N; 0: there is no such folder
}

var (
	runFolder  = regexp.MustCompile(`^run_([0-9]{1,4})$`)
	testFolder = regexp.MustCompile(`^TEST[0-9]{2}(-[A-Z])?$`)
)

// systemFolders contains the names of a submitter's folders that contain folders of systems.
var systemFolders = []string{"results", "compliance", "audit", "measurements"}

// PlaceOf parses the path of a folder of logs. ok is false if no folder in it has the name of a scenario and a parent
// that can be a benchmark's folder.
func PlaceOf(dir string) (p LogPlace, ok bool) {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return LogPlace{}, false
	}
	parts := strings.Split(strings.Trim(filepath.ToSlash(whole), "/"), "/")
	last := func() string {
		if len(parts) == 0 {
			return ""
		}
		return parts[len(parts)-1]
	}
	drop := func() { parts = parts[:len(parts)-1] }
	if m := runFolder.FindStringSubmatch(last()); m != nil {
		p.Run, _ = strconv.Atoi(m[1])
		drop()
	}
	if name := last(); name == "ranging" || name == "submission" {
		p.Mode = map[string]string{"ranging": "ranging"}[name]
		drop()
	}
	if name := last(); name == "performance" || name == "accuracy" {
		if p.Mode == "" {
			p.Mode = name
		}
		drop()
	}
	if testFolder.MatchString(last()) {
		p.Test = last()
		drop()
	}
	if p.Scenario = foldScenario(last()); p.Scenario == "" || len(parts) < 2 {
		return LogPlace{}, false
	}
	drop()
	p.Benchmark = last()
	drop()
	p.System = last()
	p.setSubmission(parts)
	return p, true
}

// setSubmission sets the properties of a submission's tree: DIVISION/SUBMITTER/results/SYSTEM.
func (p *LogPlace) setSubmission(parts []string) {
	n := len(parts)
	if n < 4 || !slices.Contains(systemFolders, parts[n-2]) || !slices.Contains(divisions, parts[n-4]) {
		return
	}
	p.Division, p.Submitter = parts[n-4], parts[n-3]
}

// divisions contains the names of the top folders of a submission's tree.
var divisions = []string{"closed", "open", "network"}

// foldScenario returns the scenario in a folder's name, in any case and with or without dashes, or an empty text.
func foldScenario(folder string) string {
	plain := strings.NewReplacer("-", "", "_", "").Replace(folder)
	for _, s := range append(scenarioNames(), interactive) {
		if strings.EqualFold(plain, s) {
			return s
		}
	}
	return ""
}

// interactive is a scenario of the rules that LoadGen does not have: its runs log Server.
const interactive = "Interactive"

func scenarioNames() (all []string) {
	for _, s := range loadgen.Scenarios() {
		all = append(all, s.String())
	}
	return all
}

// applyTo sets a record's properties from the place. The log's own scenario and mode take precedence, except for
// ranging runs and Interactive, which are not in logs.
func (p LogPlace) applyTo(r *record.Run) {
	r.Model, r.RulesKey, r.Test = p.Benchmark, p.Benchmark, p.Test
	r.Place = &record.Place{
		Division: p.Division, Submitter: p.Submitter, System: p.System, Benchmark: p.Benchmark,
		Scenario: p.Scenario, Run: p.Run,
	}
	if p.Mode == modeRanging && r.Mode == "performance" {
		r.Mode = modeRanging
	}
	if p.Scenario == interactive && r.Scenario == "Server" {
		r.Scenario = interactive
	}
}

// modeRanging is the mode of a run that determines the range of a power meter.
const modeRanging = "ranging"

// roundOfSeeds returns the round with the seeds of a bare log, or an empty text if no round has them, as in audits.
func roundOfSeeds(settings []record.Setting) string {
	for _, s := range settings {
		if s.Key != "qsl_rng_seed" {
			continue
		}
		if seed, err := strconv.ParseUint(s.Value, 10, 64); err == nil {
			return mlconf.RoundOfSeed(seed)
		}
	}
	return ""
}
