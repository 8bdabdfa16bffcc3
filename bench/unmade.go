package bench

import (
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/internal/output"
	"github.com/plumbline-ml/plumbline/bench/record"
)

// Unmade are the records of the plan's runs as runs that are not made, with the code of an interrupt: what result.json
// says of a run from the moment when somebody has set out to make it. They lack the checksums of the plugin and of the
// data set.
func (p *Plan) Unmade() []record.Run {
	p.Out = p.request.Out
	return newRunner(p, p.request.known(p)).skipped(p, p.Runs, exitcode.Interrupted)
}

// Record puts records into result.json of the output folder out, and of their scenarios, in the place of those of the
// same runs. It is an error if another session writes there.
func Record(out string, runs ...record.Run) error {
	if len(runs) == 0 {
		return nil
	}
	claim, err := output.Hold(out)
	if err != nil {
		return err
	}
	defer claim.Release()
	return sdk.Usage(record.Save(out, runs...))
}
