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

// StopReason is the reason why the sending of a point ended.
type StopReason string

// The ends of points.
const (
	ByRequests StopReason = "requests" // all that were to be sent
	ByDuration StopReason = "duration"
	ByErrors   StopReason = "errors"    // more failures than Plan.MaxErrors, unfinished ones too, or no good answer
	ByCaller   StopReason = "interrupt" // the end of the context
)

func (e StopReason) Error() string { return string(e) }

// errGrace ends requests that are under way when the grace period is over.
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

	sending context.Context // ends when nothing more is sent, by an Ended
	stop    context.CancelCauseFunc
	asking  context.Context // ends what is under way
	cancel  context.CancelCauseFunc
	warming context.Context // ends what warms up; under asking
	cool    context.CancelCauseFunc

	zero   atomic.Int64 // when the measurement begins; unset before
	begun  sync.Once
	client processMeter
	graced sync.Once
	length time.Duration // of a schedule that a duration ends

	dealt  atomic.Bool  // all that is to be sent has been given to those who send
	unsent atomic.Int64 // of what was given to them

	taken atomic.Int64 // of the work
	sent  atomic.Int64 // measured requests,
	owed  atomic.Int64 // and those of sessions that have begun

	mu       sync.Mutex
	timers   []*time.Timer
	from, to int64 // the steady window of users
	started  int   // users who have sent a measured request
	retries  atomic.Int64
}

const unset = math.MinInt64

// Measure sends requests as the plan says, and returns what was recorded of each. It measures once; a context that ends
// ends the sending, and what is under way is cancelled: the point then has what was done, and no error is returned. An
// error says that nothing was measured; it is ErrLate where the start of the plan had passed before all was ready.
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

// ErrLate says that the start of a plan had passed before its requests were written, or before those that warm up were
// answered.
var ErrLate = errors.New("the start has passed")

// errIfStartPassed is ErrLate where the start has passed; nil: there is none.
func (e *engine) errIfStartPassed(now time.Time) error {
	if by := now.Sub(e.plan.Start); !e.plan.Start.IsZero() && by > 0 {
		return fmt.Errorf("%w: all was ready %v after it", ErrLate, by.Round(time.Millisecond))
	}
	return nil
}

// newEngine checks the plan. Its requests are not written yet.
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

// writeRequests has the requests written that will be sent here.
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

// shareMask are the units that the share sends; nil: all, or nobody knows. Users who have no number of requests may
// come to any unit when all have been sent once.
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

// makeSchedule are the due times of units.
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

// sendAll sends all, and makes the point.
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

// startClock starts the clock, and lets ctx end what is sent and asked.
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

// expectedRequests is how many requests there will be, as far as that is known.
func (e *engine) expectedRequests(s arrival.Schedule) int {
	switch p := e.plan.Load; {
	case p.Kind != arrival.Users:
		return len(s.Due)
	case p.Requests > 0:
		return p.Requests
	}
	return minBlock
}

// abortPoint ends the point at once.
func (e *engine) abortPoint(why StopReason) {
	e.stop(why)
	e.cancel(why)
}

// markBegin is when the measurement begins, at the first time that it is called.
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

// endTimes are the times after which a duration may have ended the sending.
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

// warmUpLasts bounds the requests that warm up a point which a duration ends, as the point itself is bounded: where the
// server answers none of them, the measurement begins all the same, and finds that out. 0: a number of requests ends
// it.
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

// boundWarmUp begins the time that warmUpLasts.
func (e *engine) boundWarmUp() {
	if d := e.warmUpLasts(); d > 0 && len(e.warm.items) > 0 {
		e.runLater(d, func() { e.cool(errGrace) })
	}
}

// durationElapsed tells whether a duration has ended the sending at a time.
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

// timeIsUp begins the grace period. Users send nothing more; what a schedule has left is sent as long as it lasts.
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

// addPending counts the turns of a unit, which somebody is to send.
func (e *engine) addPending(u workUnit) { e.unsent.Add(int64(u.to - u.from)) }

// donePending counts turns that are sent, or will not be.
func (e *engine) donePending(turns int) {
	if e.unsent.Add(-int64(turns)) == 0 && e.dealt.Load() {
		e.allSent()
	}
}

// dealtOut notes that nothing more is to be sent than what was given.
func (e *engine) dealtOut() {
	if !e.dealt.Swap(true) && e.unsent.Load() == 0 {
		e.allSent()
	}
}

// allSent begins the grace period of a point that a number of requests ended, where it is to have one.
func (e *engine) allSent() {
	if e.plan.BoundAll {
		e.graced.Do(func() { e.runLater(e.plan.Grace, func() { e.cancel(errGrace) }) })
	}
}

// reserveUnit takes the turns of the unit at a place; false: so many are taken that nothing more begins.
func (e *engine) reserveUnit(place int) (u workUnit, ok bool) {
	most := int64(e.plan.Share.Count(e.plan.Load.Requests))
	if e.plan.Load.Requests > 0 && e.owed.Load() >= most || e.plan.More != nil && !e.plan.More(place) {
		return u, false
	}
	u = e.work.unitAt(place)
	n := int64(u.to - u.from)
	return u, e.owed.Add(n)-n < most || e.plan.Load.Requests == 0
}

// runLater does something later, unless the point has ended.
func (e *engine) runLater(d time.Duration, do func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.timers = append(e.timers, time.AfterFunc(d, do))
}

// stopTimers stops what was planned for later.
func (e *engine) stopTimers() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, t := range e.timers {
		t.Stop()
	}
}

// askItem sends an item and records it. It returns when the answer was there, or not. What a session said so far is in
// told; nil: it is none, or its turns are written. First, if not nil, is called at the first token.
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
	if r.End < r.Sent || r.End == 0 { // it was not sent
		r.End = e.clock.Now()
	}
	if r.Status == metrics.Cancelled && errors.Is(context.Cause(ctx), errGrace) {
		r.Status = metrics.Unfinished
	}
	if !warm {
		e.countEnded(r)
	}
}

// writtenItem is an item whose request is written now.
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
	// backoff is how long a request waits that was refused, the first time; each time twice as long, up to 16 s.
	backoff = 250 * time.Millisecond
	// Servers that refuse for the time being.
	tooMany, busy metrics.Status = "http_429", "http_503"
	// maxGrown bounds the events that room is made for in advance.
	maxGrown = 1 << 16
)

// waitOrStop waits; false: nothing more is sent.
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

// countEnded counts a measured request.
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
