package batch

import (
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// defaultBatch is the largest batch if neither the user nor the backend determines one. On CPUs the throughput of
// convolutional models is highest at 1 or 2 samples per Run, because larger batches do not fit in the cache.
const defaultBatch = 2

// PolicyRequest contains the requirements of a run for the policy. If Batch or Sessions is 0, the policy chooses it.
type PolicyRequest struct {
	Scenario        loadgen.Scenario
	Batch, Sessions int
	Preferred       int // the workload's batch if Batch is 0 and there are many samples at a time; 0: none
	CPUs            int // number of cores that this process may use
	Devices         int // number of devices that the user names; 0: the backend chooses
}

// Config returns the backend's configuration for the request.
//
// SingleStream processes one sample at a time, so one Run gets all threads. In the other scenarios, one single-threaded
// Run per core is faster than one Run with all threads, because no thread waits for another inside an operator. For
// devices that the user names, the backend chooses the number of concurrent runs.
func (r PolicyRequest) Config() backend.Config {
	c := backend.Config{Concurrency: r.Sessions, MaxBatch: r.Batch}
	if r.Scenario == loadgen.SingleStream {
		c.LowLatency = r.Sessions <= 1
		c.Concurrency = max(c.Concurrency, 1)
	}
	if c.Concurrency <= 0 && r.Devices == 0 {
		c.Concurrency = max(r.CPUs, 1)
	}
	return c
}

// BatchPolicy determines how batches are formed.
type BatchPolicy struct {
	// Sessions is the number of batches that run at a time.
	Sessions int
	// Workers is the number of batches in progress at a time. It is larger than Sessions if collating one batch overlaps
	// the run of another.
	Workers int
	// OwnTurns reports that the session itself limits concurrent runs, because each of several devices has its own limit.
	OwnTurns bool
	// MaxBatch is the size of the largest batch.
	MaxBatch int
	// Inline runs batches in the goroutine that submits them.
	Inline bool
	// Split distributes the samples of one query over the sessions.
	Split bool
	// Share limits a batch to a session's share of the queued samples.
	Share bool
	// Full waits for full batches until the query ends.
	Full bool
	// Sizing forms batches by the sizes of their samples; nil: only by their number.
	Sizing *SizePolicy
}

// ChoosePolicy returns the policy of a request on an open session.
//
//   - SingleStream runs in the goroutine that receives: a hand-over costs microseconds and wins nothing.
//   - MultiStream spreads each query over the sessions: its latency is that of the slowest part.
//   - Server takes what is queued when a session is free, and never waits for more: waiting costs latency, and under
//     load the queue fills batches by itself. Sessions that compute on this machine take their share of it: two samples
//     that wait for two sessions are answered in the time of one, and not of a batch of two.
//   - Offline waits for full batches. It collates ahead where cores are left over by the sessions; where every
//     core has a session, collating ahead only takes turns with it. Of several devices each has a batch ahead, also
//     where every core has a session but the sessions compute elsewhere.
func ChoosePolicy(r PolicyRequest, l backend.Limits) BatchPolicy {
	p := BatchPolicy{Sessions: sessionCount(r, l), MaxBatch: maxBatch(r, l), OwnTurns: r.Devices > 1}
	p.Workers = p.Sessions
	switch r.Scenario {
	case loadgen.SingleStream:
		p.Inline, p.Sessions, p.Workers = true, 1, 1
	case loadgen.MultiStream:
		p.Split = true
	case loadgen.Server:
		p.Share = l.Native
	case loadgen.Offline:
		p.Full = true
		if p.Sessions < r.CPUs || r.Devices > 1 && !l.Native {
			p.Workers += max(1, r.Devices)
		}
	}
	return p
}

func sessionCount(r PolicyRequest, l backend.Limits) int {
	n := r.Config().Concurrency
	if n <= 0 {
		n = max(r.CPUs, r.Devices, 1)
	}
	if l.Concurrency > 0 && (r.Sessions <= 0 || r.Sessions > l.Concurrency) {
		n = l.Concurrency
	}
	return n
}

func maxBatch(r PolicyRequest, l backend.Limits) int {
	n := r.Batch
	if n <= 0 && r.Scenario == loadgen.SingleStream {
		n = 1
	}
	if n <= 0 {
		n = r.Preferred
	}
	if n <= 0 {
		n = l.PreferredBatch
	}
	if n <= 0 {
		n = defaultBatch
	}
	if l.MaxBatch > 0 {
		n = min(n, l.MaxBatch)
	}
	return n
}
