//go:build pace

package backends

import (
	"fmt"
	"os"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// applyPace returns ONNX Runtime with the pace in PLUMBLINE_PACE. It is part of plugins that are built with the tag
// pace, for tests.
func applyPace(b Paceable) backend.Backend {
	p, err := ParsePace(os.Getenv("PLUMBLINE_PACE"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "PLUMBLINE_PACE:", err)
		os.Exit(2)
	}
	return p.ApplyTo(b)
}
