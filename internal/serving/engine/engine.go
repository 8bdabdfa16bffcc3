package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/pace"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// StopReason states why the sending of a point's requests ended.
type StopReason string

// The reasons for the end of a point.
const (
	ByRequests StopReason = "requests" // all planned requests were sent
	ByDuration StopReason = "duration"
	// more failures than Plan.MaxErrors, including unfinished requests, or no good answer
	ByErrors StopReason = "errors"
	ByCaller StopReason = "interrupt" // the caller's context ended
)

func (e StopReason) Error() string { return string(e) }

// errGrace cancels requests that are in flight at the end of the grace period.
var errGrace = errors.New("the grace period is over")

// engine runs one plan.
type engine struct {
	asker    Asker
	plan     PointPlan
	work     *sendableWork
	warm     *sendableWork
	slots    recordSlots
	clock    *pace.Clock
	keeper   *timekeeper
	progress *PointProgress

	sending context.Context // ends when sending ends; its cause is a StopReason
	stop    context.CancelCauseFunc
	asking  context.Context // ends the requests in flight
	cancel  context.CancelCauseFunc
	warming context.Context // ends the warm-up requests; a child of asking
	cool    context.CancelCauseFunc

	zero   atomic.Int64 // start of the measurement; unset before
	begun  sync.Once
	client processMeter
	graced sync.Once
	length time.Duration // duration of a schedule that ends by time

	dealt  atomic.Bool  // all units to send have been handed to the senders
	unsent atomic.Int64 // turns handed to the senders and not sent yet

	taken atomic.Int64 // units taken from the work
	sent  atomic.Int64 // measured requests
	owed  atomic.Int64 // turns of all units that have begun

	mu       sync.Mutex
	timers   []*time.Timer
	from, to int64 // steady window of users
	started  int   // users that have sent a measured request
	retries  atomic.Int64
}

const unset = math.MinInt64

// Measure sends the plan's requests once and returns the records of all. If ctx ends, Measure stops sending, cancels
// the requests in flight, and returns the point with the requests so far and no error. An error means that nothing was
// measured. It wraps ErrLate if the plan's start had passed before the preparation was complete.
func Measure(ctx context.Context, asker Asker, plan PointPlan) (*MeasuredPoint, error) {
	e, err := newEngine(asker, plan)
	if err != nil {
		return nil, err
	}
	var s arrival.Schedule
	if plan.Load.Kind != arrival.Users {
		if s, err = e.makeSchedule(); err != nil {
			return nil, err
		}
	}
	if err := e.writeRequests(s); err != nil {
		return nil, err
	}
	if err := e.errIfStartPassed(time.Now()); err != nil {
		return nil, err
	}
	return e.sendAll(ctx, s)
}

// ErrLate reports that the plan's start had passed before its requests were encoded, or before the warm-up requests
// were answered.
var ErrLate = errors.New("the start has passed")

// errIfStartPassed returns ErrLate if the plan's start has passed.
func (e *engine) errIfStartPassed(now time.Time) error {
	if by := now.Sub(e.plan.Start); !e.plan.Start.IsZero() && by > 0 {
		return fmt.Errorf("%w: all was ready %v after it", ErrLate, by.Round(time.Millisecond))
	}
	return nil
}

// newEngine checks the plan and makes an engine for it. It does not encode the requests yet.
func newEngine(asker Asker, plan PointPlan) (*engine, error) {
	if err := plan.checkPlan(); err != nil {
		return nil, err
	}
	e := &engine{asker: asker, plan: plan, progress: plan.Progress, from: unset, to: math.MaxInt64}
	if e.progress == nil {
		e.progress = new(PointProgress)
	}
	e.zero.Store(unset)
	e.work = planWork(plan.Asks, plan.Load.Sessions || plan.Load.Kind == arrival.Replay, plan.Load.Seed)
	e.warm = planWork(plan.WarmUp, false, 0)
	return e, nil
}

// writeRequests encodes the requests that this client will send.
func (e *engine) writeRequests(s arrival.Schedule) error {
	var warm []bool
	share := e.plan.Share
	if share.Of > 1 {
		warm = make([]bool, len(e.warm.units))
		for i := range warm {
			warm[i] = share.Has(i)
		}
	}
	if e.plan.Lazy {
		return e.warm.writeUnits(e.asker, e.plan.WarmUp, warm)
	}
	return errors.Join(e.work.writeUnits(e.asker, e.plan.Asks, e.shareMask(s)), e.warm.writeUnits(e.asker, e.plan.WarmUp,
		warm))
}

