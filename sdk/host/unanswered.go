package host

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
)

// A process that was asked for something is worth a note when it has not answered for idleAfter and taken less than one
// part in idleShare of a processor's time meanwhile.
const (
	idleAfter = time.Minute
	idleShare = 100
)

// maxNotedProcesses is of how many processes a user is told.
const maxNotedProcesses = 16

// stallDetector finds a plugin whose heartbeats come and whose work does not get on. It belongs to the goroutine that
// receives.
//
// Time is counted in heartbeats: where the machine or the plugin stood still, that is two of them at most.
type stallDetector struct {
	limit    time.Duration // 0: none
	interval time.Duration // of heartbeats
	last     time.Time     // of the heartbeat before
	signs    uint64
	quiet    time.Duration
	noted    map[int64]bool // processes of which the user knows
	lost     lostCallDetector
}

// lostCallDetector finds a call that the harness waits for and the plugin does not have in hand: neither will ever end
// it.
type lostCallDetector struct {
	begun, ended uint64 // calls, at the heartbeat before
	quiet        time.Duration
}

// checkHeartbeat takes a heartbeat that came step after the one before, and returns for how long a call has been lost.
func (l *lostCallDetector) checkHeartbeat(h *pluginpb.Heartbeat, c *callCounter, step time.Duration) time.Duration {
	begun, ended := c.begun.Load(), c.ended.Load()
	waits := begun != ended && begun == l.begun && ended == l.ended
	l.begun, l.ended = begun, ended
	if l.quiet += step; !waits || h.GetWork() == nil || h.GetWork().Calls == nil || h.GetWork().GetCalls() > 0 {
		l.quiet = 0
	}
	return l.quiet
}

// checkHeartbeat takes a heartbeat and returns for how long nothing has got on, though something was asked for. given
// counts what came from the plugin by other ways; asked says that it has to give something, where it does not tell
// itself.
func (o *stallDetector) checkHeartbeat(h *pluginpb.Heartbeat, given uint64, asked bool, now time.Time) time.Duration {
	if h.GetWork() != nil {
		asked = len(h.GetWork().GetPending()) > 0
	}
	signs := given + h.GetWork().GetSigns()
	if o.quiet += o.countedStep(now); !asked || signs != o.signs {
		o.quiet = 0
	}
	o.last, o.signs = now, signs
	return o.quiet
}

// countedStep is the time since the heartbeat before, as far as it counts.
func (o *stallDetector) countedStep(now time.Time) time.Duration {
	return min(now.Sub(o.last), 2*o.interval)
}

// tooLong reports whether the plugin counts as hung.
func (o *stallDetector) tooLong() bool { return o.limit > 0 && o.quiet > o.limit }

// idleProcesses is what a user should know of processes that answer nothing and do nothing, each once.
func (o *stallDetector) idleProcesses(all []*pluginpb.Pending) []string {
	var notes []string
	for _, p := range all {
		if p.UsedNs == nil || time.Duration(p.GetNs()) < idleAfter || p.GetUsedNs() > p.GetNs()/idleShare ||
			o.noted[p.GetPid()] || len(o.noted) == maxNotedProcesses {
			continue
		}
		o.noted[p.GetPid()] = true
		notes = append(notes, fmt.Sprintf("waiting for %s: it may be deadlocked, or wait for a device", describePending(p)))
	}
	return notes
}

// describePending says what is waited for, and what is known of the process that has to give it.
func describePending(p *pluginpb.Pending) string {
	var b strings.Builder
	b.WriteString(shortenText(p.GetWhat()))
	if p.GetMore() > 0 {
		fmt.Fprintf(&b, " and %d more", p.GetMore())
	}
	fmt.Fprintf(&b, " (for %v", time.Duration(p.GetNs()).Round(100*time.Millisecond))
	if p.GetPid() != 0 {
		fmt.Fprintf(&b, "; process %d", p.GetPid())
		if p.UsedNs != nil {
			fmt.Fprintf(&b, ", which has used %s since", processorTime(time.Duration(p.GetUsedNs()), time.Duration(p.GetNs())))
		}
	}
	return b.String() + ")"
}

