package loadgen

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/loadgen/internal/record"
	"github.com/plumbline-ml/plumbline/loadgen/internal/schedule"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/loadgen/pace"
)

// seriesAnswers contains the responder's data for the current series. It is read only while the series runs.
type seriesAnswers struct {
	clock  *pace.Clock
	rec    *record.Recorder
	first  ResponseID
	plan   *schedule.Plan
	log    *mllog.AccuracyWriter
	logAll bool            // log every answer
	chosen schedule.Chosen // otherwise log these answers; nil means none
	kind   record.Kind
	tokens firstTokens
}

// testResponder is the test's Responder. A SUT may keep it; outside a series its calls have no effect.
type testResponder struct {
	current  atomic.Pointer[seriesAnswers]
	onBreach func(error) // receives each breach of the contract
}

// QuerySamplesComplete implements Responder.
func (r *testResponder) QuerySamplesComplete(rs []QuerySampleResponse) {
	a := r.current.Load()
	if a == nil {
		return
	}
	at := a.currentTime()
	good := 0
	for i := range rs {
		if fault := a.completeSample(&rs[i], at); fault != record.None {
			r.onBreach(a.breachError(fault, &rs[i]))
			continue
		}
		good++
		if a.isLogged(rs[i].ID) {
			a.keepPayload(&rs[i])
		}
	}
	a.rec.Finish(uint64(good))
}

// FirstTokenComplete implements Responder. It records nothing without token latencies and in Offline.
func (r *testResponder) FirstTokenComplete(rs []QuerySampleResponse) {
	a := r.current.Load()
	if a == nil || a.kind != record.FirstTokens {
		return
	}
	at := a.currentTime()
	for i := range rs {
		if fault := a.rec.FirstToken(uint32(rs[i].ID), at); fault != record.None {
			r.onBreach(a.breachError(fault, &rs[i]))
		} else if a.isLogged(rs[i].ID) {
			a.tokens.putToken(rs[i].ID, rs[i].Data)
		}
	}
}

// currentTime returns the time on the clock, but at least 1, because the recorder uses 0 for missing times.
func (a *seriesAnswers) currentTime() int64 { return max(a.clock.Now(), 1) }

func (a *seriesAnswers) completeSample(r *QuerySampleResponse, at int64) record.Fault {
	if a.kind != record.Latencies {
		return a.rec.CompleteTokens(uint32(r.ID), at, r.NTokens)
	}
	if a.rec.CompleteFast(uint32(r.ID), at) {
		return record.None
	}
	return a.rec.Complete(uint32(r.ID), at)
}

func (a *seriesAnswers) isLogged(id ResponseID) bool {
	return a.logAll || a.chosen != nil && a.chosen.Has(uint32(id-a.first))
}

// keepPayload copies the payload to the accuracy log. The writer keeps an error for the end of the test.
func (a *seriesAnswers) keepPayload(r *QuerySampleResponse) {
	index := a.plan.Sample(int(r.ID - a.first))
	e := mllog.AccuracyEntry{SeqID: uint64(r.ID), QSLIndex: uint64(index), Data: r.Data, TokenCount: -1}
	if a.kind != record.Latencies {
		e.TokenCount = r.NTokens
	}
	if a.kind == record.FirstTokens {
		e.TokenData = a.tokens.takeToken(r.ID)
	}
	_ = a.log.WriteEntry(e)
}

// breachError describes a wrong answer.
func (a *seriesAnswers) breachError(fault record.Fault, r *QuerySampleResponse) error {
	id := r.ID
	if fault == record.NotIssued {
		return fmt.Errorf("%w: it answered response id %d, which was not issued (%d were, from %d on): answer each sample "+
			"under the ID of its QuerySample",
			ErrProtocol, id, a.rec.Issued(), a.first)
	}
	if id < a.first {
		return fmt.Errorf("%w: it answered response id %d again, of a series that has ended: answer each sample once",
			ErrProtocol, id)
	}
	sample := fmt.Sprintf("response id %d (sample %d of the data set)", id, a.plan.Sample(int(id-a.first)))
	switch fault {
	case record.Again:
		return fmt.Errorf("%w: it reported the first token of %s twice: call FirstTokenComplete once for each sample",
			ErrProtocol, sample)
	case record.Late:
		return fmt.Errorf("%w: it reported the first token of %s after its answer: call FirstTokenComplete before "+
			"QuerySamplesComplete", ErrProtocol, sample)
	case record.NoFirstToken:
		return fmt.Errorf("%w: it answered %s without reporting its first token: call FirstTokenComplete before "+
			"QuerySamplesComplete", ErrProtocol, sample)
	case record.FewTokens, record.ManyTokens:
		return fmt.Errorf("%w: it answered %s with NTokens = %d, want %d to %d tokens: with use_token_latencies each "+
			"answer tells how many tokens it has, and a time per token after the first needs two",
			ErrProtocol, sample, r.NTokens, record.LeastTokens, uint32(math.MaxUint32))
	}
	return fmt.Errorf("%w: it answered %s twice: answer each sample once", ErrProtocol, sample)
}
