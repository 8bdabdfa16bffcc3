package assemble

import (
	"testing"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// TestInEndpointsForm: the form is of rounds that have it, and of runs that this LoadGen drove.
func TestInEndpointsForm(t *testing.T) {
	with := func(rules string, l *record.LoadGen) *record.Run { return &record.Run{Rules: rules, LoadGen: l} }
	for name, c := range map[string]struct {
		run  *record.Run
		want bool
	}{
		"a round that has it":  {with("v6.1", nil), true},
		"the official LoadGen": {with("v6.1", new(record.LoadGen)), false},
		"an older round":       {with("v6.0", nil), false},
	} {
		if got := canHaveEndpointsForm(c.run); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
