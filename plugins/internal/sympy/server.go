package sympy

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/internal/sandbox"
)

// pythonServer is a Python with SymPy loaded that answers one expression after the other.
type pythonServer struct {
	ask     *os.File
	answers *os.File
	lines   *bufio.Reader
	end     context.CancelFunc
	ended   chan struct{} // closed when nothing of it runs any more
	err     error         // of the machine, then
	unused  *time.Timer
}

// startServer starts a server, which outlives ctx.
func (a *Algebra) startServer(ctx context.Context) (*pythonServer, error) {
	in, ask, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	answers, out, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, in.Close(), ask.Close())
	}
	ctx, end := context.WithCancel(context.WithoutCancel(ctx))
	s := &pythonServer{ask: ask, answers: answers, lines: bufio.NewReader(answers), end: end, ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		_, s.err = a.python.Talk(ctx, script, sandbox.Pipes{In: in, Out: out}, a.limits)
		if ctx.Err() != nil {
			s.err = nil
		}
		_, _ = in.Close(), out.Close() // the other ends now see that it has ended
	}()
	return s, nil
}

// closeServer ends a server, and returns an error where the machine did not let it run.
func (s *pythonServer) closeServer() error {
	s.end()
	<-s.ended
	_, _ = s.ask.Close(), s.answers.Close()
	return s.err
}

// askExpression asks an expression and waits for its line, no longer than most, or until ctx ends.
func (s *pythonServer) askExpression(ctx context.Context, expression string, most time.Duration) (string, error) {
	until := time.Now().Add(most)
	if err := errors.Join(s.ask.SetWriteDeadline(until), s.answers.SetReadDeadline(until)); err != nil {
		return "", err
	}
	stop := context.AfterFunc(ctx, func() {
		_, _ = s.ask.SetWriteDeadline(time.Unix(1, 0)), s.answers.SetReadDeadline(time.Unix(1, 0))
	})
	defer stop()
	if _, err := fmt.Fprintf(s.ask, "%d\n%s", len(expression), expression); err != nil {
		return "", err
	}
	line, err := s.lines.ReadString('\n')
	return strings.TrimSpace(line), err
}

// serverPool keeps servers between expressions.
type serverPool struct {
	mu   sync.Mutex
	free []*pythonServer
}

// takeIdle returns a server that waits, nil where none does.
func (p *serverPool) takeIdle() *pythonServer {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.free) > 0 {
		s := p.free[len(p.free)-1]
		p.free = p.free[:len(p.free)-1]
		if s.unused.Stop() {
			return s
		}
	}
	return nil
}

// putIdle keeps a server for the next expression, and ends it where none comes within unused.
func (p *serverPool) putIdle(s *pythonServer, unused time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.unused = time.AfterFunc(unused, func() {
		p.mu.Lock()
		for i, other := range p.free {
			if other == s {
				p.free = append(p.free[:i], p.free[i+1:]...)
				break
			}
		}
		p.mu.Unlock()
		_ = s.closeServer() // nobody waits for it
	})
	p.free = append(p.free, s)
}
