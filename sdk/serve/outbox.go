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

// answerOutbox sends the answers of workers. A worker that adds an answer while no frame is being sent sends it
// immediately. Answers that are added in the meantime wait and are sent together in the next frame. There is no timer.
type answerOutbox struct {
	received atomic.Uint64 // number of samples of the workload, counted by the reader

	mu       sync.Mutex
	workload uint64    // 0: none
	changed  sync.Cond // for the sender: there is something to send
	room     sync.Cond
	send     func(*pluginpb.RunResponse) error // nil while no stream is open
	sending  bool
	pending  *frameAnswers // collects answers
	spare    *frameAnswers // contains the answers being sent
	answered uint64
	beat     bool
	work     *pluginpb.Work // for the next heartbeat
	failure  *pluginpb.Failure
	lost     bool // a frame could not be sent, and a failure reports it

	// Reused for each frame by the sender.
	frame    pluginpb.RunResponse
	first    pluginpb.Answers
	complete pluginpb.Answers
}

// frameAnswers contains the answers of one frame. Its first tokens precede its answers.
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

// disconnectStream disconnects the stream and drops unsent data.
func (o *answerOutbox) disconnectStream() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.send = nil
	o.changed.Broadcast()
	o.room.Broadcast()
}

// beginWorkload starts a new workload and drops unsent data of another one.
func (o *answerOutbox) beginWorkload(workload uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.workload, o.answered, o.failure, o.lost = workload, 0, nil, false
	o.received.Store(0)
	o.pending.reset()
	o.room.Broadcast()
}

// addAnswers adds the answers of a batch. It blocks while a full frame is unsent.
func (o *answerOutbox) addAnswers(b wire.AnswerBatch) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.awaitRoom()
	o.pending.complete.Add(b)
	o.answered += uint64(len(b.IDs))
	o.sendPending()
}

// firstToken adds the first token of a sample. It blocks while a full frame is unsent.
func (o *answerOutbox) firstToken(b wire.AnswerBatch) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.awaitRoom()
	o.pending.first.Add(b)
	o.sendPending()
}

// awaitRoom waits while a full frame is unsent. The caller must hold o.mu.
func (o *answerOutbox) awaitRoom() {
	for o.pending.bytes() >= wire.ChunkBytes && o.send != nil {
		o.room.Wait()
	}
}

// addHeartbeat appends a heartbeat with the pending work to the pending data, and sends it.
func (o *answerOutbox) addHeartbeat(work *pluginpb.Work) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.beat, o.work = true, work
	o.sendPending()
}

// addFailure appends an error to the pending data, and sends it.
func (o *answerOutbox) addFailure(err error) {
	s, _ := status.FromError(toStatus(err, codes.Unknown))
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failure = &pluginpb.Failure{Code: uint32(s.Code()), Message: sanitizeText(s.Message())}
	o.sendPending()
}

// noteLostFrame adds a failure because a frame with its answers was not sent. It does so only once, because a stream
// that has ended does not accept a failure either. The stream's reader detects the end.
func (o *answerOutbox) noteLostFrame(err error) {
	if o.lost {
		return
	}
	o.lost = true
	o.failure = &pluginpb.Failure{Code: uint32(codes.Internal),
		Message: sanitizeText(fmt.Sprintf("a frame cannot be sent: %v", err))}
}

// sendPending sends one frame, unless another goroutine is sending. It leaves later data to the sender's loop. The
// caller must hold o.mu.
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

// sendOne sends all pending data as one frame. The caller must hold o.mu, which is released while sending.
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

// nextFrame makes a frame of the pending data. gRPC encodes a message before Send returns, so its memory can be reused.
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

// fillAnswers puts the answers of b into m and returns m, or nil if there are none.
func fillAnswers(b *wire.AnswerBuffer, m *pluginpb.Answers) *pluginpb.Answers {
	if b.Len() == 0 {
		return nil
	}
	b.Fill(m)
	return m
}
