package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/ring"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// heartbeatsPerTimeout is how many heartbeats the plugin may lose before it counts as hung.
const heartbeatsPerTimeout = 4

// responsesPerCall is how many answers of one frame are handed to LoadGen at a time: few enough to stay in the cache.
const responsesPerCall = 512

const faultHint = "this is a fault of the plugin: report it to its author"

// answerReceiver takes what comes back for one workload. Its methods are called from the one goroutine that receives.
type answerReceiver interface {
	number() uint64 // of the workload
	complete(rs []loadgen.QuerySampleResponse)
	firstTokens(rs []loadgen.QuerySampleResponse)
	// check compares the plugin's counts with what came back and names a sample whose answer is missing.
	check(h *pluginpb.Heartbeat) error
	// missing is how many answers are to come.
	missing() uint64
}

// pluginLink is the stream of a connection.
type pluginLink struct {
	plugin *Plugin
	stream pluginpb.Plugin_RunClient
	ring   *sharedRing // nil: none is offered

	receiver atomic.Pointer[answerReceiver] // of the open workload
	lastBeat atomic.Int64                   // time of the last frame, in ns since start
	start    time.Time
	alive    chan struct{} // closed with the first frame
	rs       []loadgen.QuerySampleResponse
	given    uint64 // answers and first tokens that came
	overdue  stallDetector

	frame pluginpb.RunRequest // reused by issueSamples, whose callers exclude each other
	part  pluginpb.Issue
}

// openLink opens the stream, waits for the first heartbeat, and starts to receive and to watch.
func openLink(ctx context.Context, p *Plugin) (*pluginLink, error) {
	stream, err := p.rpc.Run(p.failed, largeMessages())
	if err != nil {
		close(p.received)
		return nil, p.explainUnreachable(err)
	}
	interval := heartbeatInterval(p.options)
	l := &pluginLink{
		plugin: p, stream: stream, ring: p.ring, start: time.Now(), alive: make(chan struct{}),
		rs:      make([]loadgen.QuerySampleResponse, responsesPerCall),
		overdue: stallDetector{limit: p.options.AnswerTimeout, interval: interval, last: time.Now(), noted: map[int64]bool{}},
	}
	go l.receiveFrames()
	if err := l.sendFrame(&pluginpb.RunRequest{Start: &pluginpb.Start{HeartbeatNs: int64(interval),
		Ring: p.ring.offerMessage()}}); err != nil {
		return nil, err
	}
	select {
	case <-l.alive:
	case <-p.failed.Done():
		return nil, context.Cause(p.failed)
	case <-ctx.Done():
		return nil, p.startTimeout()
	}
	go l.watchHeartbeats(interval)
	return l, nil
}

// heartbeatInterval is how often they come: often enough for each limit.
func heartbeatInterval(o LaunchOptions) time.Duration {
	interval := min(wire.Heartbeat, o.HeartbeatTimeout/heartbeatsPerTimeout)
	if o.AnswerTimeout > 0 {
		interval = min(interval, max(o.AnswerTimeout/heartbeatsPerTimeout, time.Millisecond))
	}
	return interval
}

// explainUnreachable explains a plugin that shook hands and then does not answer.
func (p *Plugin) explainUnreachable(err error) error {
	if cause := p.awaitFailure(); cause != nil {
		return cause
	}
	return p.newFailure(KindHandshake, err, "it shook hands and does not answer: "+status.Convert(err).Message(),
		rebuildHint)
}

// sendFrame sends one frame. It waits where the plugin's window is full, and fails once the plugin has failed.
func (l *pluginLink) sendFrame(r *pluginpb.RunRequest) error {
	l.plugin.sending.Lock()
	defer l.plugin.sending.Unlock()
	return l.sendLocked(r)
}

// issueSamples sends samples of a workload as one frame. They may be reused when it returns, as the frame is: ring and
// gRPC encode it before they return.
func (l *pluginLink) issueSamples(workload uint64, samples []loadgen.QuerySample, more bool) error {
	l.plugin.sending.Lock()
	defer l.plugin.sending.Unlock()
	l.part.Samples, l.part.More = wire.SampleBytes(samples), more
	l.frame.Issue, l.frame.Workload = &l.part, workload
	return l.sendLocked(&l.frame)
}

func (l *pluginLink) sendLocked(r *pluginpb.RunRequest) error {
	send := l.stream.Send
	if l.overRing() {
		send = l.ring.sendFrame
	}
	if err := send(r); err != nil {
		if errors.Is(err, ring.ErrCorrupt) { // the plugin's side of the ring to it
			_ = l.failBreach(err)
		}
		if cause := l.plugin.awaitFailure(); cause != nil {
			return cause
		}
		return fmt.Errorf("send to plugin %s: %w", l.plugin.name, err)
	}
	return nil
}

// overRing reports whether frames go through the ring.
func (l *pluginLink) overRing() bool { return l.ring != nil && l.ring.taken.Load() }

// receiveFrames hands the frames of the stream on until it ends.
func (l *pluginLink) receiveFrames() {
	defer l.ring.close()
	frame, err := l.stream.Recv()
	if err == nil {
		err = l.acceptFirst(frame)
	}
	for err == nil {
		if frame, err = l.stream.Recv(); err == nil {
			err = l.acceptFromStream(frame)
		}
	}
	l.ring.takeRest()
	close(l.plugin.received)
	if !errors.Is(err, errBreach) {
		l.explainEnd(err)
	}
}

