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

// process makes videos: it reads a request as a line of JSON, and prints the path of the video's file on a line.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan string // what it prints; closed when it ends
	said   *tail
	once   sync.Once // it was waited for
	broken error     // an answer is outstanding that nobody waits for any more
}

func startProcess(command []string) (*process, error) {
	if len(command) == 0 {
		return nil, errors.New("option command: want a command")
	}
	p := &process{cmd: exec.Command(command[0], command[1:]...), lines: make(chan string), said: &tail{}}
	p.cmd.Stderr = p.said
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

func (p *process) make(ctx context.Context, a Ask) (Answer, error) {
	if p.broken != nil {
		return Answer{}, p.broken
	}
	if _, err := p.in.Write(append(bytes.Clone(a.Body), '\n')); err != nil {
		return Answer{}, p.ended(err)
	}
	select {
	case line, ok := <-p.lines:
		path := strings.TrimSpace(line)
		switch {
		case !ok:
			return Answer{}, p.ended(errors.New("it ended"))
		case path == "":
			return Answer{}, failure{errors.New("the process printed an empty line, and no path")}
		}
		return Answer{Path: path}, nil
	case <-ctx.Done():
		p.broken = fmt.Errorf("the process %s has not answered in time, and would answer the next request with the video "+
			"of the last", p.cmd.Path)
		return Answer{}, failure{context.Cause(ctx)}
	}
}

// ended is the error of a process that makes no more videos.
func (p *process) ended(err error) error {
	p.wait()
	return fmt.Errorf("the process %s: %w; it last wrote %s", p.cmd.Path, err, p.said)
}

// patience is how long a process may take to end when its input has.
const patience = 10 * time.Second

func (p *process) close() error {
	if p.broken != nil {
		_ = p.cmd.Process.Kill() // it may have ended
	}
	p.wait()
	return nil
}

// wait ends the process: by the end of its input, or where that takes long by force. How it ends says nothing of the
// videos that it has made.
func (p *process) wait() {
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

// tail keeps the end of what is written.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	const most = 500
	t.text = append(t.text, b...)
	t.text = t.text[max(0, len(t.text)-most):]
	return len(b), nil
}

// String is the end of what was written.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return cut(t.text)
}