// shareMask marks the units that this client's share sends. It returns nil if the share sends all units or if they are
// unknown: users without a number of requests can reach every unit after the first round.
func (e *engine) shareMask(s arrival.Schedule) []bool {
	share, p := e.plan.Share, e.plan.Load
	if share.Of <= 1 || p.Kind == arrival.Users && p.Requests == 0 {
		return nil
	}
	own := make([]bool, len(e.work.units))
	if p.Kind == arrival.Users {
		for k := range share.Count(p.Requests) {
			own[e.work.unitIndex(share.Place(k))] = true
		}
		return own
	}
	for i := range s.Due {
		switch {
		case !share.Has(i):
		case s.Rows != nil:
			own[s.Rows[i]] = true
		default:
			own[e.work.unitIndex(i)] = true
		}
	}
	return own
}

// makeSchedule returns the due times of the units.
func (e *engine) makeSchedule() (arrival.Schedule, error) {
	var stamps []time.Duration
	if e.plan.Load.Kind == arrival.Replay {
		for _, u := range e.work.units {
			it := &e.work.items[u.from]
			if !it.hasDue {
				return arrival.Schedule{}, fmt.Errorf("row %d of the data has no time: a replay wants one of each", it.row+1)
			}
			stamps = append(stamps, it.due)
		}
	}
	return e.plan.Load.MakeSchedule(len(e.work.units), stamps)
}

// sendAll runs the plan and returns the measured point.
func (e *engine) sendAll(ctx context.Context, s arrival.Schedule) (p *MeasuredPoint, err error) {
	defer e.startClock(ctx)()
	e.slots.size = len(e.warm.items) + e.expectedRequests(s)
	e.keeper = &timekeeper{clock: e.clock, wake: make(chan struct{}, 1)}
	keeping, enough := context.WithCancel(context.WithoutCancel(ctx))
	var kept sync.WaitGroup
	kept.Go(func() { e.keeper.wakeAll(keeping) })
	if e.plan.Load.Kind == arrival.Users {
		e.runUsers()
	} else {
		err = e.runOpenLoop(s)
	}
	enough()
	kept.Wait()
	e.stopTimers()
	if err != nil {
		return nil, err
	}
	p = e.makePoint(s.Notes)
	if e.plan.Load.Kind == arrival.Users {
		e.setSteadyWindow(p)
	}
	p.Client = e.client.clientUsage(p)
	p.Client.Retries = e.retries.Load()
	return p, nil
}

// startClock starts the clock and links the engine's contexts to ctx. The returned function releases them.
func (e *engine) startClock(ctx context.Context) (end func()) {
	caller := context.WithoutCancel(ctx)
	e.sending, e.stop = context.WithCancelCause(caller)
	e.asking, e.cancel = context.WithCancelCause(caller)
	e.warming, e.cool = context.WithCancelCause(e.asking)
	unlink := context.AfterFunc(ctx, func() { e.abortPoint(ByCaller) })
	e.clock = pace.Start(ctx)
	return func() {
		unlink()
		e.cool(nil)
		e.cancel(nil)
		e.stop(nil)
	}
}

// expectedRequests returns the expected number of requests, or minBlock if it is unknown.
func (e *engine) expectedRequests(s arrival.Schedule) int {
	switch p := e.plan.Load; {
	case p.Kind != arrival.Users:
		return len(s.Due)
	case p.Requests > 0:
		return p.Requests
	}
	return minBlock
}

// abortPoint stops sending and cancels all requests in flight.
func (e *engine) abortPoint(why StopReason) {
	e.stop(why)
	e.cancel(why)
}

// markBegin sets the start of the measurement. Only its first call has an effect.
func (e *engine) markBegin(at int64) {
	e.begun.Do(func() {
		e.zero.Store(at)
		e.client.startMeter()
		for _, d := range e.endTimes() {
			e.runLater(d-time.Duration(e.clock.Now()-at), func() {
				if e.durationElapsed(at + int64(d)) {
					e.timeIsUp()
				}
			})
		}
	})
}

