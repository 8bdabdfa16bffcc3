package host_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
)

// If the user's text cannot be sent in a message, the fault is the user's and not the plugin's.
func TestOptionsThatAreNoUTF8(t *testing.T) {
	p := launch(t)
	const latin1 = "Ger\xe4t"
	bad := map[string]string{latin1: "1", "threads": latin1}
	for _, c := range []struct {
		options sdk.Options
		parts   []string
	}{
		{sdk.Options{Model: latin1, Precision: latin1}, []string{`model "Ger\xe4t" is not UTF-8`, `precision "Ger\xe4t"`}},
		{sdk.Options{ModelFile: latin1}, []string{`model file "Ger\xe4t"`}},
		{sdk.Options{Dataset: latin1}, []string{`data set "Ger\xe4t"`}},
		{sdk.Options{Backend: latin1}, []string{`backend "Ger\xe4t"`}},
		{sdk.Options{BackendOptions: bad}, []string{`the name of backend option "Ger\xe4t"`,
			`backend option "threads": "Ger\xe4t"`}},
		{sdk.Options{Params: bad}, []string{`the name of parameter "Ger\xe4t"`, `parameter "threads": "Ger\xe4t"`}},
		{sdk.Options{Devices: []string{"cpu:0", latin1}}, []string{`device "Ger\xe4t"`}},
	} {
		_, err := p.Open(t.Context(), c.options)
		wantUsage(t, err, c.parts)
	}
	for _, c := range []struct {
		options sdk.ScoreOptions
		parts   []string
	}{
		{sdk.ScoreOptions{Model: latin1, Dataset: latin1}, []string{`model "Ger\xe4t"`, `data set "Ger\xe4t"`}},
		{sdk.ScoreOptions{Params: bad}, []string{`parameter "threads": "Ger\xe4t"`}},
	} {
		_, err := p.OpenScorer(t.Context(), c.options)
		wantUsage(t, err, c.parts)
	}
}

func wantUsage(t *testing.T, err error, parts []string) {
	t.Helper()
	if !errors.Is(err, sdk.ErrUsage) {
		t.Errorf("error %v, want one of class %q", err, sdk.ErrUsage)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not contain %q", err, part)
		}
	}
}
