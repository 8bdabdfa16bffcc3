package plan

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

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

// check wants a name that is one folder, and one kind of audit settings.
func (t Test) check(audit string) error {
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

// testDir is the folder of the run's test, relative to the output directory; that of the scenario without one.
func (r Run) testDir() string { return filepath.Join(r.scenarioDir(), r.Test) }

// AuditPath is the path of the audit settings that a run applies; empty: none.
func (p *Plan) AuditPath(r Run) string {
	if p.Test.Config == "" {
		return p.Audit
	}
	return filepath.Join(p.Out, r.testDir(), mlconf.AuditFile)
}
