package host

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/plumbline-ml/plumbline/sdk/internal/osprocess"
)

// firstLineBytes is the maximum length of the line from which go-plugin reads the handshake. A TLS certificate fits.
const firstLineBytes = 16 << 10

// Limits, as numbers of checks, of the time for reading the output of a process that has ended.
const (
	outputQuiet = 10
	outputLimit = 200
)

// pluginProcess runs a plugin binary in its own process group. It implements go-plugin's runner.Runner. Unlike
// go-plugin's own implementation, it reads lines of any length, keeps output that is not a handshake, and leaves no
// process of the group.
type pluginProcess struct {
	path       string
	env        []string
	output     *pluginOutput
	inherited  []*os.File      // inherited by the process as descriptors 3 and up
	afterStart func()          // called after the process is started
	binary     *approvedBinary // the file to execute; nil: the file at path

	cmd           *exec.Cmd
	stdin         *os.File // open while this process lives: see package lifeline
	first         io.ReadCloser
	ended         chan struct{} // closed when the process has ended
	exited        chan struct{} // closed when its output is also read
	groupGone     chan struct{} // closed when its whole group has also ended
	taps          []*outputTap
	outputReaders sync.WaitGroup

	mu      sync.Mutex
	started bool
	killed  bool // killed, perhaps before it was started
	reaped  bool
	line    string // the first line of its standard output
	printed bool   // there was one
}

func newProcess(path string, o *pluginOutput) *pluginProcess {
	return &pluginProcess{path: path, output: o, ended: make(chan struct{}), exited: make(chan struct{}),
		groupGone: make(chan struct{})}
}

// Start starts the process. The goroutine that starts it owns an OS thread until the process ends. If the kernel
// signals a child when its parent dies, the parent is that thread.
func (p *pluginProcess) Start(context.Context) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.startProcess()
		started <- err
		if err == nil {
			p.awaitExit()
		}
	}()
	return <-started
}

func (p *pluginProcess) startProcess() error {
	stdio, err := openPipes()
	if err != nil {
		return err
	}
	in, out, errs := stdio[0], stdio[1], stdio[2]
	defer closeFiles(in.r, out.w, errs.w) // the child has its own copies
	p.cmd = exec.Command(p.path)
	if p.binary != nil {
		p.cmd.Path = p.binary.path
	}
	p.cmd.Env = p.env
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = in.r, out.w, errs.w
	p.cmd.ExtraFiles = p.inherited
	p.cmd.SysProcAttr = ownGroup()
	if err := p.startCommand(); err != nil {
		closeFiles(in.w, out.r, errs.r)
		return err
	}
	p.afterStart()
	p.stdin = in.w
	p.pumpOutput(out.r, errs.r)
	return nil
}

type outputPipe struct{ r, w *os.File }

// openPipes opens pipes for the three standard descriptors.
func openPipes() (pipes [3]outputPipe, err error) {
	for i := range pipes {
		if pipes[i].r, pipes[i].w, err = os.Pipe(); err != nil {
			for _, p := range pipes[:i] {
				closeFiles(p.r, p.w)
			}
			return pipes, err
		}
	}
	return pipes, nil
}

// closeFiles closes ends of pipes. Their errors have no effect.
func closeFiles(files ...*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// startCommand starts the command unless the process was already killed.
func (p *pluginProcess) startCommand() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.killed {
		return errors.New("its start was interrupted")
	}
	osprocess.KeepOpenFiles()
	err := p.cmd.Start()
	p.started = err == nil
	return err
}

// pumpOutput reads the process's output. go-plugin receives only the first line of its standard output.
func (p *pluginProcess) pumpOutput(stdout, stderr *os.File) {
	var line *io.PipeWriter
	p.first, line = io.Pipe()
	out, errs := newTap(stdout, p.output), newTap(stderr, p.output)
	p.taps = []*outputTap{out, errs}
	p.outputReaders.Go(func() {
		defer errs.stopReading()
		p.output.drainReader(errs)
	})
	p.outputReaders.Go(func() {
		defer out.stopReading()
		r := bufio.NewReaderSize(out, firstLineBytes)
		p.passFirstLine(r, line)
		p.output.drainReader(r)
	})
}

