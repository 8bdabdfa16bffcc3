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

// Place is what the path of a folder of logs says of the run: SYSTEM/BENCHMARK/SCENARIO, and what lies below. What it
// does not say is empty.
type Place struct {
	Division, Submitter, System string // of a submission's tree alone, but for System
	Benchmark                   string // the folder's name: "bert-99"
	Scenario                    string // as the rules write it: "Server"
	Test                        string // a compliance test: "TEST01", "TEST04-A"
	Mode                        string // "performance", "accuracy", "ranging"
	Run                         int    // of performance/run_N; 0: there is no such folder
}

var (
	runFolder  = regexp.MustCompile(`^run_([0-9]{1,4})$`)
	testFolder = regexp.MustCompile(`^TEST[0-9]{2}(-[A-Z])?$`)
)

// aside are the folders of a submitter that hold folders of systems.
var aside = []string{"results", "compliance", "audit", "measurements"}

// PlaceOf reads the path of a folder of logs. ok is false where no folder on it has the name of a scenario, below one
// that can be a benchmark's.
func PlaceOf(dir string) (p Place, ok bool) {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return Place{}, false
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
		return Place{}, false
	}
	drop()
	p.Benchmark = last()
	drop()
	p.System = last()
	p.setSubmission(parts)
	return p, true
}

// setSubmission fills in what a tree says: DIVISION/SUBMITTER/results/SYSTEM.
func (p *Place) setSubmission(parts []string) {
	n := len(parts)
	if n < 4 || !slices.Contains(aside, parts[n-2]) || !slices.Contains(divisions, parts[n-4]) {
		return
	}
	p.Division, p.Submitter = parts[n-4], parts[n-3]
}

// divisions are the folders at the top of a submission's tree.
var divisions = []string{"closed", "open", "network"}

// foldScenario is the scenario that a folder is named after, in any case and with or without dashes; empty: none.
func foldScenario(folder string) string {
	plain := strings.NewReplacer("-", "", "_", "").Replace(folder)
	for _, s := range append(scenarioNames(), interactive) {
		if strings.EqualFold(plain, s) {
			return s
		}
	}
	return ""
}

// interactive is a scenario of the rules alone: its runs log Server.
const interactive = "Interactive"

func scenarioNames() (all []string) {
	for _, s := range loadgen.Scenarios() {
		all = append(all, s.String())
	}
	return all
}

// applyTo lets a record of a bare log say what its place does. The log's own scenario and mode outrank the path's, but
// for a ranging run and for Interactive, which logs do not know.
func (p Place) applyTo(r *record.Run) {
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

// modeRanging is the mode of a run that finds the range of a power meter.
const modeRanging = "ranging"

// roundOfSeeds is the round whose seeds a bare log has; empty where it has those of no round, as those of audits are.
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
