package process

import (
	"bytes"
	"fmt"
	"os"
	"time"

	"google.golang.org/grpc/keepalive"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

const (
	// defaultHeartbeatTimeout is how long a process may be stopped: as long as a plugin may be silent.
	defaultHeartbeatTimeout = 30 * time.Second
	// lookEvery is how often it is looked at, and looksPerTimeout how often at least before it counts as frozen.
	lookEvery       = time.Second
	looksPerTimeout = 4
)

// keepalivePings find a process that is frozen in a way that its state does not show, or on a system that does not tell
// it: gRPC answers them alongside the batches. Servers end a connection that is pinged more often than every 5 minutes,
// unless they are told otherwise.
func keepalivePings(timeout time.Duration) keepalive.ClientParameters {
	return keepalive.ClientParameters{Time: 6 * time.Minute, Timeout: timeout}
}

// watchFrozen ends the connection when the process has been stopped for so long. A process that computes is never
// stopped, whatever it does not answer meanwhile.
func (p *childProcess) watchFrozen(timeout time.Duration) {
	every := max(time.Millisecond, min(lookEvery, timeout/looksPerTimeout))
	tick := time.NewTicker(every)
	defer tick.Stop()
	signs := silenceCounter{heard: p.heard.Load()}
	for {
		select {
		case <-p.exited:
			return
		case <-tick.C:
		}
		if silent := time.Duration(signs.countLook(isStopped(p.serverPID()), p.heard.Load())) * every; silent >= timeout {
			p.failFrozen(silent, timeout)
			return
		}
	}
}

// silenceCounter counts looks at a process without a sign of life, not time: when this process was stopped too, or
// late, what it missed is not held against the other.
type silenceCounter struct {
	looks int
	heard uint64 // answers, at the last look
}

// countLook returns how many looks in a row have found the process stopped, without an answer since the one before.
func (s *silenceCounter) countLook(stopped bool, heard uint64) int {
	s.looks++
	if !stopped || heard != s.heard {
		s.looks = 0
	}
	s.heard = heard
	return s.looks
}

// failFrozen makes all calls fail, those in work too.
func (p *childProcess) failFrozen(silent, timeout time.Duration) {
	err := fmt.Errorf("%w: the backend process %q: no sign of life for %v (limit %v): %s; "+
		"a higher option heartbeat_timeout waits longer", backend.ErrFailed, p.command, silent, timeout, p.stoppedBy())
	p.frozen.Store(&err)
	_ = p.conn.Close()
}

// stoppedBy says why a stopped process does nothing.
func (p *childProcess) stoppedBy() string {
	return fmt.Sprintf("it is stopped, by a signal or a debugger (kill -CONT %d lets it go on)", p.serverPID())
}

// serverPID is the process that serves: the one that was started or, where that started another in its place, as far as
// the system tells, the one at the other end of the socket.
func (p *childProcess) serverPID() int {
	if pid := p.server.Load(); pid > 0 {
		return int(pid)
	}
	return p.cmd.Process.Pid
}

// isStopped reports whether a process is alive and held by a signal or a debugger, as far as the system tells.
func isStopped(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // number, name in parentheses, state ...
	if err != nil {
		return false
	}
	behind := text[bytes.LastIndexByte(text, ')')+1:]
	return bytes.HasPrefix(behind, []byte(" T")) || bytes.HasPrefix(behind, []byte(" t"))
}
