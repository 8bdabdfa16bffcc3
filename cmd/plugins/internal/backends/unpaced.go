//go:build !pace

package backends

import "github.com/plumbline-ml/plumbline/sdk/backend"

// applyPace returns the backend unchanged.
func applyPace(b backend.Backend) backend.Backend { return b }
