package plan

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/official"
	"github.com/plumbline-ml/plumbline/loadgen/suggest"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/internal/division"
	"github.com/plumbline-ml/plumbline/bench/settings"
)

// Rules are what decides about the settings of runs.
type Rules struct {
	Round string `flag:"rules"` // whose rules apply: "v6.1"; empty: the newest
	// Division is "closed", "network" or "open"; empty: closed.
	Division string `flag:"division"`
	// SystemType is what the runs are submitted for: where Load.Scenarios is empty, those that the round has of the model
	// on such systems are run in the closed and the network division. Empty: nothing is left out.
	SystemType mlconf.SystemType `flag:"system-type"`
	Official   bool              `flag:"official"`
	Smoke      bool              `flag:"smoke"`

	UserConf string   `flag:"user-conf"`
	Set      []string `flag:"set"`   // [scenario.]key=value
	Audit    string   `flag:"audit"` // path of an audit.config to apply; empty: none
	// Test is the compliance test that the runs are made for. It takes the place of Audit.
	Test Test
	// IgnoreUnknownKeys makes keys of those two files that LoadGen does not know notes instead of faults.
	IgnoreUnknownKeys bool `flag:"ignore-unknown-keys"`

	// LoadGen drives the runs: "plumbline", which empty means, or "official", whose library (package loadgen/official) is
	// the file OfficialLoadGen.
	LoadGen         string `flag:"loadgen"`
	OfficialLoadGen string
}

// Test is a compliance test: its runs have a folder of their own within that of their scenario, NAME/performance/run_1,
// and stand in result.json beside the run that they audit.
type Test struct {
	Name string // "TEST01"; empty: none
	// Config is the text of its audit.config, applied over all other settings, and kept as NAME/audit.config; empty: the
	// run differs in other ways, by seeds or by its data set.
	Config string
	// Judged says that somebody judges the runs' logs and sets the verdict (record.Run.Judge): until then result.json
	// says that it is still to come.
	Judged bool
}

// The LoadGens that drive runs.
const (
	LoadGenOwn      = "plumbline"
	LoadGenOfficial = "official"
)

// resolve decides by which division's rules runs are made, for which compliance test, and by which LoadGen.
func (r Rules) resolve(p *Plan, l Load) []error {
	return []error{r.chooseDivision(p), r.Test.checkTest(r.Audit), r.chooseLoadGen(p, l)}
}

// chooseDivision lets the plugin know of the network division, whose runs differ from others.
func (r Rules) chooseDivision(p *Plan) error {
	d, err := division.Parse(r.Division)
	if err != nil {
		return fmt.Errorf("--division: %w", err)
	}
	p.Division, p.Options.Network = d, d == division.Network
	return nil
}

// checkTest wants a name that is one folder, and one kind of audit settings.
func (t Test) checkTest(audit string) error {
	switch {
	case t.Name == "":
		if t.Config != "" {
			return errors.New("audit settings of a test without a name")
		}
		return nil
	case t.Name != filepath.Base(t.Name) || t.Name == "." || t.Name == "..":
		return fmt.Errorf("test %q: want the name of a folder", t.Name)
	case audit != "":
		return fmt.Errorf("--audit %s: the settings of %s are those of the rules", audit, t.Name)
	}
	return nil
}

// chooseLoadGen opens the official LoadGen, where that is to drive the runs.
func (r Rules) chooseLoadGen(p *Plan, l Load) (err error) {
	switch r.LoadGen {
	case "", LoadGenOwn:
		return nil
	case LoadGenOfficial:
	default:
		return fmt.Errorf("--loadgen: %w", suggest.Unknown("LoadGen", r.LoadGen, []string{LoadGenOwn, LoadGenOfficial}))
	}
	var faults []error
	if l.AbortEarly {
		faults = append(faults, errors.New("--abort-early: the official LoadGen ends no run early"))
	}
	if l.Pace == PacePrecise {
		faults = append(faults, fmt.Errorf("--pace %s: the official LoadGen has a pace of its own", l.Pace))
	}
	p.LoadGen, err = official.Open(r.OfficialLoadGen)
	if err != nil {
		err = fmt.Errorf("--loadgen %s: %w; make official-loadgen LOADGEN=DIR builds it from the official sources",
			r.LoadGen, err)
	}
	return errors.Join(append(faults, err)...)
}

