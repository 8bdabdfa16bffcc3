//go:build !pace

package backends

import "github.com/plumbline-ml/plumbline/sdk/backend"

// paced is the backend as it is.
func paced(b backend.Backend) backend.Backend { return b }
