package serve

import (
	"fmt"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// answerOutbox sends what the workers answer. Whoever brings an answer while nobody sends sends it, at once; answers
// that come meanwhile wait and go out together in the next frame. There is no timer.
type answerOutbox struct {
	received atomic.Uint64 // samples of the workload, counted by the reader

	mu       sync.Mutex
	workload uint64    // 0: none
	changed  sync.Cond // for the sender: there is something to send; for workers: there is room
	room     sync.Cond
	send     func(*pluginpb.RunResponse) error // nil while no stream is open
	sending  bool
	pending  *frameAnswers // collects
	spare    *frameAnswers // is being sent
	answered uint64
	beat     bool
	work     *pluginpb.Work // of the next heartbeat
	failure  *pluginpb.Failure
	lost     bool // a frame could not be sent, and a failure says so

	// Reused from frame to frame by whoever sends.
	frame    pluginpb.RunResponse
	first    pluginpb.Answers
	complete pluginpb.Answers
}

// frameAnswers is the answers of one frame. The first tokens of a frame count before its answers.
type frameAnswers struct{ first, complete wire.AnswerBuffer }

func (p *frameAnswers) len() int   { return p.first.Len() + p.complete.Len() }
func (p *frameAnswers) bytes() int { return p.first.Bytes() + p.complete.Bytes() }

func (p *frameAnswers) reset() {
	p.first.Reset()
	p.complete.Reset()
}

func newOutbox() *answerOutbox {
	o := &answerOutbox{pending: &frameAnswers{}, spare: &frameAnswers{}}
	o.changed.L, o.room.L = &o.mu, &o.mu
	return o
}

// connectStream connects the outbox to a stream, sends a heartbeat, and starts its sender.
func (o *answerOutbox) connectStream(send func(*pluginpb.RunResponse) error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.send != nil {
		return status.Error(codes.AlreadyExists, "a Run stream is open: a plugin has one at a time")
	}
	o.send, o.beat, o.lost = send, true, false
	go o.sendLoop()
	return nil
}

// disconnectStream disconnects the stream; what is unsent is dropped.
func (o *answerOutbox) disconnectStream() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.send = nil
	o.changed.Broadcast()
	o.room.Broadcast()
}

// beginWorkload makes what follows belong to a workload. What is unsent of another one is dropped.
func (o *answerOutbox) beginWorkload(workload uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.workload, o.answered, o.failure, o.lost = workload, 0, nil, false
	o.received.Store(0)
	o.pending.reset()
	o.room.Broadcast()
}

// addAnswers adds the answers of a batch. It waits while a full frame is unsent.
func (o *answerOutbox) addAnswers(b wire.AnswerBatch) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.awaitRoom()
	o.pending.complete.Add(b)
	o.answered += uint64(len(b.IDs))
	o.sendPending()
}

// firstToken adds the first token of a sample. It waits while a full frame is unsent.
func (o *answerOutbox) firstToken(b wire.AnswerBatch) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.awaitRoom()
	o.pending.first.Add(b)
	o.sendPending()
}

// awaitRoom waits while a full frame is unsent. o.mu is held.
func (o *answerOutbox) awaitRoom() {
	for o.pending.bytes() >= wire.ChunkBytes && o.send != nil {
		o.room.Wait()
	}
}

// addHeartbeat puts a heartbeat behind what is pending, with what is in work, and sends it.
func (o *answerOutbox) addHeartbeat(work *pluginpb.Work) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.beat, o.work = true, work
	o.sendPending()
}

// addFailure puts an error behind what is pending, and sends it.
func (o *answerOutbox) addFailure(err error) {
	s, _ := status.FromError(toStatus(err, codes.Unknown))
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failure = &pluginpb.Failure{Code: uint32(s.Code()), Message: sanitizeText(s.Message())}
	o.sendPending()
}

// noteLostFrame has a failure say that a frame was not sent: what it held is missing. That is said once, since a stream
// that has ended takes no failure either; its reader sees the end.
func (o *answerOutbox) noteLostFrame(err error) {
	if o.lost {
		return
	}
	o.lost = true
	o.failure = &pluginpb.Failure{Code: uint32(codes.Internal),
		Message: sanitizeText(fmt.Sprintf("a frame cannot be sent: %v", err))}
}

// sendPending sends one frame, unless another goroutine is sending, and leaves what came meanwhile to the sender's
// loop. o.mu is held.
func (o *answerOutbox) sendPending() {
	if o.sending || o.send == nil {
		return
	}
	o.sendOne()
	if o.hasPending() {
		o.changed.Signal()
	}
}

func (o *answerOutbox) sendLoop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.send != nil {
		if o.sending || !o.hasPending() {
			o.changed.Wait()
			continue
		}
		o.sendOne()
	}
}

func (o *answerOutbox) hasPending() bool { return o.pending.len() > 0 || o.beat || o.failure != nil }

// sendOne sends all that is pending as one frame. o.mu is held, but not while sending.
func (o *answerOutbox) sendOne() {
	send, frame := o.send, o.nextFrame()
	o.sending = true
	o.mu.Unlock()
	err := send(frame)
	o.mu.Lock()
	o.sending = false
	if err != nil {
		o.noteLostFrame(err)
	}
	o.spare.reset()
	o.room.Broadcast()
}

// nextFrame takes what is pending as a frame. gRPC encodes a message before Send returns, so that its memory may be
// reused.
func (o *answerOutbox) nextFrame() *pluginpb.RunResponse {
	f := &o.frame
	f.Workload, f.Heartbeat, f.Failure = o.workload, nil, o.failure
	o.pending, o.spare = o.spare, o.pending
	f.FirstTokens, f.Complete = fillAnswers(&o.spare.first, &o.first), fillAnswers(&o.spare.complete, &o.complete)
	if o.beat {
		f.Heartbeat = &pluginpb.Heartbeat{Received: o.received.Load(), Answered: o.answered, Work: o.work}
	}
	o.beat, o.failure = false, nil
	return f
}

// fillAnswers puts the answers of b into m and returns it, nil where there are none.
func fillAnswers(b *wire.AnswerBuffer, m *pluginpb.Answers) *pluginpb.Answers {
	if b.Len() == 0 {
		return nil
	}
	b.Fill(m)
	return m
}
