package bench

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/internal/division"
	"github.com/plumbline-ml/plumbline/bench/record"
)

// label records the division that a run is of, by what the plugin says of the workload: when it is open, and again when
// it is closed and knows more.
func label(rec *record.Run, p *Plan, info sdk.WorkloadInfo) error {
	if p.Division == division.Network && len(info.Nodes) == 0 {
		return sdk.Usage(fmt.Errorf("--division %s: plugin %s does not know it: rebuild the plugin with this version's sdk",
			p.Division, p.Served.Name))
	}
	c := division.Case{Asked: p.Division, Workload: info}
	if len(info.Nodes) > 0 {
		var err error
		if c.Here, err = division.Local(); err != nil {
			return err
		}
	}
	rec.FromDivision(division.Judge(c), info)
	return nil
}
