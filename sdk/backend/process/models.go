package process

import (
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// severalModels is the capability of a process that can open a model for each part of a workload.
const severalModels = "models"

// processToJoin returns the process that a model joins: that of another part with the same command on the same device.
// nil means that the model gets its own process. If that process can open only one model, it returns an error, because
// parts with the same command are meant to share kept tensors.
func processToJoin(set processOptions, c backend.Config) (*childProcess, error) {
	for _, sibling := range c.Siblings {
		s, ok := sibling.(*processSession)
		if !ok || s.options.command != set.command || s.child.device != c.Device {
			continue
		}
		if !slices.Contains(s.response.Capabilities, severalModels) {
			return nil, fmt.Errorf("%w: the backend process %q holds one model (its answer to Open lacks the capability %q), "+
				"and this workload has several parts: it serves workloads of one part; give part %s a process of its own "+
				"with --backend-opt %[4]s.command=COMMAND, or have the process take several models",
				backend.ErrFailed, set.command, severalModels, c.Part)
		}
		s.child.sessions.Add(1)
		return s.child, nil
	}
	return nil, nil
}

// closeSession closes the process together with its last session.
func (p *childProcess) closeSession() error {
	if p.sessions.Add(-1) > 0 {
		return nil
	}
	return p.close()
}