// processorTime words how much of a time a process computed.
func processorTime(used, of time.Duration) string {
	if used <= of/idleShare {
		return "no processor time"
	}
	return fmt.Sprintf("%v of processor time", used.Round(100*time.Millisecond))
}

// watchAnswers looks, at each heartbeat, whether what was asked for gets on.
func (l *pluginLink) watchAnswers(h *pluginpb.Heartbeat) {
	if h == nil {
		return
	}
	now := time.Now()
	step := l.overdue.countedStep(now)
	if quiet := l.overdue.lost.checkHeartbeat(h, &l.plugin.unary, step); l.tooLong(quiet) {
		l.plugin.failWith(KindHung, nil, fmt.Sprintf("the call %q is lost: the plugin does not have it in hand, and has not "+
			"answered it for %v (limit %v), though its heartbeats come", *l.plugin.unary.name.Load(),
			quiet.Round(100*time.Millisecond), l.plugin.options.HeartbeatTimeout),
			"start it again; if it happens again, report it to the plugin's author")
		return
	}
	quiet := l.overdue.checkHeartbeat(h, l.given+l.plugin.calls.ended.Load(), l.expectsAnswer(), now)
	for _, note := range l.overdue.idleProcesses(h.GetWork().GetPending()) {
		l.plugin.reportNote(note)
	}
	if l.overdue.tooLong() {
		l.plugin.failWith(KindHung, nil, fmt.Sprintf("it made no progress on what it was asked for in %v (limit %v), though "+
			"its heartbeats come; it waits for %s",
			quiet.Round(100*time.Millisecond), l.overdue.limit, l.outstandingText(h.GetWork().GetPending())),
			"if that may take so long, give it more time with --answer-timeout DURATION (0: no limit)")
	}
}

// expectsAnswer reports whether the plugin has to answer something, as far as the harness knows.
func (l *pluginLink) expectsAnswer() bool {
	r := l.receiver.Load()
	return l.plugin.calls.underWay() || r != nil && (*r).missing() > 0
}

// outstandingText says what is waited for: as the plugin tells it, or as the harness knows it.
func (l *pluginLink) outstandingText(pending []*pluginpb.Pending) string {
	var parts []string
	for _, p := range pending[:min(len(pending), maxNotedProcesses)] {
		parts = append(parts, describePending(p))
	}
	if more := len(pending) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	if name := l.plugin.calls.name.Load(); name != nil && l.plugin.calls.underWay() {
		parts = append(parts, fmt.Sprintf("the end of the call %q", *name))
	}
	if r := l.receiver.Load(); r != nil && (*r).missing() > 0 {
		parts = append(parts, fmt.Sprintf("answers to %d samples", (*r).missing()))
	}
	return strings.Join(parts, ", ") + fmt.Sprintf("; the plugin is process %d", l.plugin.PID())
}

// callCounter counts calls.
type callCounter struct {
	begun, ended atomic.Uint64
	name         atomic.Pointer[string] // of the last one
}

func (c *callCounter) underWay() bool { return c.begun.Load() != c.ended.Load() }

// beginCall counts a call until end is called.
func (c *callCounter) beginCall(name string) (end func()) {
	c.name.Store(&name)
	c.begun.Add(1)
	return func() { c.ended.Add(1) }
}

// reportNote tells the user what does not end the run, and the log of what the plugin prints.
func (p *Plugin) reportNote(text string) {
	text = p.options.hideSecrets(text)
	p.output.passOn("plumbline: " + text + "\n")
	if p.options.Note != nil {
		p.options.Note(fmt.Sprintf("plugin %s: %s", p.name, text))
	}
}
