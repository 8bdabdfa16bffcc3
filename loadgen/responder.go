package loadgen

import (
	"fmt"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/loadgen/internal/pace"
	"github.com/plumbline-ml/plumbline/loadgen/internal/record"
	"github.com/plumbline-ml/plumbline/loadgen/internal/schedule"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// answers is what the responder needs of the series under way. It is read only while the series runs.
type answers struct {
	clock   *pace.Clock
	rec     *record.Recorder
	first   ResponseID
	samples []uint32 // data-set indices, from first on
	log     *mllog.AccuracyWriter
	all     bool            // log every answer
	chosen  schedule.Chosen // else these; nil: none
}

// responder is the test's Responder. A SUT may keep it: outside a series its calls have no effect.
type responder struct {
	current atomic.Pointer[answers]
	broken  func(error) // takes the first and any further breach of the contract
}

// QuerySamplesComplete implements Responder.
func (r *responder) QuerySamplesComplete(rs []QuerySampleResponse) {
	a := r.current.Load()
	if a == nil {
		return
	}
	at := a.clock.Now()
	good := 0
	for i := range rs {
		if fault := a.rec.Complete(uint32(rs[i].ID), at); fault != record.None {
			r.broken(a.breach(fault, rs[i].ID))
			continue
		}
		good++
		if a.logs(rs[i].ID) {
			a.keep(&rs[i])
		}
	}
	a.rec.Finish(uint64(good))
}

// FirstTokenComplete implements Responder. Without token latencies there is nothing to record.
func (r *responder) FirstTokenComplete([]QuerySampleResponse) {}

func (a *answers) logs(id ResponseID) bool {
	return a.all || a.chosen != nil && a.chosen.Has(uint32(id-a.first))
}

// keep copies the payload to the accuracy log. The writer keeps a failure for the end of the test.
func (a *answers) keep(r *QuerySampleResponse) {
	_ = a.log.Write(uint64(r.ID), uint64(a.samples[r.ID-a.first]), r.Data)
}

// breach describes a wrong answer.
func (a *answers) breach(fault record.Fault, id ResponseID) error {
	if fault == record.NotIssued {
		return fmt.Errorf("%w: it answered response id %d, which was not issued (ids below %d were): answer each sample under the ID of its QuerySample",
			ErrProtocol, id, uint64(a.first)+a.rec.Issued())
	}
	if id < a.first {
		return fmt.Errorf("%w: it answered response id %d again, of a series that has ended: answer each sample once", ErrProtocol, id)
	}
	return fmt.Errorf("%w: it answered response id %d (sample %d of the data set) twice: answer each sample once",
		ErrProtocol, id, a.samples[id-a.first])
}
