package host

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
)

// A note is written about a process that has not answered a request for idleAfter and has used less than 1/idleShare of
// a processor's time in this period.
const (
	idleAfter = time.Minute
	idleShare = 100
)

// maxNotedProcesses is the maximum number of processes in notes to the user.
const maxNotedProcesses = 16

// stallDetector detects a plugin that sends heartbeats but makes no progress. Only the receiving goroutine uses it.
//
// It measures time in heartbeats. If the machine or the plugin was suspended, this period counts as two heartbeats or
// less.
type stallDetector struct {
	limit          time.Duration // 0: no limit
	interval       time.Duration // of heartbeats
	last           time.Time     // time of the previous heartbeat
	signs          uint64
	quiet          time.Duration
	notedProcesses map[int64]bool // processes about which the user was informed
	lost           lostCallDetector
}

// lostCallDetector detects a call that the harness waits for but the plugin does not process. Such a call would never
// end.
type lostCallDetector struct {
	begun, ended uint64 // numbers of calls at the previous heartbeat
	quiet        time.Duration
}

// checkHeartbeat processes a heartbeat that came step after the previous one. It returns how long a call has been lost.
func (l *lostCallDetector) checkHeartbeat(h *pluginpb.Heartbeat, c *callCounter, step time.Duration) time.Duration {
	begun, ended := c.begun.Load(), c.ended.Load()
	waits := begun != ended && begun == l.begun && ended == l.ended
	l.begun, l.ended = begun, ended
	if l.quiet += step; !waits || h.GetWork() == nil || h.GetWork().Calls == nil || h.GetWork().GetCalls() > 0 {
		l.quiet = 0
	}
	return l.quiet
}

// checkHeartbeat processes a heartbeat and returns how long there was no progress although a request is pending. given
// counts the plugin's other messages. asked reports a pending request if the plugin itself does not report it.
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

// countedStep returns the time since the previous heartbeat, limited to two intervals.
func (o *stallDetector) countedStep(now time.Time) time.Duration {
	return min(now.Sub(o.last), 2*o.interval)
}

// isHung reports whether the plugin counts as hung.
func (o *stallDetector) isHung() bool { return o.limit > 0 && o.quiet > o.limit }

// idleProcesses returns notes for the user about processes that neither answer nor compute, each once.
func (o *stallDetector) idleProcesses(all []*pluginpb.Pending) []string {
	var notes []string
	for _, p := range all {
		if p.UsedNs == nil || time.Duration(p.GetNs()) < idleAfter || p.GetUsedNs() > p.GetNs()/idleShare ||
			o.notedProcesses[p.GetPid()] || len(o.notedProcesses) == maxNotedProcesses {
			continue
		}
		o.notedProcesses[p.GetPid()] = true
		notes = append(notes, fmt.Sprintf("waiting for %s: it may be deadlocked, or wait for a device", describePending(p)))
	}
	return notes
}

// describePending describes a pending wait and the process that has to end it.
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

// processorTime describes the share of a time in which a process computed.
func processorTime(used, of time.Duration) string {
	if used <= of/idleShare {
		return "no processor time"
	}
	return fmt.Sprintf("%v of processor time", used.Round(100*time.Millisecond))
}

// watchAnswers checks at each heartbeat whether pending requests make progress.
func (l *pluginLink) watchAnswers(h *pluginpb.Heartbeat) {
	if h == nil {
		return
	}
	now := time.Now()
	step := l.stalls.countedStep(now)
	if quiet := l.stalls.lost.checkHeartbeat(h, &l.plugin.unary, step); l.isTooLong(quiet) {
		l.plugin.failWith(KindHung, nil, fmt.Sprintf("the call %q is lost: the plugin does not have it in hand, and has not "+
			"answered it for %v (limit %v), though its heartbeats come", *l.plugin.unary.name.Load(),
			quiet.Round(100*time.Millisecond), l.plugin.options.HeartbeatTimeout),
			"start it again; if it happens again, report it to the plugin's author")
		return
	}
	quiet := l.stalls.checkHeartbeat(h, l.received+l.plugin.calls.ended.Load(), l.expectsAnswer(), now)
	for _, note := range l.stalls.idleProcesses(h.GetWork().GetPending()) {
		l.plugin.reportNote(note)
	}
	if l.stalls.isHung() {
		l.plugin.failWith(KindHung, nil, fmt.Sprintf("it made no progress on what it was asked for in %v (limit %v), though "+
			"its heartbeats come; it waits for %s",
			quiet.Round(100*time.Millisecond), l.stalls.limit, l.outstandingText(h.GetWork().GetPending())),
			"if that may take so long, give it more time with --answer-timeout DURATION (0: no limit)")
	}
}

// expectsAnswer reports whether the harness knows of a pending request to the plugin.
func (l *pluginLink) expectsAnswer() bool {
	r := l.receiver.Load()
	return l.plugin.calls.isPending() || r != nil && (*r).missing() > 0
}

// outstandingText describes the pending requests as reported by the plugin or, without a report, as known to the
// harness.
func (l *pluginLink) outstandingText(pending []*pluginpb.Pending) string {
	var parts []string
	for _, p := range pending[:min(len(pending), maxNotedProcesses)] {
		parts = append(parts, describePending(p))
	}
	if more := len(pending) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	if name := l.plugin.calls.name.Load(); name != nil && l.plugin.calls.isPending() {
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
	name         atomic.Pointer[string] // name of the last call
}

func (c *callCounter) isPending() bool { return c.begun.Load() != c.ended.Load() }

// beginCall counts a call as pending until end is called.
func (c *callCounter) beginCall(name string) (end func()) {
	c.name.Store(&name)
	c.begun.Add(1)
	return func() { c.ended.Add(1) }
}

// reportNote writes a note for the user and for the log of the plugin's output. The note does not end the run.
func (p *Plugin) reportNote(text string) {
	text = p.options.hideSecrets(text)
	p.output.forwardText("plumbline: " + text + "\n")
	if p.options.Note != nil {
		p.options.Note(fmt.Sprintf("plugin %s: %s", p.name, text))
	}
}
