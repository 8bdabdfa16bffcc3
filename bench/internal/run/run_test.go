package run

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
)

func TestBecause(t *testing.T) {
	died := &host.PluginError{Kind: host.KindDied, Found: "it died"}
	broken := errors.New("the stream is broken")
	interrupted := fmt.Errorf("%w by signal", loadgen.ErrInterrupted)
	cases := []struct {
		name  string
		cause error
		err   error
		code  exitcode.Code
		text  string
	}{
		{"nothing", nil, nil, exitcode.Valid, ""},
		{"an error of its own", nil, sdk.Data(broken), exitcode.Data, "the stream is broken"},
		{"what follows from a plugin's death", died, broken, exitcode.Plugin, died.Error()},
		{"what follows from an interrupt", interrupted, broken, exitcode.Interrupted,
			"interrupted by signal: the stream is broken"},
		{"an interrupt that says so itself", interrupted, interrupted, exitcode.Interrupted, "interrupted by signal"},
		{"success in spite of an interrupt", interrupted, nil, exitcode.Valid, ""},
	}
	for _, c := range cases {
		ctx, cancel := context.WithCancelCause(t.Context())
		if c.cause != nil {
			cancel(c.cause)
		}
		err := preferCause(ctx, c.err)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if exitcode.Of(err) != c.code || text != c.text {
			t.Errorf("%s: code %d, %q; want %d, %q", c.name, exitcode.Of(err), text, c.code, c.text)
		}
		cancel(nil)
	}
}
