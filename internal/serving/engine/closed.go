package engine

import (
	"sync"

	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// runUsers runs all users. Each user sends its next request when the previous answer has arrived and its think time has
// passed. Each user goes from warm-up to measurement without waiting for the others.
func (e *engine) runUsers() {
	var group sync.WaitGroup
	var at int64
	e.limitWarmUp()
	if !e.plan.Start.IsZero() {
		at = int64(e.plan.Start.Sub(e.clock.Wall()))
	}
	for i, start := range e.plan.Load.UserStarts() {
		if !e.plan.Share.Has(i) {
			continue
		}
		start += at
		group.Go(func() { (&closedLoopUser{engine: e, number: i, wake: make(chan struct{}, 1)}).askUntilDone(start) })
	}
	group.Wait()
	e.stopSending(ByRequests)
}

// closedLoopUser is one user.
type closedLoopUser struct {
	*engine
	number   int
	wake     chan struct{}
	measured bool // the user has sent a measured request
}

// askUntilDone sends requests until there are no more to send.
func (u *closedLoopUser) askUntilDone(due int64) {
	share, warm := u.plan.Share, u.plan.Share.Count(len(u.warmUpWork.items))
	for u.keeper.waitUntil(u.sending, due, u.wake) {
		place := int(u.takenUnits.Add(1)) - 1
		if place < warm {
			if u.warming.Err() != nil { // the warm-up has ended
				continue
			}
			due = u.sendItem(&u.warmUpWork.items[share.NumberAt(place)], due, nil, true).End + int64(u.plan.Load.Think)
			continue
		}
		if u.durationElapsed(due) {
			u.startGracePeriod()
			break
		}
		of, ok := u.reserveUnit(share.NumberAt(place - warm))
		if !ok {
			u.markAllDealt()
			break
		}
		u.addUnsent(of)
		if n := share.Count(u.plan.Load.Requests); n > 0 && u.reservedTurns.Load() >= int64(n) {
			u.markAllDealt()
		}
		due = u.askTurns(of, due)
	}
	u.markFinished()
}

// askTurns sends all turns of a unit until one fails. It returns the due time of the user's next request.
func (u *closedLoopUser) askTurns(of workUnit, due int64) int64 {
	told := u.work.newHistory(of)
	left := of.to - of.from
	defer func() { u.subtractUnsent(left) }() // the turns that will not be sent
	for k := of.from; k < of.to; k++ {
		it := &u.work.items[k]
		if k > of.from {
			if due += int64(it.thinkTime(u.plan.Load)); !u.keeper.waitUntil(u.sending, due, u.wake) || u.durationElapsed(due) {
				return due
			}
		}
		u.markStart(due)
		u.sentRequests.Add(1)
		left--
		u.subtractUnsent(1)
		r := u.sendItem(it, due, told, false)
		if due = r.End; r.Status != metrics.OK {
			break
		}
	}
	return due + int64(u.plan.Load.Think)
}

// sendItem sends one request.
func (u *closedLoopUser) sendItem(it *workItem, due int64, told *prompts.ChatHistory, warm bool) *metrics.Request {
	r := u.slots.newRecord()
	r.Due, r.User = due, u.number
	u.engine.askItem(it, r, told, nil, warm)
	if !warm && !u.measured {
		u.measured = true
		u.markStarted(r)
	}
	return r
}

// markStarted records that a user has sent its first measured request.
func (u *closedLoopUser) markStarted(r *metrics.Request) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.startedUsers++
	u.steadyFrom = max(u.steadyFrom, r.Sent)
}

// markFinished records that a user has found no more requests to send.
func (u *closedLoopUser) markFinished() {
	now := u.clock.Now()
	u.mu.Lock()
	defer u.mu.Unlock()
	u.steadyTo = min(u.steadyTo, now)
}
