package host

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// ResourceLimits limit a plugin's resources. Zero means no limit.
//
// Memory, processes and processor time count for all processes of the plugin's group together and are checked ten times
// a second. A plugin above a limit is killed; between two checks it may exceed the limit. The kernel enforces the limit
// of files. The limits protect the machine from a runaway plugin; they are not a sandbox.
type ResourceLimits struct {
	Memory    int64         // bytes of resident memory; what processes share counts in each
	Processes int           // living processes
	Files     int           // open descriptors of each process; a plugin needs some 30
	CPU       time.Duration // processor time since the start
}

// ErrNoLimits reports that this system cannot enforce limits on plugins.
var ErrNoLimits = errors.New("plugins cannot be held to limits on this system")

// looks is how often a second a plugin's use is looked at, and members after how many looks its processes are listed
// anew: that reads the whole table of processes.
const (
	looks   = 10
	members = 5
)

// resourceUsage is what living processes use, together.
type resourceUsage struct {
	memory    int64
	processes int
	cpu       time.Duration // of those that have ended too
}

// exceededLimit says what is used too much; empty where nothing is.
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

// needsMeter reports whether there is anything to look at.
func (l ResourceLimits) needsMeter() bool { return l.Memory > 0 || l.Processes > 0 || l.CPU > 0 }

// sizeText writes a number of bytes as the flag takes it.
func sizeText(n int64) string {
	if n >= 1<<30 {
		return fmt.Sprintf("%.4gGiB", float64(n)/(1<<30))
	}
	return fmt.Sprintf("%.4gMiB", float64(n)/(1<<20))
}

const limitHint = "give it a higher limit, or less to do: a smaller batch, fewer sessions"

// applyLimits holds the process, which has just been started, to the plugin's limits.
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

// watchLimits kills a plugin that goes over a limit.
func (p *Plugin) watchLimits() {
	tick := time.NewTicker(time.Second / looks)
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

// outOfFiles reports whether a plugin with a limit of files says that it has no more.
func (p *Plugin) outOfFiles(message string) bool {
	return p.options.Limits.Files > 0 && strings.Contains(message, "too many open files")
}

func (p *Plugin) overFiles(err error, message string) *PluginError {
	return p.newFailure(KindLimit, err, fmt.Sprintf("it needs more open files than its limit files=%d: %s",
		p.options.Limits.Files, message), "give it a higher limit")
}
