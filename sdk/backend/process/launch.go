package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/backendpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

const (
	cookieKey   = "PLUMBLINE_BACKEND"
	cookieValue = "plumbline-backend-v1"
	protocol    = "1"
	// exitGrace is the time that a process may take to end after a request to do so.
	exitGrace = 3 * time.Second
	// exitWait is how long an error waits for the end of a process whose connection broke, to report its exit status. Such
	// a process is almost always about to end, but this can take long on a busy machine.
	exitWait = 10 * time.Second
)

// childProcess is a backend process with its connection.
type childProcess struct {
	command string
	device  string // the device that it must use; empty: none
	cmd     *exec.Cmd
	stdin   io.Closer // closing it tells the process that this one has ended
	output  *processOutput
	dir     string        // private folder of the socket
	grace   time.Duration // exitGrace
	conn    *grpc.ClientConn
	rpc     backendpb.BackendClient

	sessions atomic.Int32  // number of open sessions and of sessions being opened
	models   atomic.Uint32 // number of models that it had to open
	kept     releasedHandles

	serverID     atomic.Int32          // process that listens on the socket; 0: not known
	messageCount atomic.Uint64         // number of messages from the process
	frozen       atomic.Pointer[error] // error for all further calls; nil: the process is not frozen

	exited     chan struct{} // closed when the process has ended and its output is read
	closeOnce  sync.Once
	closeError error // result of close
}

// launchChild starts the command and performs the handshake.
func launchChild(ctx context.Context, set processOptions, device string, to io.Writer) (*childProcess, error) {
	dir, err := os.MkdirTemp(socketParent(), "plumbline-") // 0700
	if err != nil {
		return nil, fmt.Errorf("no private folder for the socket of the backend process: %w", err)
	}
	p := &childProcess{
		command: set.command, device: device, output: &processOutput{to: to}, dir: dir, grace: exitGrace,
		exited: make(chan struct{}),
	}
	p.sessions.Store(1)
	address, err := p.startCommand(ctx, set.start)
	if err == nil {
		err = p.dialProcess(address, set.heartbeat)
	}
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	go p.watchFrozen(set.heartbeat)
	return p, nil
}

// socketParent returns the temporary directory, or /tmp if a socket's path would be too long there.
func socketParent() string {
	const room, most = 60, 104
	if dir := os.TempDir(); len(dir)+room <= most {
		return dir
	}
	return "/tmp"
}

// startCommand runs the command and waits for the line with the address. The command belongs to our process group, so a
// signal to the group also ends the command.
func (p *childProcess) startCommand(ctx context.Context, timeout time.Duration) (address string, err error) {
	p.cmd = exec.Command("/bin/sh", "-c", "exec "+p.command)
	p.cmd.Env = append(os.Environ(), cookieKey+"="+cookieValue, plugin.EnvUnixSocketDir+"="+p.dir,
		"PLUGIN_PROTOCOL_VERSIONS="+protocol)
	p.cmd.Stderr = p.output
	// Processes that the backend leaves behind may hold its output open.
	p.cmd.WaitDelay = exitGrace
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return "", err
	}
	p.stdin = stdin
	line := make(chan string, 1)
	first := &firstLineWriter{found: line, rest: p.output}
	p.cmd.Stdout = first
	if err := p.cmd.Start(); err != nil {
		close(p.exited)
		return "", fmt.Errorf("start the backend process %q: %w", p.command, err)
	}
	go func() {
		_ = p.cmd.Wait()
		first.flushPartial()
		close(p.exited)
	}()
	return p.awaitHandshake(ctx, line, first.partialLine, timeout)
}

// awaitHandshake waits for the line of the handshake. begun returns the part of a line that has not ended.
func (p *childProcess) awaitHandshake(ctx context.Context, line <-chan string, begun func() string,
	timeout time.Duration) (string, error) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case text := <-line:
		return p.parseHandshake(text)
	case <-p.exited:
		if len(line) > 0 { // a complete line tells more than the exit
			return p.parseHandshake(<-line)
		}
		return "", fmt.Errorf("%w: the backend process %q %s before it printed its address%s", backend.ErrFailed, p.command,
			p.exitText(), p.output.outputTail())
	case <-timer.C:
		if part := begun(); part != "" {
			return "", fmt.Errorf("the backend process %q ended no line within %v: its output began with %q, want "+
				"1|1|unix|PATH|grpc and a line break%s",
				p.command, timeout, part, p.output.tailIfAny())
		}
		return "", fmt.Errorf("the backend process %q printed no address within %v: the first line of its output must be "+
			"1|1|unix|PATH|grpc, flushed%s; option start_timeout waits longer",
			p.command, timeout, p.output.outputTail())
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// parseHandshake parses the line of the handshake: core protocol, protocol, network, address, transport.
func (p *childProcess) parseHandshake(line string) (string, error) {
	parts := strings.Split(strings.TrimSpace(line), "|")
	if len(parts) < 5 || parts[0] != fmt.Sprint(plugin.CoreProtocolVersion) {
		return "", fmt.Errorf("the backend process %q began its output with %q, want 1|1|unix|PATH|grpc: what else it says "+
			"it must say later, or to its standard error output%s",
			p.command, line, p.output.tailIfAny())
	}
	if parts[1] != protocol {
		return "", fmt.Errorf("the backend process %q speaks version %s of backend.proto, this plugin version %s",
			p.command, parts[1], protocol)
	}
	if parts[2] != "unix" || parts[4] != "grpc" {
		return "", fmt.Errorf("the backend process %q offers %s over %s, want grpc over unix", p.command, parts[4], parts[2])
	}
	return parts[3], nil
}

