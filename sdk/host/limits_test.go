package host_test

import (
	"errors"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// A plugin that exceeds a limit is ended with all its processes, and the failure names the limit.
func TestLimits(t *testing.T) {
	if !host.LimitsSupported {
		t.Skip("no limits on this system")
	}
	for _, c := range []struct {
		fault  string
		limits host.ResourceLimits
		part   string
	}{
		{"eat-memory", host.ResourceLimits{Memory: 300 << 20}, "over its limit memory=300MiB"},
		{"eat-at-open", host.ResourceLimits{Memory: 300 << 20, Processes: 100, CPU: time.Hour, Files: 500},
			"over its limit memory=300MiB"},
		{"breed", host.ResourceLimits{Processes: 10}, "over its limit processes=10"},
		{"burn", host.ResourceLimits{CPU: time.Second}, "over its limit cpu=1s"},
		{"hoard", host.ResourceLimits{Files: 100}, "its limit files=100"},
		{"hoard-at-open", host.ResourceLimits{Files: 100}, "its limit files=100"},
	} {
		t.Run(c.fault, func(t *testing.T) {
			t.Parallel()
			p, err := launchWith(t, c.fault, host.LaunchOptions{Limits: c.limits})
			if err == nil {
				_, err = startTest(t, p, loadgen.SingleStream)
			}
			wantFailure(t, err, host.KindLimit, c.part, "higher limit")
		})
	}
}

// Limits that are not reached have no effect.
func TestWithinLimits(t *testing.T) {
	if !host.LimitsSupported {
		_, err := launchWith(t, "", host.LaunchOptions{Limits: host.ResourceLimits{Files: 100}})
		if wantFailure(t, err, host.KindLimit); !errors.Is(err, host.ErrNoLimits) {
			t.Error(err)
		}
		return
	}
	p, err := launchWith(t, "", host.LaunchOptions{Limits: host.ResourceLimits{Memory: 8 << 30, Processes: 100,
		CPU:   time.Hour,
		Files: 500}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := startTest(t, p, loadgen.Server); err != nil {
		t.Error(err)
	}
}
