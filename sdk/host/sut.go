package host

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// chunkSamples is the maximum number of samples in one frame.
const chunkSamples = wire.ChunkBytes / 8

// pluginSUT implements loadgen.SUT and loadgen.Warmer by sending queries over the stream.
//
// While no samples are outstanding, the issuing goroutine itself sends them, which avoids a switch between goroutines.
// While the plugin is busy, samples are queued, and a sender sends all queued samples as one frame.
type pluginSUT struct {
	workload  *Workload
	responder atomic.Pointer[loadgen.Responder]
	oneQuery  bool         // only one query at a time: the issuing goroutine may poll for the answer
	wanted    func() bool  // method value of hasOutstanding, created only once
	network   *networkName // in the network division; otherwise nil
	order     *sampleOrder // the workload's own order; nil: LoadGen's samples are used
	stopped   chan struct{}

	_            cachePadding  // the following fields are written while issuing
	issued       atomic.Uint64 // number of samples, without those that were not sent because ctx ended
	issuedBefore atomic.Uint64 // samples issued before the current test, whose ids start at 0
	mu           sync.Mutex
	changed      sync.Cond
	queued       []loadgen.QuerySample
	spare        []loadgen.QuerySample
	busy         bool // the sender is sending
	flush        bool
	closed       bool
	err          error

	_        cachePadding  // the following fields are written while receiving
	answered atomic.Uint64 // number of distinct samples
	answers  answeredSet   // used only by the receiving goroutine
	lastBeat atomic.Pointer[Heartbeat]
	_        cachePadding
}

// cachePadding separates fields that one core writes at each query from the cache lines that another core writes.
// Processors fetch lines in pairs of 64 bytes.
type cachePadding [128]byte

func newSUT(w *Workload, scenario loadgen.Scenario, network bool) *pluginSUT {
	s := &pluginSUT{workload: w, stopped: make(chan struct{})}
	s.order = newOrder(w.info.Order)
	if network {
		s.network = &networkName{ask: w.nodeNames}
	}
	s.oneQuery = scenario == loadgen.SingleStream || scenario == loadgen.MultiStream
	s.wanted = s.hasOutstanding
	s.changed.L = &s.mu
	go s.sendQueued()
	return s
}

// Name returns the names of the model and the backend. In the network division it also contains the nodes' names, which
// it requests at each call.
func (s *pluginSUT) Name() string {
	info := s.workload.info
	name := fmt.Sprintf("Plumbline %s (%s)", info.Model, info.Backend)
	if s.network == nil {
		return name
	}
	return s.network.sutName(name)
}

func (s *pluginSUT) number() uint64 { return s.workload.number }

// WarmUp runs the model untimed.
func (s *pluginSUT) WarmUp(ctx context.Context) error {
	_, err := watchedCall(ctx, s.workload.plugin, "warm up", s.workload.plugin.rpc.WarmUp, &pluginpb.WarmUpRequest{})
	return err
}

// IssueQuery sends or queues the samples of q. If a query needs more than one frame, it blocks until the plugin has
// accepted all frames or ctx ends. The samples must not change before.
func (s *pluginSUT) IssueQuery(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
	if len(q.Samples) == 0 {
		return nil
	}
	if p := s.responder.Load(); p == nil || *p != r {
		if err := s.network.nameError(); err != nil {
			return err
		}
		s.setResponder(r)
	}
	q.Samples = s.order.handOut(q.Samples)
	idle := s.issued.Load() == s.answered.Load()
	if q.Samples[0].ID == 0 {
		s.issuedBefore.Store(s.issued.Load())
	}
	s.issued.Add(uint64(len(q.Samples)))
	if s.oneQuery && idle && len(q.Samples) <= chunkSamples && s.workload.plugin.ring.beginReading() {
		defer s.workload.plugin.ring.finishReading(s.wanted)
	}
	if idle || len(q.Samples) > chunkSamples {
		return s.sendNow(ctx, q.Samples)
	}
	return s.enqueueSamples(q.Samples)
}

// hasOutstanding reports whether issued samples are not answered.
func (s *pluginSUT) hasOutstanding() bool { return s.issued.Load() != s.answered.Load() }

// missing returns the number of issued samples without an answer.
func (s *pluginSUT) missing() uint64 { return s.issued.Load() - s.answered.Load() }

// answersInterval is the time between checks of awaitAnswers.
const answersInterval = time.Millisecond

// awaitAnswers waits until all issued samples are answered.
func (s *pluginSUT) awaitAnswers(ctx context.Context) error {
	ctx, cancel := s.workload.plugin.Context(ctx)
	defer cancel()
	for s.hasOutstanding() {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(answersInterval):
		}
	}
	return nil
}

// setResponder is separate from IssueQuery because otherwise each call would allocate r.
func (s *pluginSUT) setResponder(r loadgen.Responder) { s.responder.Store(&r) }

