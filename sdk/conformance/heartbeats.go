package conformance

import (
	"context"
	"fmt"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

const (
	// beatsAwaited is the number of heartbeats to wait for. The first one may have been sent before the call.
	beatsAwaited = 2
	// beatInterval is the time between two readings of the last heartbeat.
	beatInterval = 20 * time.Millisecond
)

// checkHeartbeats waits for some heartbeats of an idle plugin, and compares their counts with the number of requested
// samples: none, one, and then all of them in addition.
func checkHeartbeats(ctx context.Context, v *pluginVisit) (string, error) {
	c, err := v.openClient(ctx)
	if err != nil {
		return "", err
	}
	asked := uint64(0)
	for _, more := range [][]loadgen.SampleIndex{nil, c.allSamples()[:1], c.allSamples()} {
		if len(more) > 0 {
			if _, err := c.runQuery(ctx, more); err != nil {
				return "", err
			}
		}
		asked += uint64(len(more))
		h, err := c.nextBeat(ctx, v.subject.Patience)
		if err != nil {
			return "", err
		}
		if h.Received != asked || h.Answered != asked {
			return "", fmt.Errorf("a heartbeat after %d answered samples says received %d, answered %d; want %d of both: "+
				"count them from Open on",
				asked, h.Received, h.Answered, asked)
		}
	}
	return fmt.Sprintf("they come while it is idle, and count %d samples", asked), nil
}

// nextBeat waits for a heartbeat of the workload that began after the call.
func (c *queryClient) nextBeat(ctx context.Context, patience time.Duration) (host.Heartbeat, error) {
	ctx, cancel := c.plugin.Context(ctx)
	defer cancel()
	late := time.After(patience)
	for before := c.workload.Heartbeat().Number; ; {
		if h := c.workload.Heartbeat(); h.Number >= before+beatsAwaited {
			return h, nil
		}
		select {
		case <-ctx.Done():
			return host.Heartbeat{}, context.Cause(ctx)
		case <-late:
			return host.Heartbeat{}, fmt.Errorf("%d heartbeats of the open workload came in %v in which nothing was in work, "+
				"want one each second: send them from a clock, not with the answers",
				c.workload.Heartbeat().Number-before, patience)
		case <-time.After(beatInterval):
		}
	}
}
