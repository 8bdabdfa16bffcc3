package host

import (
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
)

// beat returns a heartbeat with signs and overdue work.
func beat(signs uint64, pending ...*pluginpb.Pending) *pluginpb.Heartbeat {
	return &pluginpb.Heartbeat{Work: &pluginpb.Work{Signs: signs, Pending: pending}}
}

func TestOverdue(t *testing.T) {
	something := &pluginpb.Pending{What: "an answer"}
	for name, c := range map[string]struct {
		beats []*pluginpb.Heartbeat
		given []uint64 // answers so far, at each of them
		asked bool
		hung  bool
	}{
		"nothing gets on": {[]*pluginpb.Heartbeat{beat(1, something), beat(1, something), beat(1, something),
			beat(1, something)}, []uint64{0, 0, 0, 0}, true, true},
		"a token now and then": {[]*pluginpb.Heartbeat{beat(1, something), beat(1, something), beat(2, something),
			beat(2, something)}, []uint64{0, 0, 0, 0}, true, false},
		"an answer now and then": {[]*pluginpb.Heartbeat{beat(1, something), beat(1, something), beat(1, something),
			beat(1, something)}, []uint64{0, 0, 1, 1}, true, false},
		"work of the plugin's own": {[]*pluginpb.Heartbeat{beat(1), beat(1), beat(1), beat(1)}, []uint64{0, 0, 0, 0},
			true, false},
		"a plugin that does not say":      {[]*pluginpb.Heartbeat{{}, {}, {}, {}}, []uint64{0, 0, 0, 0}, true, true},
		"one that does not say, and idle": {[]*pluginpb.Heartbeat{{}, {}, {}, {}}, []uint64{0, 0, 0, 0}, false, false},
		"one that does not say, answers":  {[]*pluginpb.Heartbeat{{}, {}, {}, {}}, []uint64{0, 1, 2, 3}, true, false},
	} {
		now := time.Now()
		o := stallDetector{limit: 2500 * time.Millisecond, interval: time.Second, last: now}
		for i, h := range c.beats {
			now = now.Add(time.Second)
			o.checkHeartbeat(h, c.given[i], c.asked, now)
		}
		if o.isHung() != c.hung {
			t.Errorf("%s: too long is %v after %v", name, o.isHung(), o.quiet)
		}
	}
}

// A call that the harness waits for and the plugin does not process is lost, with or without an answer timeout.
func TestLostCalls(t *testing.T) {
	none, one := uint32(0), uint32(1)
	has := func(calls *uint32) *pluginpb.Heartbeat {
		return &pluginpb.Heartbeat{Work: &pluginpb.Work{Calls: calls}}
	}
	for name, c := range map[string]struct {
		beats []*pluginpb.Heartbeat
		waits bool
		calls bool // other calls begin and end between the heartbeats
		want  time.Duration
	}{
		"lost":                    {[]*pluginpb.Heartbeat{has(&none), has(&none), has(&none)}, true, false, 2 * time.Second},
		"in hand":                 {[]*pluginpb.Heartbeat{has(&one), has(&one), has(&one)}, true, false, 0},
		"in hand again":           {[]*pluginpb.Heartbeat{has(&none), has(&none), has(&one)}, true, false, 0},
		"on its way":              {[]*pluginpb.Heartbeat{has(&one), has(&one), has(&none)}, true, false, time.Second},
		"none is asked":           {[]*pluginpb.Heartbeat{has(&none), has(&none), has(&none)}, false, false, 0},
		"short ones":              {[]*pluginpb.Heartbeat{has(&none), has(&none), has(&none)}, true, true, 0},
		"an older plugin":         {[]*pluginpb.Heartbeat{has(nil), has(nil), has(nil)}, true, false, 0},
		"one that does not say":   {[]*pluginpb.Heartbeat{{}, {}, {}}, true, false, 0},
		"another language's none": {[]*pluginpb.Heartbeat{nil, nil, nil}, true, false, 0},
	} {
		var l lostCallDetector
		var made callCounter
		if c.waits {
			made.beginCall("load samples")
		}
		var quiet time.Duration
		for _, h := range c.beats {
			if c.calls {
				made.beginCall("describe")()
			}
			quiet = l.checkHeartbeat(h, &made, time.Second)
		}
		if quiet != c.want {
			t.Errorf("%s: lost for %v, want %v", name, quiet, c.want)
		}
	}
}

// The suspension of a machine does not count against the plugin. Without a limit, the plugin never counts as hung.
func TestOverdueCountsHeartbeats(t *testing.T) {
	now := time.Now()
	o := stallDetector{limit: 10 * time.Second, interval: time.Second, last: now}
	something := &pluginpb.Pending{What: "an answer"}
	o.checkHeartbeat(beat(1, something), 0, false, now)
	if quiet := o.checkHeartbeat(beat(1, something), 0, false, now.Add(time.Hour)); quiet != 2*time.Second || o.isHung() {
		t.Errorf("%v after an hour's sleep, want two heartbeats", quiet)
	}
	o.limit, o.quiet = 0, time.Hour
	if o.isHung() {
		t.Error("it is too long without a limit")
	}
}

func TestIdleProcessesAreNoted(t *testing.T) {
	process := func(pid int64, waited, used time.Duration) *pluginpb.Pending {
		ns := int64(used)
		return &pluginpb.Pending{What: "an answer", Ns: int64(waited), Pid: pid, UsedNs: &ns}
	}
	o := stallDetector{notedProcesses: map[int64]bool{}}
	notes := o.idleProcesses([]*pluginpb.Pending{
		process(1, 59*time.Second, 0), process(2, time.Minute, time.Second), {What: "an answer", Ns: int64(time.Hour),
			Pid: 3},
		process(4, time.Minute, 100*time.Millisecond),
	})
	if len(notes) != 1 || !strings.Contains(notes[0], "an answer (for 1m0s; process 4, which has used no processor time "+
		"since)") {
		t.Errorf("%q, want process 4 alone", notes)
	}
	if again := o.idleProcesses([]*pluginpb.Pending{process(4, time.Hour, 0)}); len(again) > 0 {
		t.Errorf("%q, though it was said", again)
	}
}
