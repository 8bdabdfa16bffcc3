package exitcode

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/fetch"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/internal/trust"
)

func TestOf(t *testing.T) {
	wrap := func(err error) error { return fmt.Errorf("while running: %w", err) }
	cases := []struct {
		name string
		err  error
		want Code
	}{
		{"nothing", nil, Valid},
		{"unknown", errors.New("?"), Internal},
		{"outcome", wrap(&Outcome{Invalid}), Invalid},
		{"marked", wrap(sdk.Data(errors.New("x"))), Data},
		{"marked with nil", sdk.Data(nil), Valid},
		{"plugin", wrap(&host.PluginError{Kind: host.KindDied}), Plugin},
		{"plugin that blames the model", wrap(&host.PluginError{Kind: host.KindFailed, Err: sdk.Data(errors.New("x"))}),
			Data},
		{"plugin that failed", wrap(&host.PluginError{Kind: host.KindFailed, Err: errors.New("x")}), Plugin},
		{"plugin that died", wrap(&host.PluginError{Kind: host.KindDied, Err: sdk.Data(errors.New("x"))}), Plugin},
		{"protocol", wrap(loadgen.ErrProtocol), Plugin},
		{"settings", wrap(loadgen.ErrBadSettings), Usage},
		{"user.conf", wrap(mlconf.ErrConfig), Usage},
		{"logs", wrap(loadgen.ErrLogs), Usage},
		{"option of the plugin", wrap(sdk.Usage(errors.New("x"))), Usage},
		{"data of the plugin", wrap(sdk.Data(errors.New("x"))), Data},
		{"data set", wrap(loadgen.ErrBadQSL), Data},
		{"not fetched", wrap(fetch.ErrMissing), Data},
		{"bad checksum", wrap(fetch.ErrChecksum), Data},
		{"interrupted", wrap(loadgen.ErrInterrupted), Interrupted},
		{"cancelled", wrap(context.Canceled), Interrupted},
		{"interrupted while the plugin starts", &host.PluginError{Kind: host.KindStart, Err: loadgen.ErrInterrupted},
			Interrupted},
		{"a plugin that is marked", wrap(plugin.Fault(errors.New("x"))), Plugin},
		{"a mark around another", sdk.Usage(wrap(sdk.Data(errors.New("x")))), Usage},
		{"a mark around a plugin's failure", sdk.Data(&host.PluginError{}), Data},
		{"data of a plugin that failed", &host.PluginError{Err: sdk.Data(errors.New("x"))}, Plugin},
		{"a plugin's failure, and logs that cannot be written", errors.Join(&host.PluginError{}, wrap(loadgen.ErrLogs)),
			Usage},
		{"pins", wrap(trust.ErrLock), Usage},
		{"a full disk", wrap(&fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}), Usage},
		{"a share that is used up, of data", sdk.Data(wrap(syscall.EDQUOT)), Usage},
		{"too many open files", wrap(&fs.PathError{Op: "open", Path: "x", Err: syscall.EMFILE}), Usage},
		{"too many open files of the system, of data", sdk.Data(wrap(syscall.ENFILE)), Usage},
		{"a full disk after an interrupt", errors.Join(loadgen.ErrInterrupted, syscall.ENOSPC), Interrupted},
		{"several faults", errors.Join(sdk.Usage(errors.New("x")), errors.New("y")), Usage},
	}
	for _, c := range cases {
		if got := Of(c.err); got != c.want {
			t.Errorf("%s: %d (%v), want %d", c.name, got, got, c.want)
		}
	}
}

func TestWorst(t *testing.T) {
	cases := []struct {
		codes []Code
		want  Code
	}{
		{nil, Valid},
		{[]Code{Valid, Valid}, Valid},
		{[]Code{Invalid, Valid}, Invalid},
		{[]Code{Accuracy, Invalid}, Accuracy},
		{[]Code{Accuracy, Data}, Data},
		{[]Code{Data, Plugin, Accuracy}, Plugin},
		{[]Code{Plugin, Interrupted, Invalid}, Interrupted},
		{[]Code{99, Plugin}, Internal},
	}
	for _, c := range cases {
		if got := Worst(c.codes...); got != c.want {
			t.Errorf("worst of %v is %d, want %d", c.codes, got, c.want)
		}
	}
}

func TestEveryCodeHasWords(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Meanings() {
		c := m.Code
		if c.String() == "unknown" || seen[c.String()] {
			t.Errorf("code %d is called %q", c, c)
		}
		seen[c.String()] = true
	}
}

func TestOpenErrorsWithoutAClassAreTheDatas(t *testing.T) {
	for err, want := range map[error]Code{
		errors.New("x"): Data, sdk.Usage(errors.New("x")): Usage, &host.PluginError{}: Plugin,
	} {
		if got := Of(OrData(err)); got != want {
			t.Errorf("%v: code %d, want %d", err, got, want)
		}
	}
}

// TestFaultsOfARequest checks that faults without a class are Usage, that the most severe class is the class of all,
// and that texts are kept.
func TestFaultsOfARequest(t *testing.T) {
	plain := errors.New("--batch 0")
	for name, c := range map[string]struct {
		faults []error
		want   Code
	}{
		"none":             {[]error{nil, nil}, Valid},
		"without a class":  {[]error{nil, plain}, Usage},
		"of data":          {[]error{sdk.Data(errors.New("no file"))}, Data},
		"of both, usage":   {[]error{sdk.Data(errors.New("no file")), plain}, Usage},
		"of both, plugins": {[]error{Mark(Plugin, errors.New("no plugin")), sdk.Data(plain)}, Plugin},
	} {
		faults := slices.Clone(c.faults)
		err := OfRequest(faults)
		if got := Of(err); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		for _, f := range c.faults {
			if f != nil && (err == nil || !strings.Contains(err.Error(), f.Error())) {
				t.Errorf("%s: %v lacks %v", name, err, f)
			}
		}
	}
}
