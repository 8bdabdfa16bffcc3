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

// pythonServer is a Python process with SymPy loaded that evaluates one expression after the other.
type pythonServer struct {
	requests    *os.File
	answers     *os.File
	answerLines *bufio.Reader
	cancel      context.CancelFunc
	done        chan struct{} // closed after all of its processes have ended
	err         error         // error of the machine, set before ended is closed
	idleTimer   *time.Timer
}

// startServer starts a server, which may outlive ctx.
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
	s := &pythonServer{requests: ask, answers: answers, answerLines: bufio.NewReader(answers), cancel: end,
		done: make(chan struct{})}
	go func() {
		defer close(s.done)
		_, s.err = a.python.Talk(ctx, script, sandbox.Pipes{In: in, Out: out}, a.limits)
		if ctx.Err() != nil {
			s.err = nil
		}
		_, _ = in.Close(), out.Close() // the pipes' other ends report that the server has ended
	}()
	return s, nil
}

// closeServer ends a server. It returns an error if the machine did not allow it to run.
func (s *pythonServer) closeServer() error {
	s.cancel()
	<-s.done
	_, _ = s.requests.Close(), s.answers.Close()
	return s.err
}

// askExpression sends an expression and waits for the answer's line, until timeout has passed or ctx ends.
func (s *pythonServer) askExpression(ctx context.Context, expression string, timeout time.Duration) (string, error) {
	until := time.Now().Add(timeout)
	if err := errors.Join(s.requests.SetWriteDeadline(until), s.answers.SetReadDeadline(until)); err != nil {
		return "", err
	}
	stop := context.AfterFunc(ctx, func() {
		_, _ = s.requests.SetWriteDeadline(time.Unix(1, 0)), s.answers.SetReadDeadline(time.Unix(1, 0))
	})
	defer stop()
	if _, err := fmt.Fprintf(s.requests, "%d\n%s", len(expression), expression); err != nil {
		return "", err
	}
	line, err := s.answerLines.ReadString('\n')
	return strings.TrimSpace(line), err
}

// serverPool keeps idle servers between expressions.
type serverPool struct {
	mu   sync.Mutex
	idle []*pythonServer
}

// takeIdle returns an idle server, or nil if there is none.
func (p *serverPool) takeIdle() *pythonServer {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.idle) > 0 {
		s := p.idle[len(p.idle)-1]
		p.idle = p.idle[:len(p.idle)-1]
		if s.idleTimer.Stop() {
			return s
		}
	}
	return nil
}

// putIdle makes a server idle. It ends the server if no expression follows within idleTimeout.
func (p *serverPool) putIdle(s *pythonServer, idleTimeout time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.idleTimer = time.AfterFunc(idleTimeout, func() {
		p.mu.Lock()
		for i, other := range p.idle {
			if other == s {
				p.idle = append(p.idle[:i], p.idle[i+1:]...)
				break
			}
		}
		p.mu.Unlock()
		_ = s.closeServer() // the result is not needed
	})
	p.idle = append(p.idle, s)
}
