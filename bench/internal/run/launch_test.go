package run

import (
	"io"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/plan"
)

func TestPluginsInheritWhatOptionsName(t *testing.T) {
	r := &runner{launch: host.LaunchOptions{Inherit: []string{"MINE"}}}
	p := &plan.Plan{
		Options: sdk.Options{BackendOptions: map[string]string{"key_env": "ACME_KEY", "threads": "2", "token_env": ""}},
	}
	o := r.launchOptions(p, io.Discard)
	if !slices.Equal(o.Inherit, []string{"MINE", "ACME_KEY"}) || o.Stderr != io.Discard {
		t.Errorf("%+v", o)
	}
	if len(r.launch.Inherit) != 1 {
		t.Error("one run's options reach the next one")
	}
}
