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

// ErrRefused is the kind of error of a machine that does not let a Box be made. The text says what it refuses.
var ErrRefused = errors.New("no sandbox can be made here")

// Limits bound a program and what it starts. A field that is 0 is no limit, but for Wall and Output, which must be set.
type Limits struct {
	Wall      time.Duration // from start to end: then all of it is killed
	CPU       time.Duration // of each process, in whole seconds
	Memory    int64         // bytes of address space of each process
	File      int64         // bytes of each file that is written
	Scratch   int64         // bytes of all files in /tmp; a Weak box has no such limit
	Output    int64         // bytes on standard output, and as many on standard error: more ends the program
	Processes int           // threads and processes at a time
	Files     int           // open ones of each process
}

// Box is where programs run. It may be used concurrently.
type Box struct {
	// Weak runs programs without name spaces: as this account, with its files and the network.
	Weak bool
	// See are files and folders of this machine that programs may read beside the system's, by absolute paths.
	See []string
}

// Command is a program and what it is given.
type Command struct {
	Path  string // absolute
	Args  []string
	Env   []string // NAME=VALUE, all that there is; TMPDIR and HOME are added
	Input []byte   // on standard input
	Pipes Pipes    // where they are set, in place of Input and of Outcome.Output, which no limit holds for then
}

// Pipes are the ends of pipes that a program has as its standard input and output, for one that is talked with. The
// caller closes them when it has ended.
type Pipes struct{ In, Out *os.File }

// Ending is how a program ended.
type Ending uint8

// By itself, which a signal or a limit of the system may be behind, or by the limit that it passed.
const (
	Exited Ending = iota
	TimeUp
	TooMuchOutput
)

// Outcome is what a program left behind. Nothing of it runs any more, and nothing of it is on the disk; behind a Weak
// box that is so only for what stayed in its process group and wrote to its own folder.
type Outcome struct {
	Ending Ending
	Code   int // of its exit; -1: a signal ended it
	Output []byte
	Errors []byte // what came on standard error
}

var errOutput = errors.New("too much output")

// Run runs a program to its end. Errors are those of the machine, of kind ErrRefused where it does not permit what the
// box needs, and ctx's; a program that fails is an Outcome.
func (b Box) Run(ctx context.Context, c Command, l Limits) (Outcome, error) {
	if l.Wall <= 0 || l.Output <= 0 {
		return Outcome{}, errors.New("a program needs limits of time and output")
	}
	room, err := b.room()
	if err != nil {
		return Outcome{}, err
	}
	defer room.leave()
	own, end := context.WithCancelCause(ctx)
	defer end(nil)
	timer := time.AfterFunc(l.Wall, func() { end(context.DeadlineExceeded) })
	defer timer.Stop()

	cmd, failed, err := b.prepare(own, c, l, room)
	if err != nil {
		return Outcome{}, err
	}
	defer failed.close()
	out, errs := &capped{most: l.Output, full: end}, &capped{most: l.Output, full: end}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(c.Input), out, errs
	if c.Pipes != (Pipes{}) {
		cmd.Stdin, cmd.Stdout = c.Pipes.In, c.Pipes.Out
	}
	cmd.WaitDelay = time.Second // for pipes that a process outside of the group holds

	// The kernel ends the program with the thread that started it: that thread has to stay.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return Outcome{}, refusal(err)
	}
	waited := wait(cmd)
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

// wait waits for the program, ends what is left of its group, and returns an error only where it is this machine's.
func wait(cmd *exec.Cmd) error {
	err := cmd.Wait()
	killGroup(cmd.Process.Pid)
	var exit *exec.ExitError
	if errors.As(err, &exit) || errors.Is(err, exec.ErrWaitDelay) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errOutput) {
		return nil
	}
	return err
}

// room is the working folder of a program behind a Weak box; others have a /tmp of their own.
type room string

func (b Box) room() (room, error) {
	if !b.Weak {
		return "/tmp", nil
	}
	dir, err := os.MkdirTemp("", "plumbline-program-")
	return room(dir), err
}

func (r room) leave() {
	if r != "/tmp" {
		_ = os.RemoveAll(string(r)) // what a program made unremovable stays, in the system's temporary folder
	}
}

func (r room) env(own []string) []string {
	return append(append([]string{}, own...), "TMPDIR="+string(r), "HOME="+string(r))
}

// capped keeps the first bytes of a stream, and calls full when there are more.
type capped struct {
	mu   sync.Mutex
	kept bytes.Buffer
	most int64
	full func(error)
}

func (c *capped) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if free := c.most - int64(c.kept.Len()); int64(len(p)) > free {
		c.kept.Write(p[:free])
		c.full(errOutput)
		return 0, errOutput
	}
	return c.kept.Write(p)
}

func (c *capped) bytes() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept.Bytes()
}

// failure carries what went wrong in the stage, before the program began.
type failure struct{ read, write *os.File }

func (f failure) close() {
	if f.read != nil {
		_ = f.read.Close()
		_ = f.write.Close()
	}
}

// text is empty if the program began. It is called once, when the process has ended.
func (f failure) text() string {
	if f.read == nil {
		return ""
	}
	_ = f.write.Close()
	text, _ := io.ReadAll(io.LimitReader(f.read, 4096)) // a pipe that cannot be read says nothing
	return string(text)
}
