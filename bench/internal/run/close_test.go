package run

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbline-ml/plumbline/bench/plugin"
)

var errKilled = errors.New("it was killed")

// killable is a plugin that can be killed.
type killable struct {
	plugin.Plugin
	killed chan struct{}
}

func (k killable) Kill() { close(k.killed) }

// slow is a workload that closes slowly.
type slow struct {
	plugin.Workload
	plugin killable
	takes  time.Duration
}

func (s slow) Close() error {
	select {
	case <-time.After(s.takes):
		return nil
	case <-s.plugin.killed:
		return errKilled
	}
}

func TestPluginsThatDoNotCloseAreKilledAfterAnInterrupt(t *testing.T) {
	const hour = time.Hour
	for name, c := range map[string]struct {
		takes, interrupt time.Duration // interrupt is the time after the beginning; below 0: never
		want             error
		wait             time.Duration
	}{
		"no interrupt, slow":          {hour, -1, nil, hour},
		"interrupted before, slow":    {hour, 0, errKilled, closeGrace},
		"interrupted meanwhile, slow": {hour, time.Minute, errKilled, time.Minute + closeGrace},
		"interrupted before, in time": {closeGrace / 2, 0, nil, closeGrace / 2},
		"interrupted later, in time":  {time.Minute, time.Minute - 1, nil, time.Minute},
		"interrupted after its end":   {time.Second, hour, nil, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if c.interrupt == 0 {
					cancel()
				} else if c.interrupt > 0 {
					defer time.AfterFunc(c.interrupt, cancel).Stop()
				}
				pl := killable{killed: make(chan struct{})}
				start := time.Now()
				err := closeWorkload(ctx, pl, slow{plugin: pl, takes: c.takes})
				if !errors.Is(err, c.want) || time.Since(start) != c.wait {
					t.Errorf("%v after %v, want %v after %v", err, time.Since(start), c.want, c.wait)
				}
			})
		})
	}
}
