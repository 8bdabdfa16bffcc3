// Package form writes measurements in the endpoints harness's form, next to the harness's own records. It handles
// LoadGen runs of benchmarks that request that form, and replays of recorded conversations.
//
// In scope: records of runs, and the files in their folders. Out of scope: the files themselves
// (internal/serving/formats/endpoints).
package form

import (
	"errors"

	"github.com/plumbline-ml/plumbline/bench/plan"
	"github.com/plumbline-ml/plumbline/bench/record"
)

// maxFileSize is the maximum size of files that this package reads, in bytes.
const maxFileSize = 1 << 30

// WriteEndpointsFiles writes the endpoints harness's files for each scenario of the plan that has that form, with the
// accuracy and the audit from this plan or earlier ones. It ignores other scenarios, and a lost output folder, which is
// a fault of one of the runs.
func WriteEndpointsFiles(p *plan.Plan, d record.Document) error {
	if p.Out == "" {
		return nil
	}
	return errors.Join(writeReplays(p, d), writeDriven(p, d))
}
