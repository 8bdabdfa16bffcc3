// Package form writes measurements in the endpoints harness's form, next to their own records. It serves LoadGen runs
// of benchmarks that request that form, and replays of recorded conversations.
//
// In scope: records of runs, and the files in their folders. Out of scope: the files themselves
// (internal/serving/formats/endpoints).
package form

import (
	"errors"

	"github.com/plumbline-ml/plumbline/bench/plan"
	"github.com/plumbline-ml/plumbline/bench/record"
)

// maxOf bounds files that are read back, in bytes.
const maxOf = 1 << 30

// WriteEndpointsFiles writes each scenario among the runs of a plan that has the form, with the accuracy and the audit
// that were measured beside its timed run, now or before. Others have no such files, and are no fault; nor is an output
// folder that was lost, which is one of the runs.
func WriteEndpointsFiles(p *plan.Plan, d record.Document) error {
	if p.Out == "" {
		return nil
	}
	return errors.Join(replays(p, d), driven(p, d))
}
