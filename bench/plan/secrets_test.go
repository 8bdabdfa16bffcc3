package plan

import (
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
)

// The plugins of harness verify get what a run's get: the variables that options of the backend name.
func TestNamedVariables(t *testing.T) {
	env := map[string]string{"A": "sesame-a", "B": "sesame-b"}
	p := &Plan{
		Options: sdk.Options{
			BackendOptions: map[string]string{"token_env": "B", "key_env": "A", "other_env": "NONE", "threads": "A"},
		},
		Request: Request{Env: func(name string) string { return env[name] }},
	}
	if got := p.Env(); !slices.Equal(got, []string{"A=sesame-a", "B=sesame-b"}) {
		t.Errorf("%q", got)
	}
}