// sendNow sends samples on the caller's goroutine. If they need several frames, it uses another goroutine, so it
// notices the end of ctx while the plugin has no room for a frame. That frame is sent later, at the latest when the
// workload is closed.
func (s *pluginSUT) sendNow(ctx context.Context, samples []loadgen.QuerySample) error {
	if len(samples) <= chunkSamples {
		if ctx.Err() != nil {
			s.uncountIssued(len(samples))
			return context.Cause(ctx)
		}
		return s.sendSamples(samples, false)
	}
	sent := make(chan error, 1)
	go func() { sent <- s.sendFrames(ctx, samples) }()
	select {
	case err := <-sent:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-sent: // everything was sent, or the error explains more
		return err
	default:
		return context.Cause(ctx)
	}
}

// sendFrames sends samples until ctx ends. It then tells the plugin that no further samples follow, and the plugin
// answers those that it has received.
func (s *pluginSUT) sendFrames(ctx context.Context, samples []loadgen.QuerySample) error {
	for len(samples) > 0 {
		if ctx.Err() != nil {
			s.uncountIssued(len(samples))
			return errors.Join(context.Cause(ctx), s.sendFlush())
		}
		n := min(len(samples), chunkSamples)
		if err := s.sendSamples(samples[:n], n < len(samples)); err != nil {
			return err
		}
		samples = samples[n:]
	}
	return nil
}

// uncountIssued counts n samples as not issued.
func (s *pluginSUT) uncountIssued(n int) { s.issued.Add(-uint64(n)) }

// sendSamples sends one frame. gRPC encodes it before Send returns, so samples may be reused.
func (s *pluginSUT) sendSamples(samples []loadgen.QuerySample, more bool) error {
	return s.workload.plugin.link.issueSamples(s.number(), samples, more)
}

func (s *pluginSUT) enqueueSamples(samples []loadgen.QuerySample) error {
	s.mu.Lock()
	s.queued = append(s.queued, samples...)
	busy, err := s.busy, s.err
	s.mu.Unlock()
	if !busy {
		s.changed.Signal()
	}
	return err
}

// FlushQueries asks the plugin to run all samples that it holds back, after all issued samples.
func (s *pluginSUT) FlushQueries(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush = true
	s.changed.Signal()
	return s.err
}

// sendQueued sends queued samples until the workload is closed.
func (s *pluginSUT) sendQueued() {
	defer close(s.stopped)
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.closed && s.err == nil {
		if len(s.queued) == 0 && !s.flush {
			s.busy = false
			s.changed.Wait()
			continue
		}
		s.busy = true
		samples, flush := s.queued, s.flush
		s.queued, s.spare, s.flush = s.spare[:0], samples, false
		s.mu.Unlock()
		err := s.sendAll(samples, flush)
		s.mu.Lock()
		s.err = err
	}
}

func (s *pluginSUT) sendAll(samples []loadgen.QuerySample, flush bool) error {
	for len(samples) > 0 {
		n := min(len(samples), chunkSamples)
		if err := s.sendSamples(samples[:n], false); err != nil {
			return err
		}
		samples = samples[n:]
	}
	if flush {
		return s.sendFlush()
	}
	return nil
}

func (s *pluginSUT) sendFlush() error {
	return s.workload.plugin.link.sendFrame(&pluginpb.RunRequest{Flush: &pluginpb.Flush{}, Workload: s.number()})
}

// closeSender ends the sender. It first finishes a frame that is being sent.
func (s *pluginSUT) closeSender() {
	s.mu.Lock()
	s.closed = true
	s.changed.Signal()
	s.mu.Unlock()
	<-s.stopped
}

// complete passes answers to LoadGen and counts the distinct ones.
func (s *pluginSUT) complete(rs []loadgen.QuerySampleResponse) {
	r := s.responder.Load()
	if r == nil {
		return
	}
	// count first, because LoadGen may issue the next query before the call returns
	base := s.issuedBefore.Load()
	s.answers.beginTest(base)
	s.answers.markAnswered(rs, s.issued.Load()-base)
	s.answered.Store(base + s.answers.count)
	(*r).QuerySamplesComplete(rs)
}

func (s *pluginSUT) firstTokens(rs []loadgen.QuerySampleResponse) {
	if r := s.responder.Load(); r != nil {
		(*r).FirstTokenComplete(rs)
	}
}

// check finds answers that the plugin considers sent but that did not arrive. A heartbeat follows the answers that it
// counts, so an idle plugin has no answers on the way.
func (s *pluginSUT) check(h *pluginpb.Heartbeat) error {
	s.lastBeat.Store(&Heartbeat{Number: s.workload.Heartbeat().Number + 1, Received: h.GetReceived(),
		Answered: h.GetAnswered()})
	issued := s.issued.Load()
	if h.GetReceived() != issued || h.GetAnswered() < h.GetReceived() {
		return nil
	}
	if answered := s.answered.Load(); answered < issued {
		return fmt.Errorf("%d of %d issued samples were not answered, the first with response id %d, and the plugin has no "+
			"work left",
			issued-answered, issued, s.answers.firstMissing())
	}
	return nil
}
