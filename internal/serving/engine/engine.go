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

// errGraceOver cancels requests that are in flight at the end of the grace period.
var errGraceOver = errors.New("the grace period is over")

// engine runs one plan.
type engine struct {
	asker      Asker
	plan       PointPlan
	work       *sendableWork
	warmUpWork *sendableWork
	slots      recordSlots
	clock      *pace.Clock
	keeper     *timekeeper
	progress   *PointProgress

	sending      context.Context // ends when sending ends; its cause is a StopReason
	stopSending  context.CancelCauseFunc
	asking       context.Context // ends the requests in flight
	cancelAsking context.CancelCauseFunc
	warming      context.Context // ends the warm-up requests; a child of asking
	stopWarming  context.CancelCauseFunc

	measureStart     atomic.Int64 // start of the measurement; unset before
	beginOnce        sync.Once
	clientMeter      processMeter
	graceOnce        sync.Once
	scheduleDuration time.Duration // duration of a schedule that ends by time

	allDealt    atomic.Bool  // all units to send have been handed to the senders
	unsentTurns atomic.Int64 // turns handed to the senders and not sent yet

	takenUnits    atomic.Int64 // units taken from the work
	sentRequests  atomic.Int64 // measured requests
	reservedTurns atomic.Int64 // turns of all units that have begun

	mu                   sync.Mutex
	timers               []*time.Timer
	steadyFrom, steadyTo int64 // steady window of users
	startedUsers         int   // users that have sent a measured request
	retries              atomic.Int64
}

const unsetTime = math.MinInt64

// Measure sends the plan's requests once and returns the records of all. If ctx ends, Measure stops sending, cancels
// the requests in flight, and returns the point with the requests so far and no error. An error means that nothing was
// measured. It wraps ErrStartPassed if the plan's start had passed before the preparation was complete.
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
	if err := e.encodeRequests(s); err != nil {
		return nil, err
	}
	if err := e.checkStart(time.Now()); err != nil {
		return nil, err
	}
	return e.sendAll(ctx, s)
}

// ErrStartPassed reports that the plan's start had passed before its requests were encoded, or before the warm-up
// requests were answered.
var ErrStartPassed = errors.New("the start has passed")

// checkStart returns ErrStartPassed if the plan's start has passed.
func (e *engine) checkStart(now time.Time) error {
	if by := now.Sub(e.plan.Start); !e.plan.Start.IsZero() && by > 0 {
		return fmt.Errorf("%w: all was ready %v after it", ErrStartPassed, by.Round(time.Millisecond))
	}
	return nil
}

// newEngine checks the plan and makes an engine for it. It does not encode the requests yet.
func newEngine(asker Asker, plan PointPlan) (*engine, error) {
	if err := plan.checkPlan(); err != nil {
		return nil, err
	}
	e := &engine{asker: asker, plan: plan, progress: plan.Progress, steadyFrom: unsetTime, steadyTo: math.MaxInt64}
	if e.progress == nil {
		e.progress = new(PointProgress)
	}
	e.measureStart.Store(unsetTime)
	e.work = newWork(plan.Asks, plan.Load.Sessions || plan.Load.Kind == arrival.Replay, plan.Load.Seed)
	e.warmUpWork = newWork(plan.WarmUp, false, 0)
	return e, nil
}

