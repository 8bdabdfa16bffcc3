package kserve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/plumbline-ml/plumbline/internal/oip"
)

// errUnasked is in the chain where a server answered a request that nobody waits for: an id that was not asked, or was
// answered before.
var errUnasked = errors.New("the server answered a request that was not asked, or answered one twice")

// stream carries many requests to one endpoint; their answers come in any order. It does not outlive its first error.
type stream struct {
	call   grpc.BidiStreamingClient[oip.ModelInferRequest, oip.ModelStreamInferResponse]
	cancel context.CancelFunc
	turn   chan struct{} // has room for one: whoever put a value in may send
	ended  chan struct{} // closed when nothing is received any more

	mu      sync.Mutex
	waiting map[string]chan<- answer // by id. nil: the answer is not awaited any more
	fault   error                    // why it ended
}

type answer struct {
	response *oip.ModelInferResponse
	err      error
}

// stream is the endpoint's stream: the one that is open, or a new one.
func (s *session) stream(ctx context.Context, e *endpoint) (*stream, error) {
	e.opening.Lock()
	defer e.opening.Unlock()
	if e.stream != nil {
		if fault := e.stream.err(); fault == nil || errors.Is(fault, errUnasked) {
			return e.stream, nil
		}
	}
	t, err := s.openStream(ctx, e)
	if err == nil {
		e.stream = t
	}
	return t, err
}

// openStream starts a stream that outlives ctx.
func (s *session) openStream(ctx context.Context, e *endpoint) (*stream, error) {
	life, cancel := context.WithCancel(context.Background())
	if len(s.header) > 0 {
		life = metadata.NewOutgoingContext(life, s.header)
	}
	stop := context.AfterFunc(ctx, cancel)
	call, err := e.rpc.ModelStreamInfer(life, grpc.MaxCallRecvMsgSize(mostAnswer))
	if err != nil || !stop() {
		cancel()
		return nil, errors.Join(err, ctx.Err())
	}
	t := &stream{
		call: call, cancel: cancel, turn: make(chan struct{}, 1), ended: make(chan struct{}),
		waiting: map[string]chan<- answer{},
	}
	go t.receive()
	return t, nil
}

// streaming reports whether an endpoint has the call: it ends an empty stream without an error. A server without it
// says Unimplemented, and MLServer, whose call is another, says something else.
func (s *session) streaming(ctx context.Context, e *endpoint) error {
	ctx, cancel := s.call(ctx)
	defer cancel()
	call, err := e.rpc.ModelStreamInfer(ctx)
	if err == nil {
		err = call.CloseSend()
	}
	if err == nil {
		_, err = call.Recv()
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// ask sends a request and waits for its answer.
func (t *stream) ask(ctx context.Context, r *oip.ModelInferRequest) (*oip.ModelInferResponse, error) {
	answered := make(chan answer, 1)
	if err := t.expect(r.Id, answered); err != nil {
		return nil, err
	}
	if err := t.send(ctx, r); err != nil {
		t.giveUp(r.Id)
		return nil, err
	}
	select {
	case a := <-answered:
		return a.response, a.err
	case <-ctx.Done():
		t.giveUp(r.Id)
		return nil, status.FromContextError(ctx.Err()).Err()
	}
}

// send waits for its turn. A server that reads no more makes it wait forever, so the end of ctx ends the stream then.
func (t *stream) send(ctx context.Context, r *oip.ModelInferRequest) error {
	select {
	case t.turn <- struct{}{}:
	case <-t.ended:
		return t.err()
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	}
	defer func() { <-t.turn }()
	stop := context.AfterFunc(ctx, func() { t.end(status.FromContextError(ctx.Err()).Err()) })
	defer stop()
	if t.call.Send(r) != nil { // the reason is what is received
		<-t.ended
		return t.err()
	}
	return nil
}

func (t *stream) receive() {
	defer close(t.ended)
	for {
		m, err := t.call.Recv()
		if errors.Is(err, io.EOF) {
			err = status.Error(codes.Unavailable, "the server ended the stream")
		}
		if err == nil {
			err = t.hand(split(m))
		}
		if err != nil {
			t.end(err)
			return
		}
	}
}

// hand gives an answer to who waits for it.
func (t *stream) hand(id string, a answer) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if id == "" {
		if id = t.only(); id == "" {
			return fmt.Errorf("%w: without the id of its request, of which %d are open (option stream=off)",
				cmp.Or(a.err, errUnasked), len(t.waiting))
		}
	}
	waits, asked := t.waiting[id]
	if !asked {
		return fmt.Errorf("%w: id %q", errUnasked, id)
	}
	delete(t.waiting, id)
	if waits != nil {
		waits <- a
	}
	return nil
}

// only is the id that is waited for, if it is the only one.
func (t *stream) only() string {
	if len(t.waiting) == 1 {
		for id := range t.waiting {
			return id
		}
	}
	return ""
}

func (t *stream) expect(id string, answered chan<- answer) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fault == nil {
		t.waiting[id] = answered
	}
	return t.fault
}

// giveUp lets an answer that comes late be dropped.
func (t *stream) giveUp(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, open := t.waiting[id]; open {
		t.waiting[id] = nil
	}
}

// end ends the stream: all who wait get the first reason. It is known before the call is cancelled,
// which would be one itself.
func (t *stream) end(err error) {
	t.fail(err)
	t.cancel()
}

func (t *stream) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fault == nil {
		t.fault = err
	}
	for id, waits := range t.waiting {
		delete(t.waiting, id)
		if waits != nil {
			waits <- answer{err: t.fault}
		}
	}
}

// idle reports whether every request was answered: none was given up.
func (t *stream) idle() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.waiting) == 0
}

func (t *stream) err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.fault
}

// closeStream ends the stream. It fails where the server answered what was not asked, also with its last words.
func (e *endpoint) closeStream() error {
	e.opening.Lock()
	defer e.opening.Unlock()
	t := e.stream
	if t == nil {
		return nil
	}
	t.turn <- struct{}{} // nobody sends any more
	if t.idle() {
		_ = t.call.CloseSend()
		select {
		case <-t.ended:
		case <-time.After(lastWords):
		}
	}
	t.end(context.Canceled)
	<-t.ended
	return t.unasked(e)
}

// unasked is the error of an endpoint that answered what was not asked.
func (e *endpoint) unasked() error {
	e.opening.Lock()
	defer e.opening.Unlock()
	if e.stream == nil {
		return nil
	}
	return e.stream.unasked(e)
}

func (t *stream) unasked(e *endpoint) error {
	if err := t.err(); errors.Is(err, errUnasked) {
		return brief(fmt.Errorf("endpoint %s: %w", e.url, err))
	}
	return nil
}

// lastWords is how long a server may take to end a stream after the last request.
const lastWords = time.Second

// chooseCall finds out which endpoints have the call for streams, as option stream says.
func (s *session) chooseCall(ctx context.Context) error {
	if s.settings.stream == "off" {
		return nil
	}
	faults := make([]error, len(s.endpoints))
	var asking sync.WaitGroup
	for i, e := range s.endpoints {
		asking.Go(func() {
			err := s.streaming(ctx, e)
			e.streams = err == nil
			if err != nil && s.settings.stream == "on" {
				faults[i] = fmt.Errorf("endpoint %s does not stream answers (option stream=off does without): %w",
					e.url, explain(err))
			}
		})
	}
	asking.Wait()
	return errors.Join(faults...)
}
