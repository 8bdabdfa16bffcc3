package plan

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/official"
	"github.com/plumbline-ml/plumbline/loadgen/suggest"

	"github.com/plumbline-ml/plumbline/bench/internal/division"
)

// Rules are the parts of a request that determine the settings of runs.
type Rules struct {
	Round string `flag:"rules"` // the round whose rules apply: "v6.1"; empty: the newest
	// Division is "closed", "network" or "open"; empty: closed.
	Division string `flag:"division"`
	// SystemType is the type of system for which the runs are submitted. If Load.Scenarios is empty, the closed and the
	// network division run only the scenarios that the round requires on such systems. Empty: all scenarios run.
	SystemType mlconf.SystemType `flag:"system-type"`
	Official   bool              `flag:"official"`
	Smoke      bool              `flag:"smoke"`

	UserConf string   `flag:"user-conf"`
	Set      []string `flag:"set"`   // [scenario.]key=value
	Audit    string   `flag:"audit"` // path of an audit.config to apply; empty: none
	// Test is the compliance test of the runs. It replaces Audit.
	Test Test
	// IgnoreUnknownKeys turns keys of UserConf and Audit that LoadGen does not know into notes instead of faults.
	IgnoreUnknownKeys bool `flag:"ignore-unknown-keys"`

	// LoadGen drives the runs: "plumbline" (the default) or "official". The file OfficialLoadGen is the library of the
	// official one (package loadgen/official).
	LoadGen         string `flag:"loadgen"`
	OfficialLoadGen string
}

// Test is a compliance test. Its runs have the folder NAME/performance/run_1 within the folder of their scenario, and
// result.json lists them with the run that they audit.
type Test struct {
	Name string // "TEST01"; empty: no test
	// Config is the text of the test's audit.config. It overrides all other settings and is saved as NAME/audit.config. If
	// it is empty, the run differs in its seeds or its data set.
	Config string
	// Judged states that a later step judges the runs' logs and sets the verdict (record.Run.Judge). Until then,
	// result.json marks the verdict as pending.
	Judged bool
}

// The LoadGens that can drive runs.
const (
	LoadGenOwn      = "plumbline"
	LoadGenOfficial = "official"
)

// resolve determines the division, the compliance test and the LoadGen of the runs.
func (r Rules) resolve(p *Plan, l Load) []error {
	return []error{r.chooseDivision(p), r.Test.checkTest(r.Audit), r.chooseLoadGen(p, l)}
}

// chooseDivision sets the division. It tells the plugin if this is the network division, whose runs differ from others.
func (r Rules) chooseDivision(p *Plan) error {
	d, err := division.Parse(r.Division)
	if err != nil {
		return fmt.Errorf("--division: %w", err)
	}
	p.Division, p.Options.Network = d, d == division.Network
	return nil
}

// checkTest requires a name that is a single folder, and only one kind of audit settings.
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

// chooseLoadGen opens the official LoadGen if it drives the runs.
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

// AuditPath returns the path of the audit settings that a run applies; "": none.
func (p *Plan) AuditPath(r Run) string {
	if p.Test.Config == "" {
		return p.Audit
	}
	return filepath.Join(p.Out, r.testDir(), mlconf.AuditFile)
}
