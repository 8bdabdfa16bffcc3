package host

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// ResourceLimits limit a plugin's resources. Zero means no limit.
//
// Memory, processes and processor time are totals of all processes in the plugin's group. They are checked ten times a
// second. A plugin above a limit is killed, but it may exceed the limit between two checks. The kernel enforces the
// limit of files. The limits protect the machine from a runaway plugin; they are not a sandbox.
type ResourceLimits struct {
	Memory    int64         // bytes of resident memory; shared memory counts in each process
	Processes int           // number of living processes
	Files     int           // open descriptors of each process; a plugin needs about 30
	CPU       time.Duration // processor time since the start
}

// ErrNoLimits means that this system cannot enforce limits on plugins.
var ErrNoLimits = errors.New("plugins cannot be held to limits on this system")

// checksPerSecond is the number of checks per second. checksPerListing is the number of checks after which the
// processes are listed again, because listing reads the whole process table.
const (
	checksPerSecond  = 10
	checksPerListing = 5
)

// resourceUsage is the total usage of all living processes.
type resourceUsage struct {
	memory    int64
	processes int
	cpu       time.Duration // including that of ended processes
}

// exceededLimit describes the exceeded limit, or returns "".
func (l ResourceLimits) exceededLimit(u resourceUsage) string {
	switch {
	case l.Memory > 0 && u.memory > l.Memory:
		return fmt.Sprintf("it uses %s of memory, over its limit memory=%s", sizeText(u.memory), sizeText(l.Memory))
	case l.Processes > 0 && u.processes > l.Processes:
		return fmt.Sprintf("it has %d processes, over its limit processes=%d", u.processes, l.Processes)
	case l.CPU > 0 && u.cpu > l.CPU:
		return fmt.Sprintf("it used %v of processor time, over its limit cpu=%v", u.cpu, l.CPU)
	}
	return ""
}

// needsMeter reports whether a limit must be checked regularly.
func (l ResourceLimits) needsMeter() bool { return l.Memory > 0 || l.Processes > 0 || l.CPU > 0 }

// sizeText formats a number of bytes in the form of the flag.
func sizeText(n int64) string {
	if n >= 1<<30 {
		return fmt.Sprintf("%.4gGiB", float64(n)/(1<<30))
	}
	return fmt.Sprintf("%.4gMiB", float64(n)/(1<<20))
}

const limitHint = "give it a higher limit, or less to do: a smaller batch, fewer sessions"

// applyLimits applies the plugin's limits to the process that was just started.
func (p *Plugin) applyLimits() {
	l := p.options.Limits
	if l.Files > 0 {
		if err := limitFiles(p.process.cmd.Process.Pid, l.Files); err != nil {
			p.failWith(KindLimit, err, fmt.Sprintf("its limit files=%d cannot be set: %v", l.Files, err), "")
			p.process.signalGroup(killGroup)
			return
		}
	}
	if l.needsMeter() {
		go p.watchLimits()
	}
}

// watchLimits kills a plugin that exceeds a limit.
func (p *Plugin) watchLimits() {
	tick := time.NewTicker(time.Second / checksPerSecond)
	defer tick.Stop()
	m := usageMeter{group: p.process.cmd.Process.Pid}
	for {
		select {
		case <-p.process.exited:
			return
		case <-tick.C:
		}
		if found := p.options.Limits.exceededLimit(m.readUsage()); found != "" {
			p.failWith(KindLimit, nil, found, limitHint)
			p.process.signalGroup(killGroup)
			return
		}
	}
}

// outOfFiles reports whether a plugin with a limit of files reports that it has reached it.
func (p *Plugin) outOfFiles(message string) bool {
	return p.options.Limits.Files > 0 && strings.Contains(message, "too many open files")
}

func (p *Plugin) overFiles(err error, message string) *PluginError {
	return p.newFailure(KindLimit, err, fmt.Sprintf("it needs more open files than its limit files=%d: %s",
		p.options.Limits.Files, message), "give it a higher limit")
}