func (p *childProcess) dialProcess(address string, heartbeat time.Duration) (err error) {
	if !filepath.IsAbs(address) {
		return fmt.Errorf("the backend process %q listens on %q, want an absolute path", p.command, address)
	}
	p.conn, err = grpc.NewClient("unix://"+address,
		grpc.WithTransportCredentials(insecure.NewCredentials()), // a socket in a private folder
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			return p.connectSocket(ctx,
				address)
		}),
		grpc.WithKeepaliveParams(keepalivePings(heartbeat)),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(wire.MaxMessage),
			grpc.MaxCallSendMsgSize(wire.MaxMessage), grpc.WaitForReady(false), wire.Codec()),
		grpc.WithInitialWindowSize(wire.Window), grpc.WithInitialConnWindowSize(wire.Window),
		grpc.WithReadBufferSize(wire.SocketBuffer), grpc.WithWriteBufferSize(wire.SocketBuffer),
	)
	if err != nil {
		return fmt.Errorf("connect to the backend process %q: %w", p.command, err)
	}
	p.rpc = backendpb.NewBackendClient(p.conn)
	return nil
}

// connectSocket opens the connection and records the process at the other end.
func (p *childProcess) connectSocket(ctx context.Context, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", address)
	if err != nil {
		return nil, err
	}
	p.serverID.Store(peerPID(conn))
	return conn, nil
}

// close asks the process to end, and kills it if it does not. It may be called twice.
func (p *childProcess) close() error {
	p.closeOnce.Do(func() { p.closeError = p.endProcess() })
	return p.closeError
}

func (p *childProcess) endProcess() error {
	if p.rpc != nil {
		ctx, cancel := context.WithTimeout(context.Background(), p.grace)
		_, _ = p.rpc.Close(ctx, &backendpb.CloseRequest{}) // closing its input has the same effect
		cancel()
		_ = p.conn.Close()
	}
	if p.stdin != nil {
		_ = p.stdin.Close()
	}
	if p.cmd.Process != nil {
		select {
		case <-p.exited:
		case <-time.After(p.grace):
			_ = p.cmd.Process.Kill()
			<-p.exited
		}
	}
	return os.RemoveAll(p.dir)
}

// endedError describes a call that failed because the process has ended.
func (p *childProcess) endedError(what string, err error) error {
	if isStopped(p.serverPID()) {
		return fmt.Errorf("%w: the backend process %q did not answer when it was to %s: %s", backend.ErrFailed, p.command,
			what, p.stoppedBy())
	}
	select {
	case <-p.exited:
		return fmt.Errorf("%w: the backend process %q %s while it was to %s%s", backend.ErrFailed, p.command, p.exitText(),
			what, p.output.outputTail())
	case <-time.After(exitWait):
	}
	return fmt.Errorf("%w: the connection to the backend process %q broke while it was to %s: %w%s", backend.ErrFailed,
		p.command, what, err, p.output.outputTail())
}

// exitText describes the end of the process. It may be called after exited is closed.
func (p *childProcess) exitText() string {
	if p.cmd.ProcessState == nil {
		return "ended"
	}
	return "ended (" + p.cmd.ProcessState.String() + ")"
}

// firstLineWriter passes the first line to a channel and the following output to a writer.
type firstLineWriter struct {
	found chan<- string
	rest  io.Writer

	mu   sync.Mutex
	line []byte
	done bool
}

// handshakeBytes is the maximum length of the first line.
const handshakeBytes = 4 << 10

func (f *firstLineWriter) Write(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.done {
		return f.rest.Write(b)
	}
	f.line = append(f.line, b...)
	n, line, err := bufio.ScanLines(f.line, len(f.line) > handshakeBytes)
	if n == 0 || err != nil {
		return len(b), err
	}
	f.done = true
	f.found <- string(line[:min(len(line), handshakeBytes)])
	if rest := f.line[n:]; len(rest) > 0 {
		_, err = f.rest.Write(rest)
	}
	return len(b), err
}

// partialLine returns the beginning of a line that has not ended, or "" if the line has ended or not begun.
func (f *firstLineWriter) partialLine() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.done {
		return ""
	}
	return string(f.line)
}

// flushPartial passes on an incomplete line, because it contains the last output of the process.
func (f *firstLineWriter) flushPartial() {
	if part := f.partialLine(); part != "" {
		_, _ = f.rest.Write([]byte(part))
	}
}
