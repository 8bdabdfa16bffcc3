package assemble

import (
	"testing"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// TestInEndpointsForm: files of the endpoints harness that lie beside a run are its own, and the round has the form.
func TestInEndpointsForm(t *testing.T) {
	with := func(rules string, l *record.LoadGen, params map[string]string) *record.Run {
		return &record.Run{Rules: rules, LoadGen: l, Options: record.Options{Params: params}}
	}
	for name, c := range map[string]struct {
		run  *record.Run
		want bool
	}{
		"by default":           {with("v6.1", nil, nil), true},
		"asked for":            {with("v6.1", nil, map[string]string{"form": "endpoints"}), true},
		"the other form":       {with("v6.1", nil, map[string]string{"form": "loadgen"}), false},
		"the official LoadGen": {with("v6.1", new(record.LoadGen), nil), false},
		"an older round":       {with("v6.0", nil, nil), false},
	} {
		if got := inEndpointsForm(c.run); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
