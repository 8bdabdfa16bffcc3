package serve

import (
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// registry is the backends of a binary, in the order of registration. The first is the default.
type registry []namedBackend

type namedBackend struct {
	name    string
	backend backend.Backend
}

func (r registry) names() []string {
	names := make([]string, len(r))
	for i, b := range r {
		names[i] = b.name
	}
	return names
}

// find returns a backend and its name; the default where name is empty.
func (r registry) find(name string) (string, backend.Backend, error) {
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

// describe is the benchmark's description with the backends of the binary.
func describe(b sdk.Benchmark, r registry) sdk.Description {
	d := b.Describe()
	d.Backends = r.names()
	return d
}
