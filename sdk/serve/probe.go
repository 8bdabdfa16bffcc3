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

// How nodes are measured, before the run.
const (
	// nodeTimeout bounds one answer of a node.
	nodeTimeout = 10 * time.Second
	// sendTimeout bounds the answer to one request of those that measure bandwidth.
	sendTimeout = time.Minute
	// warmTrips are not counted: connections are made, and caches filled.
	warmTrips = 3
	// roundTrips give a 50th and a 99th percentile.
	roundTrips = 50
	// sendBytes is the size of one request: the largest that common servers and proxies take unasked.
	sendBytes = 1 << 20
	// sendAtATime hides the round trip: while one request is answered the others are on their way.
	sendAtATime = 8
	// sendLeast and sendMost bound the requests of one node, and sendFor their time: no more is begun after it.
	sendLeast, sendMost = 16, 1024
	sendFor             = 300 * time.Millisecond
)

// probeAll asks the nodes for their names, and measures them one after the other, so that none takes from another's
// share of this machine's link.
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
		name, peer, err := askName(ctx, n)
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

// percentile is the least value that at least a share p of the sorted ones does not exceed.
func percentile(sorted []time.Duration, p float64) time.Duration {
	return sorted[max(0, int(math.Ceil(p*float64(len(sorted))))-1)]
}

func askName(ctx context.Context, n backend.RemoteNode) (name, peer string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, nodeTimeout, fmt.Errorf("it does not answer within %v", nodeTimeout))
	defer cancel()
	name, peer, err = n.Name(ctx)
	return name, peer, preferCause(ctx, err)
}

// preferCause returns the reason why ctx ended, where it has, in place of the error that followed from it.
func preferCause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// measureThroughput sends requests of sendBytes, sendAtATime of them under way, and returns bytes per second. The first
// of each sender opens its connection, or the connection's windows, and does not count.
func measureThroughput(ctx context.Context, n backend.RemoteNode) (float64, error) {
	if _, err := sendMany(ctx, n, sendAtATime, 0); err != nil {
		return 0, err
	}
	began := time.Now()
	sent, err := sendMany(ctx, n, sendMost, sendFor)
	if err != nil {
		return 0, err
	}
	return float64(sent) * sendBytes / time.Since(began).Seconds(), nil
}

// sendMany sends up to maxRequests requests, and begins none after a time, but for the first sendLeast; with no time,
// all of them. It returns how many were sent.
func sendMany(ctx context.Context, n backend.RemoteNode, maxRequests int64, limit time.Duration) (int64, error) {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	began := time.Now()
	var next, sent atomic.Int64
	var sending sync.WaitGroup
	for range sendAtATime {
		sending.Go(func() {
			for ctx.Err() == nil {
				k := next.Add(1)
				if k > maxRequests || limit > 0 && k > sendLeast && time.Since(began) > limit {
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