// awaitKept waits until all output that the process has printed so far is stored, because a failure report on another
// channel may be faster than the output.
func (p *pluginProcess) awaitKept() {
	for _, t := range p.taps {
		t.awaitKept()
	}
}

func (p *pluginProcess) passFirstLine(r *bufio.Reader, to *io.PipeWriter) {
	text, err := r.ReadSlice('\n')
	line := trimLine(text)
	p.mu.Lock()
	p.line, p.printed = line, err == nil || len(text) > 0
	p.mu.Unlock()
	if !looksLikeHandshake(line) && len(text) > 0 {
		p.output.addText(text, false)
	}
	_, _ = io.WriteString(to, line[:min(len(line), firstLineBytes)]+"\n")
	_ = to.Close()
}

// firstLine returns the first line of the standard output. The second result is false if there was none.
func (p *pluginProcess) firstLine() (string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.line, p.printed
}

// looksLikeHandshake reports whether a line contains the two versions, the network and the address.
func looksLikeHandshake(line string) bool {
	parts := strings.Split(line, "|")
	if len(parts) < 4 {
		return false
	}
	_, errCore := strconv.Atoi(parts[0])
	_, errProtocol := strconv.Atoi(parts[1])
	return errCore == nil && errProtocol == nil
}

// awaitExit reaps the process, ends the rest of its group, and reads the rest of its output.
func (p *pluginProcess) awaitExit() {
	awaitEnd(p.cmd.Process.Pid)
	close(p.ended)
	p.reapGroup()
	closeFiles(p.stdin)
	p.readRemainingOutput()
	close(p.exited)
	awaitGroup(p.cmd.Process.Pid)
	close(p.groupGone)
}

// readRemainingOutput waits for the end of the process's output. A process outside the group may keep the pipes open
// and may even print. Therefore silence also counts as the end, and there is a time limit.
func (p *pluginProcess) readRemainingOutput() {
	p.awaitKept()
	read := make(chan struct{})
	go func() { p.outputReaders.Wait(); close(read) }()
	awaitQuiet(read, p.output.byteCount, outputQuiet, outputLimit)
}

// reapGroup ends the group while the process's id is still in use, and then reaps the process.
func (p *pluginProcess) reapGroup() {
	p.mu.Lock()
	defer p.mu.Unlock()
	killGroup(p.cmd.Process.Pid)
	_ = p.cmd.Wait()
	p.reaped = true
}

// exitText describes the end of the process. It may be called after exited is closed.
func (p *pluginProcess) exitText() string {
	return describeExit(p.cmd.ProcessState)
}

// Wait waits for the end of the process.
func (p *pluginProcess) Wait(context.Context) error {
	<-p.exited
	if s := p.cmd.ProcessState; !s.Success() {
		return errors.New(s.String())
	}
	return nil
}

// Kill kills the process and its group and waits for its end. It prevents the start of a process that was not started.
func (p *pluginProcess) Kill(context.Context) error {
	p.mu.Lock()
	p.killed = true
	started := p.started
	p.mu.Unlock()
	if started {
		p.signalGroup(killGroup)
		<-p.groupGone
	}
	return nil
}

// signalGroup calls send with the process's group if the process is running.
func (p *pluginProcess) signalGroup(send func(pid int)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.started && !p.reaped {
		send(p.cmd.Process.Pid)
	}
}

func (p *pluginProcess) wasStarted() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.started
}

// Stdout returns only the line of the handshake to go-plugin.
func (p *pluginProcess) Stdout() io.ReadCloser { return p.first }

// Stderr returns nothing to go-plugin, because pluginOutput receives the output.
func (p *pluginProcess) Stderr() io.ReadCloser { return io.NopCloser(strings.NewReader("")) }

// Name returns the path of the binary.
func (p *pluginProcess) Name() string { return p.path }

// ID returns the process id, or "" if there is no process.
func (p *pluginProcess) ID() string {
	if !p.wasStarted() {
		return ""
	}
	return fmt.Sprint(p.cmd.Process.Pid)
}

// Diagnose returns nothing; see diagnoseStart.
func (p *pluginProcess) Diagnose(context.Context) string { return "" }

// PluginToHost returns its arguments, because both processes are on the same machine.
func (p *pluginProcess) PluginToHost(network, address string) (string, string, error) {
	return network, address, nil
}

// HostToPlugin returns its arguments.
func (p *pluginProcess) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}
