package serve

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Parameters of the nodes' measurement before the run.
const (
	// nodeTimeout limits one answer of a node.
	nodeTimeout = 10 * time.Second
	// sendTimeout limits the answer to one request of the bandwidth measurement.
	sendTimeout = time.Minute
	// warmTrips is the number of first round trips that do not count, because they open connections and fill caches.
	warmTrips = 3
	// roundTrips is the number of round trips for the 50th and the 99th percentile.
	roundTrips = 50
	// sendBytes is the size of one request: the maximum that common servers and proxies accept by default.
	sendBytes = 1 << 20
	// concurrentSends is the number of concurrent requests. It hides the round trip, because others are in transit while
	// one is answered.
	concurrentSends = 8
	// minSends and maxSends limit the number of requests to one node. After sendTime no further request begins.
	minSends, maxSends = 16, 1024
	sendTime           = 300 * time.Millisecond
)

// probeAll requests the names of the nodes and measures them one after another, so they do not share this machine's
// link.
func probeAll(ctx context.Context, nodes []backend.RemoteNode) ([]sdk.NodeInfo, error) {
	if _, err := nodeNames(ctx, nodes); err != nil {
		return nil, err
	}
	found := make([]sdk.NodeInfo, len(nodes))
	for i, n := range nodes {
		var err error
		if found[i], err = probeNode(ctx, n); err != nil {
			return nil, fmt.Errorf("measuring node %s: %w", n.Address(), err)
		}
	}
	return found, nil
}

func probeNode(ctx context.Context, n backend.RemoteNode) (sdk.NodeInfo, error) {
	found := sdk.NodeInfo{Address: n.Address()}
	trips := make([]time.Duration, 0, roundTrips)
	for i := range warmTrips + roundTrips {
		began := time.Now()
		name, peer, err := requestName(ctx, n)
		if err != nil {
			return found, err
		}
		if i >= warmTrips {
			trips = append(trips, time.Since(began))
		}
		found.Name, found.Peer = name, peer
	}
	slices.Sort(trips)
	found.RoundTripP50, found.RoundTripP99 = percentile(trips, 0.50), percentile(trips, 0.99)
	var err error
	found.BytesPerSecond, err = measureThroughput(ctx, n)
	return found, err
}

// percentile returns the smallest value that is not exceeded by a share p of the sorted values.
func percentile(sorted []time.Duration, p float64) time.Duration {
	return sorted[max(0, int(math.Ceil(p*float64(len(sorted))))-1)]
}

func requestName(ctx context.Context, n backend.RemoteNode) (name, peer string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, nodeTimeout, fmt.Errorf("it does not answer within %v", nodeTimeout))
	defer cancel()
	name, peer, err = n.Name(ctx)
	return name, peer, preferCause(ctx, err)
}

// preferCause returns the reason why ctx ended, or err if ctx has not ended.
func preferCause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// measureThroughput sends requests of sendBytes, concurrentSends at a time, and returns bytes per second. The first
// request of each sender does not count, because it opens the connection or its windows.
func measureThroughput(ctx context.Context, n backend.RemoteNode) (float64, error) {
	if _, err := sendMany(ctx, n, concurrentSends, 0); err != nil {
		return 0, err
	}
	began := time.Now()
	sent, err := sendMany(ctx, n, maxSends, sendTime)
	if err != nil {
		return 0, err
	}
	return float64(sent) * sendBytes / time.Since(began).Seconds(), nil
}

// sendMany sends up to maxRequests requests. After limit it begins no further request except for the first minSends.
// Without a limit it sends all. It returns the number of sent requests.
func sendMany(ctx context.Context, n backend.RemoteNode, maxRequests int64, limit time.Duration) (int64, error) {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	began := time.Now()
	var next, sent atomic.Int64
	var sending sync.WaitGroup
	for range concurrentSends {
		sending.Go(func() {
			for ctx.Err() == nil {
				k := next.Add(1)
				if k > maxRequests || limit > 0 && k > minSends && time.Since(began) > limit {
					return
				}
				if err := sendOne(ctx, n); err != nil {
					fail(err)
					return
				}
				sent.Add(1)
			}
		})
	}
	sending.Wait()
	return sent.Load(), context.Cause(ctx)
}

func sendOne(ctx context.Context, n backend.RemoteNode) error {
	ctx, cancel := context.WithTimeoutCause(ctx, sendTimeout, fmt.Errorf("it does not answer within %v", sendTimeout))
	defer cancel()
	if err := preferCause(ctx, n.Send(ctx, sendBytes)); err != nil {
		return fmt.Errorf("a request of %d bytes: %w", sendBytes, err)
	}
	return nil
}