// acceptFirst goes on with what the first frame says: a heartbeat, of no workload yet. Others use the link only after
// it.
func (l *pluginLink) acceptFirst(first *pluginpb.RunResponse) error {
	if first.GetRing() {
		if l.ring == nil {
			return l.failBreach(errNoOffer)
		}
		l.ring.startReceiving(l.acceptFrame, func(err error) { _ = l.failBreach(err) })
	}
	l.lastBeat.Store(int64(time.Since(l.start)))
	close(l.alive)
	return nil
}

// What a plugin that takes a ring may not do.
var (
	errBreach     = errors.New("the plugin broke the protocol")
	errNoOffer    = errors.New("it takes a ring that it was not offered")
	errOverStream = errors.New("it sends a frame over the stream, though it took the ring")
)

// failBreach fails the plugin for a breach of the protocol in what it sent.
func (l *pluginLink) failBreach(err error) error {
	if !errors.Is(err, errBreach) {
		l.plugin.failWith(KindProtocol, err, err.Error(), faultHint)
	}
	return errBreach
}

// acceptFromStream takes one frame, which is none of a ring's.
func (l *pluginLink) acceptFromStream(frame *pluginpb.RunResponse) error {
	if l.overRing() {
		return l.failBreach(errOverStream)
	}
	return l.acceptFrame(frame)
}

// acceptFrame takes one frame.
func (l *pluginLink) acceptFrame(frame *pluginpb.RunResponse) error {
	l.plugin.frames.Add(1)
	l.lastBeat.Store(int64(time.Since(l.start)))
	if err := l.dispatchFrame(frame, l.rs); err != nil {
		return l.failBreach(err)
	}
	l.given += uint64(len(frame.GetFirstTokens().GetIds()) + len(frame.GetComplete().GetIds()))
	l.watchAnswers(frame.GetHeartbeat())
	return nil
}

// dispatchFrame handles the parts of one frame. A frame of a workload that is closed is dropped.
func (l *pluginLink) dispatchFrame(frame *pluginpb.RunResponse, rs []loadgen.QuerySampleResponse) error {
	r := l.receiver.Load()
	if r == nil || (*r).number() != frame.GetWorkload() {
		return nil
	}
	if m := frame.GetFirstTokens(); m != nil {
		if err := deliverAnswers(m, rs, (*r).firstTokens); err != nil {
			return fmt.Errorf("first tokens: %w", err)
		}
	}
	if m := frame.GetComplete(); m != nil {
		if err := deliverAnswers(m, rs, (*r).complete); err != nil {
			return fmt.Errorf("answers: %w", err)
		}
	}
	if f := frame.GetFailure(); f != nil {
		l.plugin.fail(l.plugin.remoteFailure(f))
	}
	if h := frame.GetHeartbeat(); h != nil {
		return (*r).check(h)
	}
	return nil
}

func deliverAnswers(m *pluginpb.Answers, rs []loadgen.QuerySampleResponse,
	to func([]loadgen.QuerySampleResponse)) error {
	answers, err := wire.ParseAnswers(m)
	if err != nil {
		return err
	}
	for n := answers.Next(rs); n > 0; n = answers.Next(rs) {
		to(rs[:n])
	}
	return nil
}

// remoteFailure makes an error of what the plugin reports in mid-run.
func (p *Plugin) remoteFailure(f *pluginpb.Failure) error {
	err := errors.New(p.messageText(f.GetMessage()))
	if p.outOfFiles(f.GetMessage()) {
		return p.overFiles(err, f.GetMessage())
	}
	switch codes.Code(f.GetCode()) {
	case codes.InvalidArgument:
		err = sdk.Usage(err)
	case codes.FailedPrecondition:
		err = sdk.Data(err)
	}
	p.process.awaitKept()
	return p.newFailure(KindFailed, err, f.GetMessage(), "")
}

// explainEnd explains the end of the stream. Where the connection broke the process has most often died, which its
// watcher reports better.
func (l *pluginLink) explainEnd(err error) {
	code := status.Code(err)
	if (code == codes.Unavailable || code == codes.Canceled) && l.plugin.awaitFailure() != nil {
		return
	}
	found := "it ended its stream"
	if !errors.Is(err, io.EOF) {
		found += ": " + status.Convert(err).Message()
	}
	l.plugin.failWith(KindProtocol, err, found, faultHint)
}

// watchHeartbeats reports a plugin that is silent for too long.
func (l *pluginLink) watchHeartbeats(interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	last, came := time.Since(l.start), l.ring.receivedBytes()
	for {
		select {
		case <-l.plugin.failed.Done():
			return
		case <-tick.C:
		}
		now, bytes := time.Since(l.start), l.ring.receivedBytes()
		if l.wasSuspended(now-last) || bytes != came { // a part of a large frame is a sign of life too
			l.lastBeat.Store(int64(now))
		}
		last, came = now, bytes
		if silence := now - time.Duration(l.lastBeat.Load()); l.tooLong(silence) {
			l.plugin.failWith(KindHung, nil, fmt.Sprintf("no sign of life for %v (limit %v)", silence.Round(time.Millisecond),
				l.plugin.options.HeartbeatTimeout),
				"its process is stopped or blocked; a longer limit helps only where the machine was suspended")
			return
		}
	}
}

// wasSuspended reports whether this process was suspended too, so that its own tick came late.
func (l *pluginLink) wasSuspended(tick time.Duration) bool {
	return tick > l.plugin.options.HeartbeatTimeout/2
}

func (l *pluginLink) tooLong(silence time.Duration) bool {
	return silence > l.plugin.options.HeartbeatTimeout
}
