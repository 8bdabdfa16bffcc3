package dlrm3

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/plumbline-ml/plumbline/datasets/streaming"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

var (
	_ sdk.Ordered      = (*workload)(nil)
	_ sdk.Informer     = (*workload)(nil)
	_ sdk.ClientWorker = (*workload)(nil)
)

// batch is how many requests a batch has at most where the user does not say: as in the reference.
const batch = 10

// workload is the benchmark opened on one model file and one data set.
type workload struct {
	source
	set    *streaming.Set
	order  order
	tables *tables // nil: inside the model
	file   backend.Model
	scored bool // payloads are those of an accuracy run
}

// sample is a request.
type sample struct {
	*streaming.Sample
	place
	user [1]int32
}

func (w *workload) Len() int             { return len(w.order.places) }
func (w *workload) Parts() []sdk.Part    { return []sdk.Part{{Model: w.file}} }
func (w *workload) Order() []int64       { return w.order.numbers() }
func (w *workload) Close() error         { return errors.Join(w.set.Close(), w.tables.Close()) }
func (w *workload) MaxBatch() int        { return 0 }
func (*workload) SampleSize(*sample) int { return 1 }

// SizeRule has the size of batches alone: requests run in their order, whatever their length.
func (*workload) SizeRule() sdk.SizeRule { return sdk.SizeRule{Batch: batch} }

// Load reads a request.
func (w *workload) Load(_ context.Context, i int) (*sample, error) {
	p := w.order.places[i]
	s, err := w.set.Sample(int(p.period), int(p.request))
	if err != nil {
		return nil, sdk.Data(err)
	}
	last := int32(w.Stream.Items - 1)
	for _, ids := range [][]int32{s.History.IDs, s.Candidates.IDs} {
		for i, id := range ids {
			ids[i] = min(id, last) // one that was rounded up
		}
	}
	w.spoil(s, i)
	return &sample{s, p, [1]int32{s.User}}, nil
}

// spoil takes from the history what the model is not to see.
func (w *workload) spoil(s *streaming.Sample, i int) {
	switch w.History {
	case hidden:
		s.History, s.Weights = streaming.Entries{}, nil
	case shuffled:
		h := s.History
		rand.New(rand.NewPCG(uint64(i), 0)).Shuffle(len(s.Weights), func(i, j int) {
			h.IDs[i], h.IDs[j] = h.IDs[j], h.IDs[i]
			h.Categories[i], h.Categories[j] = h.Categories[j], h.Categories[i]
			s.Weights[i], s.Weights[j] = s.Weights[j], s.Weights[i]
		})
	}
}

// WarmSample is a request of a user without history for one candidate.
func (w *workload) WarmSample() *sample {
	e := streaming.Entries{IDs: make([]int32, w.warm()), Categories: make([]uint16, w.warm())}
	return &sample{Sample: &streaming.Sample{Candidates: e, Labels: make([]uint8, w.warm())}}
}

// warm is how many candidates the request that warms up has.
func (w *workload) warm() int { return w.Stream.MaxCandidates }

// Inform says where the requests are not those of the rules.
func (w *workload) Inform(info *sdk.WorkloadInfo) {
	if w.Dataset == "" {
		return // no rules are about it
	}
	open := func(reason string, holds bool) {
		if holds {
			info.OpenReasons = append(info.OpenReasons, reason)
		}
	}
	open("ids are not rounded as those of the reference are (ids=exact)", w.Stream.ExactIDs)
	open("the model does not see the history as it is (parameter history)", w.History != whole)
	open(fmt.Sprintf("%v of each period's requests are asked (parameter percentage)", w.Share), w.Share != 1)
}

// ClientWork is what it takes to make tensors.
func (w *workload) ClientWork(_, _ []backend.TensorInfo, n int) []string {
	work := []string{"ids, weights and categories are widened to int64"}
	if w.tables != nil {
		work = append(work, "rows of tables are looked up")
	}
	if n > 1 {
		work = append(work, "histories are padded to the longest one of a batch")
	}
	return work
}
