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

// videoProcess makes videos. It reads each request as a line of JSON and prints the path of the video's file on a line.
type videoProcess struct {
	cmd          *exec.Cmd
	stdin        io.WriteCloser
	lines        chan string // printed lines; closed when the process ends
	stderr       *outputTail
	waitOnce     sync.Once // for waiting until the process ends
	abandonedErr error     // set after a request was abandoned, because its answer is still outstanding
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
	p.stdin = in
	go func() {
		defer close(p.lines)
		s := bufio.NewScanner(out)
		for s.Scan() {
			p.lines <- s.Text()
		}
	}()
	return p, nil
}

func (p *videoProcess) makeVideo(ctx context.Context, a VideoJob) (VideoAnswer, error) {
	if p.abandonedErr != nil {
		return VideoAnswer{}, p.abandonedErr
	}
	if _, err := p.stdin.Write(append(bytes.Clone(a.Body), '\n')); err != nil {
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
		p.abandonedErr = fmt.Errorf("the process %s has not answered in time, and would answer the next request "+
			"with the video of the last", p.cmd.Path)
		return VideoAnswer{}, videoFailure{context.Cause(ctx)}
	}
}

// endError adds the end of the process's error output to err.
func (p *videoProcess) endError(err error) error {
	p.endProcess()
	return fmt.Errorf("the process %s: %w; it last wrote %s", p.cmd.Path, err, p.stderr)
}

// exitTimeout is the time that a process may take to exit after its input is closed.
const exitTimeout = 10 * time.Second

func (p *videoProcess) close() error {
	if p.abandonedErr != nil {
		_ = p.cmd.Process.Kill() // it may have exited
	}
	p.endProcess()
	return nil
}

// endProcess closes the input and waits until the process exits. After a timeout it kills the process. The exit code is
// ignored, because it does not affect finished videos.
func (p *videoProcess) endProcess() {
	p.waitOnce.Do(func() {
		_ = p.stdin.Close() // it may have exited
		late := time.AfterFunc(exitTimeout, func() { _ = p.cmd.Process.Kill() })
		defer late.Stop()
		for range p.lines { // discards output that no request waits for
			continue
		}
		_ = p.cmd.Wait() // the exit code is ignored
	})
}

// outputTail keeps the end of a process's output.
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

// String returns the end of the output.
func (t *outputTail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return quoteStart(t.text)
}