// endTimes returns the times at which a duration can end the sending.
func (e *engine) endTimes() []time.Duration {
	switch p := e.plan.Load; {
	case p.Kind != arrival.Users && e.length == math.MaxInt64:
		return nil
	case p.Kind != arrival.Users:
		return []time.Duration{e.length}
	case p.Duration > 0:
		return []time.Duration{p.Duration}
	case p.Requests > 0 || e.plan.More != nil:
		return nil
	}
	return []time.Duration{arrival.DefaultDuration, arrival.MostDuration}
}

// warmUpLasts returns the maximum duration of the warm-up of a point that ends by duration. After it, the measurement
// begins even if the server has not answered the warm-up requests. It returns 0 for a point that ends by a number of
// requests.
func (e *engine) warmUpLasts() time.Duration {
	p := e.plan.Load
	switch {
	case p.Duration > 0:
		return p.Duration + e.plan.Grace
	case p.Stages != nil:
		return p.StagesLast() + e.plan.Grace
	case p.Requests > 0 || e.plan.More != nil || p.Kind == arrival.Maximum || p.Kind == arrival.Replay:
		return 0
	}
	return arrival.DefaultDuration + e.plan.Grace
}

// boundWarmUp starts the timer that ends the warm-up.
func (e *engine) boundWarmUp() {
	if d := e.warmUpLasts(); d > 0 && len(e.warm.items) > 0 {
		e.runLater(d, func() { e.cool(errGrace) })
	}
}

// durationElapsed reports whether a duration has ended the sending at a time.
func (e *engine) durationElapsed(at int64) bool {
	passed := time.Duration(at - e.zero.Load())
	switch p := e.plan.Load; {
	case e.zero.Load() == unset:
		return false
	case p.Kind != arrival.Users:
		return passed >= e.length
	case p.Duration > 0:
		return passed >= p.Duration
	case p.Requests > 0 || e.plan.More != nil:
		return false
	}
	return passed >= arrival.MostDuration || passed >= arrival.DefaultDuration &&
		e.sent.Load() >= int64(e.plan.Share.Count(arrival.DefaultRequests))
}

// timeIsUp starts the grace period. Users send no more requests. The remaining requests of a schedule are sent until
// the grace period ends.
func (e *engine) timeIsUp() {
	e.graced.Do(func() {
		if e.plan.Load.Kind == arrival.Users {
			e.stop(ByDuration)
		}
		e.runLater(e.plan.Grace, func() {
			e.cancel(errGrace)
			e.stop(ByDuration)
		})
	})
}

// addPending adds the turns of a unit to the number of unsent turns.
func (e *engine) addPending(u workUnit) { e.unsent.Add(int64(u.to - u.from)) }

// donePending subtracts turns that were sent, or will not be sent.
func (e *engine) donePending(turns int) {
	if e.unsent.Add(-int64(turns)) == 0 && e.dealt.Load() {
		e.allSent()
	}
}

// dealtOut records that the last unit has been handed to the senders.
func (e *engine) dealtOut() {
	if !e.dealt.Swap(true) && e.unsent.Load() == 0 {
		e.allSent()
	}
}

// allSent starts the grace period of a point that a number of requests ended, if the plan bounds such points.
func (e *engine) allSent() {
	if e.plan.BoundAll {
		e.graced.Do(func() { e.runLater(e.plan.Grace, func() { e.cancel(errGrace) }) })
	}
}

// reserveUnit reserves the turns of the unit at a place. ok is false if the reserved turns already reach the number of
// requests.
func (e *engine) reserveUnit(place int) (u workUnit, ok bool) {
	most := int64(e.plan.Share.Count(e.plan.Load.Requests))
	if e.plan.Load.Requests > 0 && e.owed.Load() >= most || e.plan.More != nil && !e.plan.More(place) {
		return u, false
	}
	u = e.work.unitAt(place)
	n := int64(u.to - u.from)
	return u, e.owed.Add(n)-n < most || e.plan.Load.Requests == 0
}

// runLater calls do after d, unless the point has ended.
func (e *engine) runLater(d time.Duration, do func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.timers = append(e.timers, time.AfterFunc(d, do))
}

// stopTimers stops the timers of runLater.
func (e *engine) stopTimers() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, t := range e.timers {
		t.Stop()
	}
}

