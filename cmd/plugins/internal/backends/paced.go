//go:build pace

package backends

import (
	"fmt"
	"os"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// applyPace returns ONNX Runtime at the pace that PLUMBLINE_PACE names, in plugins that are built with the tag pace:
// for tests.
func applyPace(b Paceable) backend.Backend {
	p, err := ParsePace(os.Getenv("PLUMBLINE_PACE"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "PLUMBLINE_PACE:", err)
		os.Exit(2)
	}
	return p.ApplyTo(b)
}
