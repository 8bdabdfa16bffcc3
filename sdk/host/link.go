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

// heartbeatsPerTimeout is the number of missing heartbeats after which the plugin counts as hung.
const heartbeatsPerTimeout = 4

// responsesPerCall is the number of answers of one frame that are passed to LoadGen at a time. They fit in the
// processor's cache.
const responsesPerCall = 512

const faultHint = "this is a fault of the plugin: report it to its author"

// answerReceiver receives the answers for one workload. Only the receiving goroutine calls its methods.
type answerReceiver interface {
	number() uint64 // number of the workload
	complete(rs []loadgen.QuerySampleResponse)
	firstTokens(rs []loadgen.QuerySampleResponse)
	// check compares the plugin's counts with the received answers and names a sample whose answer is missing.
	check(h *pluginpb.Heartbeat) error
	// missing returns the number of missing answers.
	missing() uint64
}

// pluginLink is the stream of a connection.
type pluginLink struct {
	plugin *Plugin
	stream pluginpb.Plugin_RunClient
	ring   *sharedRing // nil: none was offered

	receiver  atomic.Pointer[answerReceiver] // of the open workload
	lastBeat  atomic.Int64                   // time of the last frame, in ns since start
	start     time.Time
	alive     chan struct{} // closed by the first frame
	responses []loadgen.QuerySampleResponse
	received  uint64 // number of received answers and first tokens
	stalls    stallDetector

	frame pluginpb.RunRequest // reused by issueSamples, whose calls exclude each other
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
		responses: make([]loadgen.QuerySampleResponse, responsesPerCall),
		stalls: stallDetector{
			limit: p.options.AnswerTimeout, interval: interval, last: time.Now(), notedProcesses: map[int64]bool{},
		},
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

// heartbeatInterval returns the time between heartbeats, which is short enough for each timeout.
func heartbeatInterval(o LaunchOptions) time.Duration {
	interval := min(wire.Heartbeat, o.HeartbeatTimeout/heartbeatsPerTimeout)
	if o.AnswerTimeout > 0 {
		interval = min(interval, max(o.AnswerTimeout/heartbeatsPerTimeout, time.Millisecond))
	}
	return interval
}

// explainUnreachable explains a plugin that completed the handshake but does not answer.
func (p *Plugin) explainUnreachable(err error) error {
	if cause := p.awaitFailure(); cause != nil {
		return cause
	}
	return p.newFailure(KindHandshake, err, "it shook hands and does not answer: "+status.Convert(err).Message(),
		rebuildHint)
}

// sendFrame sends one frame. It blocks while the plugin's window is full, and fails when the plugin has failed.
func (l *pluginLink) sendFrame(r *pluginpb.RunRequest) error {
	l.plugin.sending.Lock()
	defer l.plugin.sending.Unlock()
	return l.sendLocked(r)
}

// issueSamples sends samples of a workload as one frame. The samples and the frame may be reused when it returns,
// because the ring and gRPC encode the frame before.
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
		if errors.Is(err, ring.ErrCorrupt) { // in the plugin's half of the ring
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
func (l *pluginLink) overRing() bool { return l.ring != nil && l.ring.accepted.Load() }

// receiveFrames dispatches the frames of the stream until it ends.
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
	l.ring.drainRemaining()
	close(l.plugin.received)
	if !errors.Is(err, errBreach) {
		l.explainEnd(err)
	}
}

// acceptFirst handles the first frame, a heartbeat without a workload. No other code uses the link before.
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

// Protocol breaches of a plugin that accepts a ring.
var (
	errBreach     = errors.New("the plugin broke the protocol")
	errNoOffer    = errors.New("it takes a ring that it was not offered")
	errOverStream = errors.New("it sends a frame over the stream, though it took the ring")
)

// failBreach fails the plugin because it sent something that breaks the protocol.
func (l *pluginLink) failBreach(err error) error {
	if !errors.Is(err, errBreach) {
		l.plugin.failWith(KindProtocol, err, err.Error(), faultHint)
	}
	return errBreach
}

// acceptFromStream handles one frame that did not come through a ring.
func (l *pluginLink) acceptFromStream(frame *pluginpb.RunResponse) error {
	if l.overRing() {
		return l.failBreach(errOverStream)
	}
	return l.acceptFrame(frame)
}

// acceptFrame handles one frame.
func (l *pluginLink) acceptFrame(frame *pluginpb.RunResponse) error {
	l.plugin.frames.Add(1)
	l.lastBeat.Store(int64(time.Since(l.start)))
	if err := l.dispatchFrame(frame, l.responses); err != nil {
		return l.failBreach(err)
	}
	l.received += uint64(len(frame.GetFirstTokens().GetIds()) + len(frame.GetComplete().GetIds()))
	l.watchAnswers(frame.GetHeartbeat())
	return nil
}

// dispatchFrame handles the parts of one frame. It drops frames of a closed workload.
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

// remoteFailure converts a failure that the plugin reports during a run to an error.
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

// explainEnd reports the end of the stream as a failure. If the connection broke, the process has probably died, and
// its watcher reports that in more detail.
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
		if l.wasSuspended(now-last) || bytes != came { // a part of a large frame also shows that it is alive
			l.lastBeat.Store(int64(now))
		}
		last, came = now, bytes
		if silence := now - time.Duration(l.lastBeat.Load()); l.isTooLong(silence) {
			l.plugin.failWith(KindHung, nil, fmt.Sprintf("no sign of life for %v (limit %v)", silence.Round(time.Millisecond),
				l.plugin.options.HeartbeatTimeout),
				"its process is stopped or blocked; a longer limit helps only where the machine was suspended")
			return
		}
	}
}

// wasSuspended reports whether this process was also suspended, so its own tick was late.
func (l *pluginLink) wasSuspended(tick time.Duration) bool {
	return tick > l.plugin.options.HeartbeatTimeout/2
}

func (l *pluginLink) isTooLong(silence time.Duration) bool {
	return silence > l.plugin.options.HeartbeatTimeout
}
