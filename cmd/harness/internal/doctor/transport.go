package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/discover"
	"github.com/plumbline-ml/plumbline/bench/plugin"
)

// nullPlugin answers each query at once, so the measured latency is that of the transport.
const nullPlugin = "null"

// maxGoodFloor is the limit of a good median latency of the transport.
const maxGoodFloor = 150 * time.Microsecond

// CheckTransport measures the latency of queries to the null plugin. It measures shared memory, where supported, and
// the stream, which plugins without shared memory use.
func CheckTransport(ctx context.Context, l plugin.Launcher, c *discover.Catalog, o host.LaunchOptions) Section {
	var checks []Check
	if host.SharedMemory {
		checks = append(checks, checkTransportLatency(ctx, l, c, o, "shared memory"))
	}
	o.StreamOnly = true
	return Section{"transport", append(checks, checkTransportLatency(ctx, l, c, o, "stream"))}
}

func checkTransportLatency(ctx context.Context, l plugin.Launcher, c *discover.Catalog, o host.LaunchOptions,
	name string) Check {
	check := Check{Name: name, State: Warn, Found: "not measured: there is no plugin " + nullPlugin}
	for _, e := range c.Entries {
		if e.Name != nullPlugin || e.Err != nil || len(e.Description.Models) == 0 {
			continue
		}
		res, err := measureRoundTrips(ctx, l, e, o)
		if err != nil {
			return failedCheck(ctx, name, err)
		}
		return judgeTransportLatency(name, res)
	}
	return check
}

func measureRoundTrips(ctx context.Context, l plugin.Launcher, e discover.Entry,
	o host.LaunchOptions) (*loadgen.Result, error) {
	p, err := l.Launch(ctx, e.Path, o)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	ctx, cancel := p.Context(ctx)
	defer cancel()
	w, err := p.Open(ctx, sdk.Options{Model: e.Description.Models[0].Name, Scenario: loadgen.SingleStream})
	if err != nil {
		return nil, err
	}
	defer func() { _ = w.Close() }() // the probe's result does not depend on it
	s := loadgen.DefaultTestSettings()
	s.SingleStreamExpectedLatency = time.Microsecond // requests more queries than fit into the duration
	s.MinDuration, s.MaxDuration, s.MinQueryCount = time.Second, time.Second, 100
	return loadgen.StartTest(ctx, w.SUT(), w.QSL(), s, loadgen.LogSettings{})
}

func judgeTransportLatency(name string, res *loadgen.Result) Check {
	var median, high time.Duration
	for _, p := range res.Latency.Percentiles {
		switch p.P {
		case 0.5:
			median = p.Latency
		case 0.99:
			high = p.Latency
		}
	}
	c := Check{Name: name, State: OK,
		Found: fmt.Sprintf("%s per query to a plugin and back (median of %d), %s at the 99th percentile",
			formatMicros(median), res.QueryCount, formatMicros(high))}
	if median > maxGoodFloor {
		c.State, c.Advice = Warn, "every SingleStream latency includes it: stop other programs, and see the CPU governor"
	}
	return c
}
