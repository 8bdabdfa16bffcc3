package engine

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/pace"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// scheduleLead is the delay from the start to a schedule's first due time, for its first request to be on time.
const scheduleLead = 2 * time.Millisecond

// runOpenLoop sends requests at the times of a schedule, independent of the answers.
func (e *engine) runOpenLoop(s arrival.Schedule) error {
	e.warmUp()
	var group sync.WaitGroup
	defer group.Wait()
	sleeper := pace.NewSleeper(e.sending, e.clock, false)
	defer sleeper.Close()
	ended := e.scheduleEnd(s)
	at := e.clock.Now() + int64(scheduleLead)
	if !e.plan.Start.IsZero() {
		at = int64(e.plan.Start.Sub(e.clock.Wall()))
		if err := e.checkStart(e.clock.Wall().Add(time.Duration(e.clock.Now()))); err != nil && e.sending.Err() == nil {
			return err
		}
		sleeper.Until(at)
	}
	e.markStart(at)
	o := &openLoop{engine: e, schedule: s, start: e.measureStart.Load()}
	if n := e.plan.Share.Count(e.plan.Load.Users); n > 0 {
		o.inFlight = make(chan struct{}, n)
	}
	for i, due := range s.Due {
		if !e.plan.Share.Has(i) {
			continue
		}
		sleeper.Until(o.start + due)
		if e.sending.Err() != nil || !o.acquireSlot() {
			o.recordUnsent(i)
			return nil
		}
		if e.plan.Load.Sessions {
			if _, ok := e.reserveUnit(i); !ok {
				o.releaseSlot()
				break
			}
		}
		u := o.unitAt(i)
		e.addUnsent(u)
		group.Go(func() { o.sendUnit(i, u) })
	}
	e.markAllDealt()
	e.stopSending(ended)
	return nil
}

// scheduleEnd returns the reason that will end a schedule. It sets e.length if that is a duration.
func (e *engine) scheduleEnd(s arrival.Schedule) StopReason {
	p := e.plan.Load
	e.scheduleDuration = math.MaxInt64
	if p.Requests > 0 && len(s.Due) >= p.Requests || p.Kind != arrival.Rate && p.Duration == 0 {
		return ByRequests
	}
	switch {
	case p.Duration > 0:
		e.scheduleDuration = p.Duration
	case len(s.Due) > 0:
		e.scheduleDuration = max(arrival.DefaultDuration, time.Duration(s.Due[len(s.Due)-1]))
	}
	if p.Stages != nil {
		if e.scheduleDuration = p.StagesLast(); p.Duration > 0 {
			e.scheduleDuration = min(e.scheduleDuration, p.Duration)
		}
	}
	return ByDuration
}

// warmUp sends all warm-up requests and waits for them.
func (e *engine) warmUp() {
	e.limitWarmUp()
	var group sync.WaitGroup
	for i := range e.warmUpWork.items {
		if !e.plan.Share.Has(i) {
			continue
		}
		group.Go(func() {
			r := e.slots.newRecord()
			r.Due = e.clock.Now()
			e.askItem(&e.warmUpWork.items[i], r, nil, nil, true)
		})
	}
	group.Wait()
}

// openLoop is a running schedule.
type openLoop struct {
	*engine
	schedule arrival.Schedule
	start    int64
	inFlight chan struct{} // nil: no cap on the requests in flight
}

// acquireSlot waits for room below the cap on requests in flight. It returns false if sending ended before.
func (o *openLoop) acquireSlot() bool {
	if o.inFlight == nil {
		return true
	}
	select {
	case o.inFlight <- struct{}{}:
		return true
	case <-o.sending.Done():
		return false
	}
}

func (o *openLoop) releaseSlot() {
	if o.inFlight != nil {
		<-o.inFlight
	}
}

// unitAt returns the unit at a place of the schedule.
func (o *openLoop) unitAt(i int) workUnit {
	if o.schedule.Rows != nil {
		return o.work.units[o.schedule.Rows[i]]
	}
	return o.work.unitAt(i)
}

// sendUnit sends the unit at place i of the schedule. Its first turn is due by the schedule. Each later turn is due
// when the previous answer has ended and the think time has passed. The caller has reserved the room of the first turn
// below the cap.
func (o *openLoop) sendUnit(i int, u workUnit) {
	due := o.start + o.schedule.Due[i]
	left := u.to - u.from
	defer func() { o.subtractUnsent(left) }() // the turns that will not be sent
	var up chan struct{}
	told := o.work.newHistory(u)
	for k := u.from; k < u.to; k++ {
		it := &o.work.items[k]
		if k > u.from {
			if up == nil {
				up = make(chan struct{}, 1)
			}
			due += int64(it.thinkTime(o.plan.Load))
			if o.durationElapsed(due) || !o.keeper.waitUntil(o.asking, due, up) || !o.acquireSlot() {
				return
			}
		}
		r := o.slots.newRecord()
		r.Due = due
		o.sentRequests.Add(1)
		left--
		o.subtractUnsent(1)
		o.askItem(it, r, told, nil, o.schedule.Due[i] < o.schedule.Steady)
		o.releaseSlot()
		if due = r.End; r.Status != metrics.OK {
			return // the session ends here
		}
	}
}

// thinkTime returns the think time of the user before an item.
func (it *workItem) thinkTime(p arrival.Pattern) time.Duration {
	if it.think > 0 && it.turn > 0 {
		return it.think
	}
	return p.Think
}

// recordUnsent records the requests, from a place on, that were due and not sent when the grace period ended.
func (o *openLoop) recordUnsent(from int) {
	if !errors.Is(context.Cause(o.asking), errGraceOver) {
		return
	}
	now := o.clock.Now()
	for i := from; i < len(o.schedule.Due); i++ {
		if !o.plan.Share.Has(i) {
			continue
		}
		it := &o.work.items[o.unitAt(i).from]
		r := o.slots.newRecord()
		*r = metrics.Request{
			Row: it.row, Session: it.session, Due: o.start + o.schedule.Due[i], Sent: now, End: now,
			Status: metrics.Unfinished, Fault: "not sent: so many requests were under way until the grace period ended",
			WarmUp: o.schedule.Due[i] < o.schedule.Steady, Usage: metrics.NoUsage(), Retokenized: metrics.Unknown,
			AskedIn: it.inputTokens, AskedOut: it.outputTokens,
		}
		if !r.WarmUp {
			o.progress.ended.Add(1)
			o.progress.failed.Add(1)
		}
	}
}