// askItem sends an item, with retries, and records the result in r. It returns when the answer is complete or has
// failed. told contains the session so far; nil: there is no session, or its turns are encoded already. first, if not
// nil, is called at the first token.
func (e *engine) askItem(it *workItem, r *metrics.Request, told *prompts.ChatHistory, first func(), warm bool) {
	if e.plan.Lazy && !warm {
		it = e.writtenItem(it)
	}
	r.Row, r.Session, r.Turn, r.WarmUp = it.row, it.session, it.turn, warm
	r.AskedIn, r.AskedOut, r.Retokenized = it.in, it.out, metrics.Unknown
	if warm {
		e.progress.warm.Add(1)
	} else {
		e.progress.sent.Add(1)
	}
	e.progress.underWay.Add(1)
	ctx := e.asking
	if warm {
		ctx = e.warming
	}
	for try := 0; ; try++ {
		r.Events.Reset()
		r.Events.OnFirst(first)
		r.Events.Grow(int(min(max(it.out, 32), maxGrown)))
		r.Usage, r.Status, r.Fault = metrics.NoUsage(), "", ""
		e.sendOnce(ctx, it, r, told)
		if try >= e.plan.Retry || r.Status != tooMany && r.Status != busy {
			break
		}
		e.retries.Add(1)
		if !e.waitOrStop(backoff << min(try, 6)) {
			break
		}
	}
	e.progress.underWay.Add(-1)
	if r.End < r.Sent || r.End == 0 { // the request was not sent
		r.End = e.clock.Now()
	}
	if r.Status == metrics.Cancelled && errors.Is(context.Cause(ctx), errGrace) {
		r.Status = metrics.Unfinished
	}
	if !warm {
		e.countEnded(r)
	}
}

// writtenItem returns a copy of an item with its request encoded now.
func (e *engine) writtenItem(it *workItem) *workItem {
	a, now := e.plan.Asks.At(it.at), *it
	if err := now.writeRequest(e.asker, &a); err != nil {
		now.fault = err.Error()
	}
	return &now
}

// sendOnce sends an item once.
func (e *engine) sendOnce(ctx context.Context, it *workItem, r *metrics.Request, told *prompts.ChatHistory) {
	if it.fault != "" {
		r.Sent = e.clock.Now()
		r.End, r.Status, r.Fault = r.Sent, metrics.Faulty, it.fault
		return
	}
	if told == nil || it.own == nil {
		e.asker.Ask(ctx, it.prepared, e.clock, r)
		return
	}
	before := *told
	a := told.NextTurn(*it.own)
	prepared, err := e.asker.Prepare(&a)
	if err != nil {
		r.Sent = e.clock.Now()
		r.End, r.Status, r.Fault = r.Sent, metrics.Faulty, err.Error()
		return
	}
	text := e.asker.(Answerer).Answer(ctx, prepared, e.clock, r)
	if r.Status != metrics.OK {
		*told = before
		return
	}
	told.AddAnswer(text)
}

const (
	// backoff is the wait before the first retry of a refused request. It doubles with each retry, up to 16 s.
	backoff = 250 * time.Millisecond
	// Statuses of servers that refuse requests temporarily.
	tooMany, busy metrics.Status = "http_429", "http_503"
	// maxGrown is the maximum number of events for which memory is reserved in advance.
	maxGrown = 1 << 16
)

// waitOrStop waits for d. It returns false if sending ended before.
func (e *engine) waitOrStop(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-e.sending.Done():
	case <-e.asking.Done():
	}
	return false
}

// countEnded counts a measured request that has ended.
func (e *engine) countEnded(r *metrics.Request) {
	e.progress.tokens.Add(int64(r.Events.Len()))
	if e.plan.Seen != nil {
		e.plan.Seen(r)
	}
	ended := e.progress.ended.Add(1)
	if r.Status == metrics.Cancelled {
		return
	}
	m := metrics.MeasureRequest(r, metrics.FigureRules{NoTokens: e.plan.NoTokens})
	if m.Found == metrics.OK {
		return
	}
	if failed := e.progress.failed.Add(1); e.plan.MaxErrors.isExceeded(failed, ended) {
		e.abortPoint(ByErrors)
	}
}
