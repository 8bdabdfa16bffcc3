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
	e.boundWarmUp()
	if !e.plan.Start.IsZero() {
		at = int64(e.plan.Start.Sub(e.clock.Wall()))
	}
	for i, start := range e.plan.Load.UserStarts() {
		if !e.plan.Share.Has(i) {
			continue
		}
		start += at
		group.Go(func() { (&closedLoopUser{engine: e, number: i, up: make(chan struct{}, 1)}).askUntilDone(start) })
	}
	group.Wait()
	e.stop(ByRequests)
}

// closedLoopUser is one user.
type closedLoopUser struct {
	*engine
	number   int
	up       chan struct{}
	measured bool // the user has sent a measured request
}

// askUntilDone sends requests until there are no more to send.
func (u *closedLoopUser) askUntilDone(due int64) {
	share, warm := u.plan.Share, u.plan.Share.Count(len(u.warm.items))
	for u.keeper.waitUntil(u.sending, due, u.up) {
		place := int(u.taken.Add(1)) - 1
		if place < warm {
			if u.warming.Err() != nil { // the warm-up has ended
				continue
			}
			due = u.sendItem(&u.warm.items[share.Place(place)], due, nil, true).End + int64(u.plan.Load.Think)
			continue
		}
		if u.durationElapsed(due) {
			u.timeIsUp()
			break
		}
		of, ok := u.reserveUnit(share.Place(place - warm))
		if !ok {
			u.dealtOut()
			break
		}
		u.addPending(of)
		if n := share.Count(u.plan.Load.Requests); n > 0 && u.owed.Load() >= int64(n) {
			u.dealtOut()
		}
		due = u.askTurns(of, due)
	}
	u.noMore()
}

// askTurns sends all turns of a unit until one fails. It returns the due time of the user's next request.
func (u *closedLoopUser) askTurns(of workUnit, due int64) int64 {
	told := u.work.newHistory(of)
	left := of.to - of.from
	defer func() { u.donePending(left) }() // the turns that will not be sent
	for k := of.from; k < of.to; k++ {
		it := &u.work.items[k]
		if k > of.from {
			if due += int64(it.thinkTime(u.plan.Load)); !u.keeper.waitUntil(u.sending, due, u.up) || u.durationElapsed(due) {
				return due
			}
		}
		u.markBegin(due)
		u.sent.Add(1)
		left--
		u.donePending(1)
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
		u.noteFirstMeasured(r)
	}
	return r
}

// noteFirstMeasured records that a user has sent its first measured request.
func (u *closedLoopUser) noteFirstMeasured(r *metrics.Request) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.started++
	u.from = max(u.from, r.Sent)
}

// noMore records that a user has found no more requests to send.
func (u *closedLoopUser) noMore() {
	now := u.clock.Now()
	u.mu.Lock()
	defer u.mu.Unlock()
	u.to = min(u.to, now)
}
