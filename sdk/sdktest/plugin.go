package sdktest

import (
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/conformance"
)

// Plugin is a plugin binary under test.
type Plugin struct {
	Binary string
	// Options is used to open the workloads. Count defaults to 24. The suite sets Scenario.
	Options sdk.Options
	// Env is added to the plugin's environment.
	Env []string
}

// RunPluginSuite runs each check of package conformance as a test.
func RunPluginSuite(t *testing.T, p Plugin) {
	t.Helper()
	for _, name := range conformance.CheckNames() {
		if name == "reference" {
			continue // there is none
		}
		t.Run(name, func(t *testing.T) {
			s := conformance.Subject{Binary: p.Binary, Open: p.Options, Env: p.Env, Only: []string{name}}
			switch r := conformance.Run(t.Context(), s, nil)[0]; r.Outcome {
			case conformance.Fail:
				t.Errorf("%s: %s", r.About, r.Detail)
			case conformance.Skip:
				t.Skip(r.Detail)
			}
		})
	}
}
