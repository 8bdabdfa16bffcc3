package batch

import (
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// defaultBatch is the largest batch where neither the user nor the backend asks for one. On CPUs the throughput of
// convolutional models peaks at 1 or 2 samples per Run: larger batches fall out of the cache.
const defaultBatch = 2

// PolicyRequest is what a run asks of the policy. Zero Batch and Sessions leave the choice to it.
type PolicyRequest struct {
	Scenario        loadgen.Scenario
	Batch, Sessions int
	Preferred       int // the workload's batch where Batch is 0 and there are many samples at a time; 0: none
	CPUs            int // cores that this process may use
	Devices         int // how many devices the user names; 0: the backend chooses
}

// Config is how the backend opens the model for the request.
//
// SingleStream has one sample in work at a time, so that one Run gets all threads. In the other scenarios one Run per
// core, with one thread each, beats one Run with all threads: no thread waits for another inside an operator. How many
// runs at a time suit devices that the user names, the backend knows better.
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

// BatchPolicy is how batches are formed.
type BatchPolicy struct {
	// Sessions is how many batches run at a time.
	Sessions int
	// Workers is how many batches are in work at a time: more than Sessions where collating one overlaps the run of
	// another.
	Workers int
	// OwnTurns says that the session lets so many run as it can: each of several devices has turns of its own.
	OwnTurns bool
	// MaxBatch is the largest batch.
	MaxBatch int
	// Inline runs batches in the goroutine that submits them.
	Inline bool
	// Split spreads the samples of one query over the sessions.
	Split bool
	// Share takes at most a session's share of what is queued.
	Share bool
	// Full waits for a full batch while a query goes on.
	Full bool
	// Sizing forms batches by the sizes of their samples; nil: by their number alone.
	Sizing *SizePolicy
}

// ChoosePolicy makes the policy of a request on an opened session.
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
