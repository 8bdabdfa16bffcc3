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

// chunkSamples is how many samples one frame holds at most.
const chunkSamples = wire.ChunkBytes / 8

// pluginSUT issues queries over the stream: a loadgen.SUT and loadgen.Warmer.
//
// While nothing is outstanding the issuing goroutine sends by itself, which spares a hand-over. While the plugin is at
// work samples are queued, and a sender sends all that is queued at that moment as one frame.
type pluginSUT struct {
	workload  *Workload
	responder atomic.Pointer[loadgen.Responder]
	alone     bool         // one query at a time: the issuing goroutine may look for the answer itself
	wanted    func() bool  // outstanding, made a value once
	network   *networkName // of a run of the network division; nil: it is none
	order     *sampleOrder // of the workload's own; nil: samples are those that LoadGen draws
	stopped   chan struct{}

	_       cachePadding  // below: what issuing writes
	issued  atomic.Uint64 // samples, less those that a context's end kept from being sent
	base    atomic.Uint64 // issued before the test under way, whose ids start at 0
	mu      sync.Mutex
	changed sync.Cond
	queued  []loadgen.QuerySample
	spare   []loadgen.QuerySample
	busy    bool // the sender is sending
	flush   bool
	closed  bool
	err     error

	_        cachePadding  // below: what receiving writes
	answered atomic.Uint64 // distinct samples
	answers  answeredSet   // belongs to the goroutine that receives
	beat     atomic.Pointer[Heartbeat]
	_        cachePadding
}

// cachePadding keeps what one core writes at each query out of the cache lines that another one writes; lines are
// fetched in pairs of 64 bytes.
type cachePadding [128]byte

func newSUT(w *Workload, scenario loadgen.Scenario, network bool) *pluginSUT {
	s := &pluginSUT{workload: w, stopped: make(chan struct{})}
	s.order = newOrder(w.info.Order)
	if network {
		s.network = &networkName{ask: w.nodeNames}
	}
	s.alone = scenario == loadgen.SingleStream || scenario == loadgen.MultiStream
	s.wanted = s.hasOutstanding
	s.changed.L = &s.mu
	go s.sendQueued()
	return s
}

// Name names the model and the backend; in the network division also the nodes, which are asked at each call.
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

// IssueQuery sends or queues the samples of q. A query of more than one frame is sent as the plugin takes it in,
// until ctx ends; its samples must then stay as they are.
func (s *pluginSUT) IssueQuery(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
	if len(q.Samples) == 0 {
		return nil
	}
	if p := s.responder.Load(); p == nil || *p != r {
		if err := s.network.nameError(); err != nil {
			return err
		}
		s.answerTo(r)
	}
	q.Samples = s.order.handOut(q.Samples)
	idle := s.issued.Load() == s.answered.Load()
	if q.Samples[0].ID == 0 {
		s.base.Store(s.issued.Load())
	}
	s.issued.Add(uint64(len(q.Samples)))
	if s.alone && idle && len(q.Samples) <= chunkSamples && s.workload.plugin.ring.beginReading() {
		defer s.workload.plugin.ring.finishReading(s.wanted)
	}
	if idle || len(q.Samples) > chunkSamples {
		return s.sendNow(ctx, q.Samples)
	}
	return s.enqueueSamples(q.Samples)
}

// hasOutstanding reports whether something was issued that is not answered.
func (s *pluginSUT) hasOutstanding() bool { return s.issued.Load() != s.answered.Load() }

// missing is how many samples are issued and not answered.
func (s *pluginSUT) missing() uint64 { return s.issued.Load() - s.answered.Load() }

// answersLook is how often awaitAnswers looks.
const answersLook = time.Millisecond

// awaitAnswers waits until everything that was issued is answered.
func (s *pluginSUT) awaitAnswers(ctx context.Context) error {
	ctx, cancel := s.workload.plugin.Context(ctx)
	defer cancel()
	for s.hasOutstanding() {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(answersLook):
		}
	}
	return nil
}

// answerTo is apart from IssueQuery, which would allocate r at each call.
func (s *pluginSUT) answerTo(r loadgen.Responder) { s.responder.Store(&r) }

// sendNow sends samples from the caller's goroutine; those of several frames from another one, so that the end of ctx
// is seen while a plugin that is behind has no room for a frame. That frame goes out later, at the latest when the
// workload is closed.
func (s *pluginSUT) sendNow(ctx context.Context, samples []loadgen.QuerySample) error {
	if len(samples) <= chunkSamples {
		if ctx.Err() != nil {
			s.takeBack(len(samples))
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
	case err := <-sent: // all of it, or what failed: both say more
		return err
	default:
		return context.Cause(ctx)
	}
}

// sendFrames sends samples until ctx ends. The plugin is then told that no more of them come: it answers those it has.
func (s *pluginSUT) sendFrames(ctx context.Context, samples []loadgen.QuerySample) error {
	for len(samples) > 0 {
		if ctx.Err() != nil {
			s.takeBack(len(samples))
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

// takeBack counts n samples as not issued.
func (s *pluginSUT) takeBack(n int) { s.issued.Add(-uint64(n)) }

// sendSamples sends one frame. gRPC encodes it before Send returns, so that samples may be reused.
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

// FlushQueries asks the plugin for what it holds back, behind all that was issued.
func (s *pluginSUT) FlushQueries(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush = true
	s.changed.Signal()
	return s.err
}

// sendQueued sends what is queued, all of it at a time, until the workload is closed.
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

// closeSender ends the sender. A frame under way goes out first.
func (s *pluginSUT) closeSender() {
	s.mu.Lock()
	s.closed = true
	s.changed.Signal()
	s.mu.Unlock()
	<-s.stopped
}

// complete hands answers to LoadGen and counts the distinct ones.
func (s *pluginSUT) complete(rs []loadgen.QuerySampleResponse) {
	r := s.responder.Load()
	if r == nil {
		return
	}
	// Counted first: LoadGen may issue the next query before the call returns.
	base := s.base.Load()
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

// check finds answers that the plugin believes to have sent. The heartbeat follows the answers it counts, so that an
// idle plugin has none under way.
func (s *pluginSUT) check(h *pluginpb.Heartbeat) error {
	s.beat.Store(&Heartbeat{Number: s.workload.Heartbeat().Number + 1, Received: h.GetReceived(),
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
