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
	// defaultHeartbeatTimeout is how long a process may be stopped. It is equal to the time that a plugin may be silent.
	defaultHeartbeatTimeout = 30 * time.Second
	// checkInterval is the time between checks of a process. minChecks is the minimum number of checks before a process
	// counts as frozen.
	checkInterval = time.Second
	minChecks     = 4
)

// keepalivePings configures pings that detect a frozen process if its state does not show it or the system does not
// report the state. gRPC answers pings even while batches run. By default, servers close a connection with more than
// one ping in 5 minutes.
func keepalivePings(timeout time.Duration) keepalive.ClientParameters {
	return keepalive.ClientParameters{Time: 6 * time.Minute, Timeout: timeout}
}

// watchFrozen ends the connection when the process has been stopped for timeout. A process that computes is not
// stopped, even if it does not answer.
func (p *childProcess) watchFrozen(timeout time.Duration) {
	every := max(time.Millisecond, min(checkInterval, timeout/minChecks))
	tick := time.NewTicker(every)
	defer tick.Stop()
	signs := silenceCounter{heard: p.messageCount.Load()}
	for {
		select {
		case <-p.exited:
			return
		case <-tick.C:
		}
		checks := signs.countCheck(isStopped(p.serverPID()), p.messageCount.Load())
		if silent := time.Duration(checks) * every; silent >= timeout {
			p.failFrozen(silent, timeout)
			return
		}
	}
}

// silenceCounter counts checks of a process without a sign of life. It counts checks and not time. If this process was
// itself stopped or late, it does not blame the other process for the missed time.
type silenceCounter struct {
	checks int
	heard  uint64 // number of answers at the last check
}

// countCheck returns the number of consecutive checks at which the process was stopped and had not answered since the
// previous check.
func (s *silenceCounter) countCheck(stopped bool, heard uint64) int {
	s.checks++
	if !stopped || heard != s.heard {
		s.checks = 0
	}
	s.heard = heard
	return s.checks
}

// failFrozen makes all calls fail, including those in progress.
func (p *childProcess) failFrozen(silent, timeout time.Duration) {
	err := fmt.Errorf("%w: the backend process %q: no sign of life for %v (limit %v): %s; "+
		"a higher option heartbeat_timeout waits longer", backend.ErrFailed, p.command, silent, timeout, p.stoppedBy())
	p.frozen.Store(&err)
	_ = p.conn.Close()
}

// stoppedBy explains why a stopped process does nothing.
func (p *childProcess) stoppedBy() string {
	return fmt.Sprintf("it is stopped, by a signal or a debugger (kill -CONT %d lets it go on)", p.serverPID())
}

// serverPID returns the process that serves: the process at the other end of the socket if the system reports it,
// otherwise the process that was started. They differ if the started process has started another one.
func (p *childProcess) serverPID() int {
	if pid := p.serverID.Load(); pid > 0 {
		return int(pid)
	}
	return p.cmd.Process.Pid
}

// isStopped reports whether a process is alive and stopped by a signal or a debugger. It returns false if the system
// does not report it.
func isStopped(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // number, name in parentheses, state ...
	if err != nil {
		return false
	}
	behind := text[bytes.LastIndexByte(text, ')')+1:]
	return bytes.HasPrefix(behind, []byte(" T")) || bytes.HasPrefix(behind, []byte(" t"))
}
