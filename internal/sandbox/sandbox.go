package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// ErrRefused is wrapped by errors about machines on which a Box cannot be created. The text gives the reason.
var ErrRefused = errors.New("no sandbox can be made here")

// Limits are the limits of a program and the processes that it starts. In fields other than Wall and Output, 0 means no
// limit.
type Limits struct {
	Wall      time.Duration // time from start to end; all processes are killed then
	CPU       time.Duration // of each process, in whole seconds
	Memory    int64         // bytes of address space of each process
	File      int64         // bytes of each written file
	Scratch   int64         // bytes of all files in /tmp; not limited in a weak Box
	Output    int64         // bytes of standard output, and of standard error; more ends the program
	Processes int           // concurrent threads and processes
	Files     int           // open files of each process
}

// Box runs programs. It is safe for concurrent use.
type Box struct {
	// Weak runs programs without namespaces: with this account's files and the network.
	Weak bool
	// See lists files and folders of this machine that programs may read in addition to the system's, by absolute
	// paths.
	See []string
}

// Command is a program with its arguments, environment and input.
type Command struct {
	Path  string // absolute
	Args  []string
	Env   []string // NAME=VALUE, complete; TMPDIR and HOME are added
	Input []byte   // contents of standard input
	Pipes Pipes    // if set, they replace Input and Outcome.Output; Limits.Output does not apply to them
}

// Pipes are a program's ends of the pipes for its standard input and output. The caller closes them after the program's
// end.
type Pipes struct{ In, Out *os.File }

// EndingKind is the way in which a program ended.
type EndingKind uint8

// A program exits by itself, or because of a signal or a limit of the system; or Run ended it at a limit.
const (
	Exited EndingKind = iota
	TimeUp
	TooMuchOutput
)

// Outcome is the result of a program. All its processes have ended and its files were removed. For a weak Box this only
// applies to processes in its process group and to files in its own folder.
type Outcome struct {
	Ending EndingKind
	Code   int // exit code; -1: a signal ended the program
	Output []byte
	Errors []byte // standard error
}

var errOutput = errors.New("too much output")

// Run runs a program to its end. An error is caused by the machine or by ctx; it wraps ErrRefused if the machine does
// not permit the box. A failing program is an Outcome.
func (b Box) Run(ctx context.Context, c Command, l Limits) (Outcome, error) {
	if l.Wall <= 0 || l.Output <= 0 {
		return Outcome{}, errors.New("a program needs limits of time and output")
	}
	room, err := b.room()
	if err != nil {
		return Outcome{}, err
	}
	defer room.remove()
	own, end := context.WithCancelCause(ctx)
	defer end(nil)
	timer := time.AfterFunc(l.Wall, func() { end(context.DeadlineExceeded) })
	defer timer.Stop()

	cmd, failed, err := b.prepare(own, c, l, room)
	if err != nil {
		return Outcome{}, err
	}
	defer failed.close()
	out, errs := &cappedBuffer{maxBytes: l.Output, full: end}, &cappedBuffer{maxBytes: l.Output, full: end}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(c.Input), out, errs
	if c.Pipes != (Pipes{}) {
		cmd.Stdin, cmd.Stdout = c.Pipes.In, c.Pipes.Out
	}
	cmd.WaitDelay = time.Second // for pipes that a process outside of the group keeps open

	// The kernel ends the program when the thread that started it ends, so this thread must stay.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return Outcome{}, refusal(err)
	}
	waited := waitForGroup(cmd)
	if text := failed.text(); text != "" {
		return Outcome{}, fmt.Errorf("%w: %s", ErrRefused, text)
	}
	o := Outcome{Code: cmd.ProcessState.ExitCode(), Output: out.bytes(), Errors: errs.bytes()}
	switch cause := context.Cause(own); {
	case errors.Is(cause, errOutput):
		o.Ending = TooMuchOutput
	case ctx.Err() != nil:
		return Outcome{}, context.Cause(ctx)
	case cause != nil && o.Code == -1:
		o.Ending = TimeUp
	case waited != nil:
		return Outcome{}, waited
	}
	return o, nil
}

// waitForGroup waits for the program, ends the other processes of its group, and returns an error only if the machine
// caused it.
func waitForGroup(cmd *exec.Cmd) error {
	err := cmd.Wait()
	killGroup(cmd.Process.Pid)
	var exit *exec.ExitError
	if errors.As(err, &exit) || errors.Is(err, exec.ErrWaitDelay) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errOutput) {
		return nil
	}
	return err
}

// room is the working folder of a program in a weak Box. Programs in other boxes have their own /tmp.
type room string

func (b Box) room() (room, error) {
	if !b.Weak {
		return "/tmp", nil
	}
	dir, err := os.MkdirTemp("", "plumbline-program-")
	return room(dir), err
}

func (r room) remove() {
	if r != "/tmp" {
		_ = os.RemoveAll(string(r)) // files that cannot be removed stay in the system's temporary folder
	}
}

func (r room) env(own []string) []string {
	return append(append([]string{}, own...), "TMPDIR="+string(r), "HOME="+string(r))
}

// cappedBuffer keeps the first bytes of a stream and calls full when there are more.
type cappedBuffer struct {
	mu       sync.Mutex
	buffer   bytes.Buffer
	maxBytes int64
	full     func(error)
}

func (c *cappedBuffer) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if free := c.maxBytes - int64(c.buffer.Len()); int64(len(p)) > free {
		c.buffer.Write(p[:free])
		c.full(errOutput)
		return 0, errOutput
	}
	return c.buffer.Write(p)
}

func (c *cappedBuffer) bytes() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.buffer.Bytes()
}

// failure transfers an error of the stage that occurs before the program begins.
type failure struct{ read, write *os.File }

func (f failure) close() {
	if f.read != nil {
		_ = f.read.Close()
		_ = f.write.Close()
	}
}

// text returns the error, or an empty text if the program began. It is called once, after the process has ended.
func (f failure) text() string {
	if f.read == nil {
		return ""
	}
	_ = f.write.Close()
	text, _ := io.ReadAll(io.LimitReader(f.read, 4096)) // an unreadable pipe contains no error
	return string(text)
}