// resolveProfile decides between the rules' durations and the model's smoke settings.
func (r Rules) resolveProfile(p *Plan) error {
	p.Profile = settings.Official
	switch {
	case r.Official && r.Smoke:
		return errors.New("--official and --smoke exclude each other")
	case r.Smoke, p.Embedded && !r.Official:
		p.Profile = settings.Smoke
	}
	return nil
}

// submittedScenarios are the scenarios that a submission of the model may have on systems of the request's type. The
// open division has all.
func (r Rules) submittedScenarios(m sdk.ModelInfo, d division.Division,
	served []loadgen.Scenario) (in []loadgen.Scenario,
	left []string, err error) {
	if r.SystemType == "" || d == division.Open {
		return served, nil, nil
	}
	round, err := mlconf.Round(r.Round)
	if err != nil {
		return nil, nil, err
	}
	has := round.Scenarios(m.RulesKey, r.SystemType)
	if len(has) == 0 {
		return nil, nil, fmt.Errorf("rules %s have no %s for systems of type %s, they have %s: run another model, choose "+
			"another --system-type, or name the scenarios with --scenario", round.Name, cmp.Or(m.RulesKey, m.Name),
			r.SystemType,
			cmp.Or(strings.Join(round.ModelsFor(r.SystemType), ", "), "none"))
	}
	for _, s := range served {
		if slices.Contains(has, mlconf.ScenarioOf(s.String(), m.LoadGenKey)) {
			in = append(in, s)
			continue
		}
		left = append(left, fmt.Sprintf("%v: rules %s have none of %s for systems of type %s", s, round.Name, m.RulesKey,
			r.SystemType))
	}
	for _, name := range round.RequiredScenarios(m.RulesKey, r.SystemType) {
		runs := func(s loadgen.Scenario) bool { return mlconf.ScenarioOf(s.String(), m.LoadGenKey) == name }
		if !slices.ContainsFunc(in, runs) {
			left = append(left, fmt.Sprintf("%s: rules %s ask for it of %s for systems of type %s, and %s does not run it",
				name, round.Name, m.RulesKey, r.SystemType, m.Name))
		}
	}
	if len(in) == 0 {
		return nil, nil, fmt.Errorf("rules %s have %s of %s for systems of type %s, and %s runs %s", round.Name,
			strings.Join(has, ", "), m.RulesKey, r.SystemType, m.Name, strings.Join(scenarioNames(served), ", "))
	}
	return in, left, nil
}

// unknownScenario is the error of a name that LoadGen has no scenario of. Interactive is one of submissions: LoadGen
// runs it as Server, under the limits of a model of its own.
func (r Rules) unknownScenario(name string, m sdk.ModelInfo, served []loadgen.Scenario) error {
	known := append(scenarioNames(served), everyScenario)
	if !strings.EqualFold(name, mlconf.Interactive) {
		return suggest.Unknown("scenario", name, known)
	}
	server := loadgen.Server.String()
	if mlconf.ScenarioOf(server, m.LoadGenKey) == mlconf.Interactive {
		return fmt.Errorf("%s runs %s as %s: give --scenario %s, or leave it out", m.Name, name, server, server)
	}
	round, err := mlconf.Round(r.Round)
	if err != nil {
		return err
	}
	for _, system := range []mlconf.SystemType{mlconf.Datacenter, mlconf.Edge, mlconf.DatacenterEdge} {
		if slices.Contains(round.Scenarios(m.RulesKey, system), mlconf.Interactive) {
			return fmt.Errorf("%s is %s under the limits of another model: name %s-interactive, with --scenario %s", name,
				server, m.Name, server)
		}
	}
	return fmt.Errorf("rules %s have no %s of %s (known: %s)", round.Name, name, m.Name, strings.Join(known, ", "))
}

// readOverrides reads the values of --set.
func (r Rules) readOverrides() (all []mlconf.Override, faults []error) {
	for _, text := range r.Set {
		o, err := mlconf.ParseOverride(text)
		if err == nil && o.Key == "mode" {
			err = errors.New("the mode is chosen with --mode")
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("--set %s: %w", text, err))
			continue
		}
		all = append(all, o)
	}
	return all, faults
}

// AuditPath is the path of the audit settings that a run applies; empty: none.
func (p *Plan) AuditPath(r Run) string {
	if p.Test.Config == "" {
		return p.Audit
	}
	return filepath.Join(p.Out, r.testDir(), mlconf.AuditFile)
}