// encodeRequests encodes the requests that this client will send.
func (e *engine) encodeRequests(s arrival.Schedule) error {
	var warm []bool
	share := e.plan.Share
	if share.Of > 1 {
		warm = make([]bool, len(e.warmUpWork.units))
		for i := range warm {
			warm[i] = share.Has(i)
		}
	}
	if e.plan.Lazy {
		return e.warmUpWork.encodeUnits(e.asker, e.plan.WarmUp, warm)
	}
	return errors.Join(e.work.encodeUnits(e.asker, e.plan.Asks, e.shareMask(s)),
		e.warmUpWork.encodeUnits(e.asker, e.plan.WarmUp,
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
			own[e.work.unitIndex(share.NumberAt(k))] = true
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
	e.slots.nextSize = len(e.warmUpWork.items) + e.expectedRequests(s)
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
	p.Client = e.clientMeter.clientUsage(p)
	p.Client.Retries = e.retries.Load()
	return p, nil
}

// startClock starts the clock and links the engine's contexts to ctx. The returned function releases them.
func (e *engine) startClock(ctx context.Context) (end func()) {
	caller := context.WithoutCancel(ctx)
	e.sending, e.stopSending = context.WithCancelCause(caller)
	e.asking, e.cancelAsking = context.WithCancelCause(caller)
	e.warming, e.stopWarming = context.WithCancelCause(e.asking)
	unlink := context.AfterFunc(ctx, func() { e.abortPoint(ByCaller) })
	e.clock = pace.Start(ctx)
	return func() {
		unlink()
		e.stopWarming(nil)
		e.cancelAsking(nil)
		e.stopSending(nil)
	}
}

// expectedRequests returns the expected number of requests, or blockSize if it is unknown.
func (e *engine) expectedRequests(s arrival.Schedule) int {
	switch p := e.plan.Load; {
	case p.Kind != arrival.Users:
		return len(s.Due)
	case p.Requests > 0:
		return p.Requests
	}
	return blockSize
}

// abortPoint stops sending and cancels all requests in flight.
func (e *engine) abortPoint(why StopReason) {
	e.stopSending(why)
	e.cancelAsking(why)
}

// markStart sets the start of the measurement. Only its first call has an effect.
func (e *engine) markStart(at int64) {
	e.beginOnce.Do(func() {
		e.measureStart.Store(at)
		e.clientMeter.start()
		for _, d := range e.endTimes() {
			e.scheduleCall(d-time.Duration(e.clock.Now()-at), func() {
				if e.durationElapsed(at + int64(d)) {
					e.startGracePeriod()
				}
			})
		}
	})
}

// endTimes returns the times at which a duration can end the sending.
func (e *engine) endTimes() []time.Duration {
	switch p := e.plan.Load; {
	case p.Kind != arrival.Users && e.scheduleDuration == math.MaxInt64:
		return nil
	case p.Kind != arrival.Users:
		return []time.Duration{e.scheduleDuration}
	case p.Duration > 0:
		return []time.Duration{p.Duration}
	case p.Requests > 0 || e.plan.HasMore != nil:
		return nil
	}
	return []time.Duration{arrival.DefaultDuration, arrival.MostDuration}
}

// maxWarmUpDuration returns the maximum duration of the warm-up of a point that ends by duration. After it, the
// measurement begins even if the server has not answered the warm-up requests. It returns 0 for a point that ends by a
// number of requests.
func (e *engine) maxWarmUpDuration() time.Duration {
	p := e.plan.Load
	switch {
	case p.Duration > 0:
		return p.Duration + e.plan.Grace
	case p.Stages != nil:
		return p.StagesLast() + e.plan.Grace
	case p.Requests > 0 || e.plan.HasMore != nil || p.Kind == arrival.Maximum || p.Kind == arrival.Replay:
		return 0
	}
	return arrival.DefaultDuration + e.plan.Grace
}

// limitWarmUp starts the timer that ends the warm-up.
func (e *engine) limitWarmUp() {
	if d := e.maxWarmUpDuration(); d > 0 && len(e.warmUpWork.items) > 0 {
		e.scheduleCall(d, func() { e.stopWarming(errGraceOver) })
	}
}

// durationElapsed reports whether a duration has ended the sending at a time.
func (e *engine) durationElapsed(at int64) bool {
	passed := time.Duration(at - e.measureStart.Load())
	switch p := e.plan.Load; {
	case e.measureStart.Load() == unsetTime:
		return false
	case p.Kind != arrival.Users:
		return passed >= e.scheduleDuration
	case p.Duration > 0:
		return passed >= p.Duration
	case p.Requests > 0 || e.plan.HasMore != nil:
		return false
	}
	return passed >= arrival.MostDuration || passed >= arrival.DefaultDuration &&
		e.sentRequests.Load() >= int64(e.plan.Share.Count(arrival.DefaultRequests))
}

// startGracePeriod starts the grace period. Users send no more requests. The remaining requests of a schedule are sent
// until the grace period ends.
func (e *engine) startGracePeriod() {
	e.graceOnce.Do(func() {
		if e.plan.Load.Kind == arrival.Users {
			e.stopSending(ByDuration)
		}
		e.scheduleCall(e.plan.Grace, func() {
			e.cancelAsking(errGraceOver)
			e.stopSending(ByDuration)
		})
	})
}

// addUnsent adds the turns of a unit to the number of unsent turns.
func (e *engine) addUnsent(u workUnit) { e.unsentTurns.Add(int64(u.to - u.from)) }

// subtractUnsent subtracts turns that were sent, or will not be sent.
func (e *engine) subtractUnsent(turns int) {
	if e.unsentTurns.Add(-int64(turns)) == 0 && e.allDealt.Load() {
		e.graceAfterLast()
	}
}

// markAllDealt records that the last unit has been handed to the senders.
func (e *engine) markAllDealt() {
	if !e.allDealt.Swap(true) && e.unsentTurns.Load() == 0 {
		e.graceAfterLast()
	}
}

// graceAfterLast starts the grace period of a point that a number of requests ended, if the plan bounds such points.
func (e *engine) graceAfterLast() {
	if e.plan.GraceAlways {
		e.graceOnce.Do(func() { e.scheduleCall(e.plan.Grace, func() { e.cancelAsking(errGraceOver) }) })
	}
}

// reserveUnit reserves the turns of the unit at a place. ok is false if the reserved turns already reach the number of
// requests.
func (e *engine) reserveUnit(place int) (u workUnit, ok bool) {
	most := int64(e.plan.Share.Count(e.plan.Load.Requests))
	if e.plan.Load.Requests > 0 && e.reservedTurns.Load() >= most || e.plan.HasMore != nil && !e.plan.HasMore(place) {
		return u, false
	}
	u = e.work.unitAt(place)
	n := int64(u.to - u.from)
	return u, e.reservedTurns.Add(n)-n < most || e.plan.Load.Requests == 0
}

// scheduleCall calls do after d, unless the point has ended.
func (e *engine) scheduleCall(d time.Duration, do func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.timers = append(e.timers, time.AfterFunc(d, do))
}

// stopTimers stops the timers of scheduleCall.
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
		it = e.encodeItem(it)
	}
	r.Row, r.Session, r.Turn, r.WarmUp = it.row, it.session, it.turn, warm
	r.AskedIn, r.AskedOut, r.Retokenized = it.inputTokens, it.outputTokens, metrics.Unknown
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
		r.Events.Grow(int(min(max(it.outputTokens, 32), maxReservedEvents)))
		r.Usage, r.Status, r.Fault = metrics.NoUsage(), "", ""
		e.sendOnce(ctx, it, r, told)
		if try >= e.plan.MaxRetries || r.Status != statusTooMany && r.Status != statusBusy {
			break
		}
		e.retries.Add(1)
		if !e.waitOrStop(firstBackoff << min(try, 6)) {
			break
		}
	}
	e.progress.underWay.Add(-1)
	if r.End < r.Sent || r.End == 0 { // the request was not sent
		r.End = e.clock.Now()
	}
	if r.Status == metrics.Cancelled && errors.Is(context.Cause(ctx), errGraceOver) {
		r.Status = metrics.Unfinished
	}
	if !warm {
		e.countRequest(r)
	}
}

// encodeItem returns a copy of an item with its request encoded now.
func (e *engine) encodeItem(it *workItem) *workItem {
	a, now := e.plan.Asks.At(it.index), *it
	if err := now.encodeRequest(e.asker, &a); err != nil {
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
	if told == nil || it.ownAnswers == nil {
		e.asker.Ask(ctx, it.prepared, e.clock, r)
		return
	}
	before := *told
	a := told.NextTurn(*it.ownAnswers)
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
	// firstBackoff is the wait before the first retry of a refused request. It doubles with each retry, up to 16 s.
	firstBackoff = 250 * time.Millisecond
	// Statuses of servers that refuse requests temporarily.
	statusTooMany, statusBusy metrics.Status = "http_429", "http_503"
	// maxReservedEvents is the maximum number of events for which memory is reserved in advance.
	maxReservedEvents = 1 << 16
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

// countRequest counts a measured request that has ended.
func (e *engine) countRequest(r *metrics.Request) {
	e.progress.tokens.Add(int64(r.Events.Len()))
	if e.plan.OnRequestEnd != nil {
		e.plan.OnRequestEnd(r)
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
