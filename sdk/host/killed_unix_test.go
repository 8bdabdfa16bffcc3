//go:build unix

package host_test

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// use performs all operations of a harness on a plugin, one after another, until one fails.
func use(ctx context.Context, p *host.Plugin) error {
	if _, err := p.Describe(ctx); err != nil {
		return err
	}
	s, err := p.OpenScorer(ctx, sdk.ScoreOptions{Model: "faulty"})
	if err == nil {
		for i := range 100 {
			err = errors.Join(err, s.Add(mllog.AccuracyEntry{QSLIndex: uint64(i), Data: make([]byte, 4)}))
		}
		_, scored := s.Result()
		err = errors.Join(err, scored)
	}
	if host := (*host.PluginError)(nil); errors.As(err, &host) {
		return err
	}
	w, err := openCount(ctx, p, loadgen.Offline, 100)
	if err != nil {
		return err
	}
	for ctx.Err() == nil && err == nil {
		_, err = loadgen.StartTest(ctx, w.SUT(), w.QSL(), settings(loadgen.Offline), loadgen.LogSettings{})
	}
	return errors.Join(err, w.Close())
}

// TestWhatWaitsEndsWithThePlugin kills plugins while the harness waits for them. Every wait must end with the death as
// the reason, independently of the interrupted call. A plugin that hangs in a call is usually killed in this call.
func TestWhatWaitsEndsWithThePlugin(t *testing.T) {
	for _, fault := range []string{
		"hang-open", "hang-load", "hang-warm-up", "hang-run", "hang-collate", "slow-close", "hang-score", "slow-batches",
		"loses-open", "loses-load", "loses-unload", "loses-warm-up", "mute", "silent-when-idle",
	} {
		for way, o := range map[string]host.LaunchOptions{"ring": {}, "stream": {StreamOnly: true}} {
			t.Run(fault+" "+way, func(t *testing.T) {
				t.Parallel()
				p, err := launchWith(t, fault, o)
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := p.Context(t.Context())
				defer cancel()
				ended := make(chan error, 1)
				go func() { ended <- use(ctx, p) }()
				time.Sleep(200 * time.Millisecond)
				if err := syscall.Kill(p.PID(), syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
				if err := <-ended; err == nil {
					t.Error("no error")
				}
				<-ctx.Done()
				wantFailure(t, context.Cause(ctx), host.KindDied, "killed by signal 9")
			})
		}
	}
}

// TestLostCallsEnd checks that waiting for a call that a running plugin has forgotten also ends, without an answer
// timeout.
func TestLostCallsEnd(t *testing.T) {
	for _, fault := range []string{"loses-open", "loses-load", "loses-unload", "loses-warm-up", "loses-close"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			p, err := launchWith(t, fault, host.LaunchOptions{HeartbeatTimeout: hangSoon})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := p.Context(t.Context())
			defer cancel()
			w, err := openCount(ctx, p, loadgen.SingleStream, 100)
			if err == nil {
				_, err = loadgen.StartTest(ctx, w.SUT(), w.QSL(), settings(loadgen.SingleStream), loadgen.LogSettings{})
				err = errors.Join(err, w.Close())
			}
			if err == nil {
				t.Error("no error")
			}
			<-ctx.Done()
			// on a busy machine its heartbeats may also be late
			wantFailure(t, context.Cause(ctx), host.KindHung, "(limit "+hangSoon.String()+")")
		})
	}
}
