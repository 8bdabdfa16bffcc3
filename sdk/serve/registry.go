package serve

import (
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// backendRegistry contains the backends of a binary in the order of registration. The first one is the default.
type backendRegistry []namedBackend

type namedBackend struct {
	name    string
	backend backend.Backend
}

func (r backendRegistry) names() []string {
	names := make([]string, len(r))
	for i, b := range r {
		names[i] = b.name
	}
	return names
}

// findBackend returns a backend and its name. An empty name means the default.
func (r backendRegistry) findBackend(name string) (string, backend.Backend, error) {
	if len(r) == 0 {
		return "", nil, fmt.Errorf("%w: this plugin has no backend: build it with sdk.Backend", sdk.ErrUsage)
	}
	if name == "" {
		return r[0].name, r[0].backend, nil
	}
	for _, b := range r {
		if b.name == name {
			return b.name, b.backend, nil
		}
	}
	return "", nil, sdk.Usage(fmt.Errorf("unknown backend %q, this plugin has %s", name, strings.Join(r.names(), ", ")))
}

// describeBenchmark returns the benchmark's description with the backends of the binary.
func describeBenchmark(b sdk.Benchmark, r backendRegistry) sdk.Description {
	d := b.Describe()
	d.Backends = r.names()
	return d
}
