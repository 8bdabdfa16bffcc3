package videos

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// videoProcess makes videos: it reads a request as a line of JSON, and prints the path of the video's file on a line.
type videoProcess struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan string // what it prints; closed when it ends
	stderr *outputTail
	once   sync.Once // it was waited for
	broken error     // an answer is outstanding that nobody waits for any more
}

func startProcess(command []string) (*videoProcess, error) {
	if len(command) == 0 {
		return nil, errors.New("option command: want a command")
	}
	p := &videoProcess{cmd: exec.Command(command[0], command[1:]...), lines: make(chan string), stderr: &outputTail{}}
	p.cmd.Stderr = p.stderr
	p.cmd.WaitDelay = time.Second
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("option command: %w", err)
	}
	p.in = in
	go func() {
		defer close(p.lines)
		s := bufio.NewScanner(out)
		for s.Scan() {
			p.lines <- s.Text()
		}
	}()
	return p, nil
}

func (p *videoProcess) make(ctx context.Context, a VideoJob) (VideoAnswer, error) {
	if p.broken != nil {
		return VideoAnswer{}, p.broken
	}
	if _, err := p.in.Write(append(bytes.Clone(a.Body), '\n')); err != nil {
		return VideoAnswer{}, p.endError(err)
	}
	select {
	case line, ok := <-p.lines:
		path := strings.TrimSpace(line)
		switch {
		case !ok:
			return VideoAnswer{}, p.endError(errors.New("it ended"))
		case path == "":
			return VideoAnswer{}, videoFailure{errors.New("the process printed an empty line, and no path")}
		}
		return VideoAnswer{Path: path}, nil
	case <-ctx.Done():
		p.broken = fmt.Errorf("the process %s has not answered in time, and would answer the next request with the video "+
			"of the last", p.cmd.Path)
		return VideoAnswer{}, videoFailure{context.Cause(ctx)}
	}
}

// endError returns the error of a process that makes no more videos.
func (p *videoProcess) endError(err error) error {
	p.endProcess()
	return fmt.Errorf("the process %s: %w; it last wrote %s", p.cmd.Path, err, p.stderr)
}

// patience is how long a process may take to end when its input has.
const patience = 10 * time.Second

func (p *videoProcess) close() error {
	if p.broken != nil {
		_ = p.cmd.Process.Kill() // it may have ended
	}
	p.endProcess()
	return nil
}

// endProcess ends the process: by the end of its input, or where that takes long by force. How it ends says nothing of
// the videos that it has made.
func (p *videoProcess) endProcess() {
	p.once.Do(func() {
		_ = p.in.Close() // it may have ended
		late := time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
		defer late.Stop()
		for range p.lines { // what it prints when nobody asks
			continue
		}
		_ = p.cmd.Wait() // its code is no matter
	})
}

// outputTail keeps the end of the output of a process.
type outputTail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (t *outputTail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	const most = 500
	t.text = append(t.text, b...)
	t.text = t.text[max(0, len(t.text)-most):]
	return len(b), nil
}

// String is the end of what was written.
func (t *outputTail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return quoteStart(t.text)
}
