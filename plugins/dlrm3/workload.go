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
	_ sdk.SampleOrderer     = (*streamWorkload)(nil)
	_ sdk.WorkloadInfoAdder = (*streamWorkload)(nil)
	_ sdk.ClientWorker      = (*streamWorkload)(nil)
)

// defaultBatch is the default of the maximum number of requests per batch, as in the reference.
const defaultBatch = 10

// streamWorkload is the benchmark with one model file and one data set.
type streamWorkload struct {
	streamSource
	set    *streaming.RequestSet
	order  requestOrder
	tables *embeddingTables // nil: contained in the model
	file   backend.Model
	scored bool // payloads are those of an accuracy run
}

// requestSample is a loaded request.
type requestSample struct {
	*streaming.RequestSample
	requestID
	user [1]int32
}

func (w *streamWorkload) Len() int                    { return len(w.order.requests) }
func (w *streamWorkload) Parts() []sdk.Part           { return []sdk.Part{{Model: w.file}} }
func (w *streamWorkload) Order() []int64              { return w.order.queryOrder() }
func (w *streamWorkload) Close() error                { return errors.Join(w.set.Close(), w.tables.Close()) }
func (w *streamWorkload) MaxBatch() int               { return 0 }
func (*streamWorkload) SampleSize(*requestSample) int { return 1 }

// SizeRule limits only the number of requests, which run in order regardless of their length.
func (*streamWorkload) SizeRule() sdk.SizeRule { return sdk.SizeRule{Batch: defaultBatch} }

// Load reads a request.
func (w *streamWorkload) Load(_ context.Context, i int) (*requestSample, error) {
	p := w.order.requests[i]
	s, err := w.set.ReadSample(int(p.period), int(p.request))
	if err != nil {
		return nil, sdk.Data(err)
	}
	last := int32(w.Stream.Items - 1)
	for _, ids := range [][]int32{s.History.IDs, s.Candidates.IDs} {
		for i, id := range ids {
			ids[i] = min(id, last) // an ID that was rounded up
		}
	}
	w.hideHistory(s, i)
	return &requestSample{s, p, [1]int32{s.User}}, nil
}

// hideHistory removes the entries of the history that the model must not receive.
func (w *streamWorkload) hideHistory(s *streaming.RequestSample, i int) {
	switch w.History {
	case hiddenHistory:
		s.History, s.Weights = streaming.ItemEntries{}, nil
	case shuffledHistory:
		h := s.History
		rand.New(rand.NewPCG(uint64(i), 0)).Shuffle(len(s.Weights), func(i, j int) {
			h.IDs[i], h.IDs[j] = h.IDs[j], h.IDs[i]
			h.Categories[i], h.Categories[j] = h.Categories[j], h.Categories[i]
			s.Weights[i], s.Weights[j] = s.Weights[j], s.Weights[i]
		})
	}
}

// WarmSample returns a request of a user without history.
func (w *streamWorkload) WarmSample() *requestSample {
	e := streaming.ItemEntries{IDs: make([]int32, w.warmCandidates()), Categories: make([]uint16, w.warmCandidates())}
	return &requestSample{RequestSample: &streaming.RequestSample{Candidates: e, Labels: make([]uint8,
		w.warmCandidates())}}
}

// warmCandidates returns the number of candidates of the warm-up request.
func (w *streamWorkload) warmCandidates() int { return w.Stream.MaxCandidates }

// AddInfo reports deviations of the requests from the rules.
func (w *streamWorkload) AddInfo(info *sdk.WorkloadInfo) {
	if w.Dataset == "" {
		return // the rules do not apply to this data set
	}
	open := func(reason string, holds bool) {
		if holds {
			info.OpenReasons = append(info.OpenReasons, reason)
		}
	}
	open("ids are not rounded as those of the reference are (ids=exact)", w.Stream.ExactIDs)
	open("the model does not see the history as it is (parameter history)", w.History != wholeHistory)
	open(fmt.Sprintf("%v of each period's requests are asked (parameter percentage)", w.Share), w.Share != 1)
}

// ClientWork lists the work of making tensors.
func (w *streamWorkload) ClientWork(_, _ []backend.TensorInfo, n int) []string {
	work := []string{"ids, weights and categories are widened to int64"}
	if w.tables != nil {
		work = append(work, "rows of tables are looked up")
	}
	if n > 1 {
		work = append(work, "histories are padded to the longest one of a batch")
	}
	return work
}
