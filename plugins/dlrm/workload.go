package dlrm

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"github.com/plumbline-ml/plumbline/datasets/criteo"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

const (
	// defaultBatch is the default of the maximum number of pairs per batch.
	defaultBatch = 2048
	// warmPairs is the number of pairs in a warm-up sample, which is the most frequent one in the rules' distribution.
	warmPairs = 200
)

var _ sdk.ClientWorker = (*clickWorkload)(nil)

// clickWorkload is the benchmark with one model file and one data set.
type clickWorkload struct {
	collator
	file          backend.Model
	log           clickLog
	samples       []criteo.PairRange
	maxBatchPairs int       // maximum number of pairs per batch
	payloadPool   sync.Pool // of *[]byte, for payloads
	bagStarts     sync.Map  // []int32 by the number of pairs, for pairRun.bagStarts
}

// openClickWorkload groups the pairs of a data set. On error it closes the data set.
func openClickWorkload(ctx context.Context, b clickBinding, s clickSource, log clickLog) (_ *clickWorkload, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, log.Close())
		}
	}()
	if s.Check {
		if err := log.Check(ctx); err != nil {
			return nil, err
		}
	}
	c, err := newCollator(b, newIndexShape(log.Hotness()))
	if err != nil {
		return nil, err
	}
	samples, err := s.groupSamples(log.Len())
	if err != nil {
		return nil, err
	}
	batch := cmp.Or(s.Batch, defaultBatch)
	w := &clickWorkload{collator: c, file: b.completeModel(s.File()), log: log, samples: samples, maxBatchPairs: batch}
	return w, context.Cause(ctx)
}

func (w *clickWorkload) Len() int { return len(w.samples) }

func (w *clickWorkload) Parts() []sdk.Part { return []sdk.Part{{Model: w.file}} }

// Load reads the pairs of sample i.
func (w *clickWorkload) Load(_ context.Context, i int) (*pairRun, error) {
	r := w.samples[i]
	s := w.newSample(r.End - r.Start)
	if err := w.log.Read(s, r.Start); err != nil {
		return nil, err
	}
	return s, nil
}

// SampleSize returns the number of pairs of a sample.
func (w *clickWorkload) SampleSize(s *pairRun) int { return s.pairCount() }

// SizeRule limits batches by their number of pairs.
func (w *clickWorkload) SizeRule() sdk.SizeRule {
	return sdk.SizeRule{MaxSum: w.maxBatchPairs, Batch: w.maxBatchPairs}
}

// WarmSample returns a sample whose values are zero.
func (w *clickWorkload) WarmSample() *pairRun { return w.newSample(min(warmPairs, w.maxBatchPairs)) }

// newSample returns a sample of zeros. It sets the starts of the bags if the sample may be shared with the model.
func (w *clickWorkload) newSample(pairs int) *pairRun {
	s := newPairRun(w.indexShape, pairs)
	if !w.canShare() {
		return s
	}
	known, ok := w.bagStarts.Load(pairs)
	if !ok {
		starts := make([]int32, criteo.Tables*pairs+1)
		writeBags(w.collator, starts, pairs)
		known, _ = w.bagStarts.LoadOrStore(pairs, starts)
	}
	s.bagStarts = known.([]int32)
	return s
}

// ClientWork returns nothing for single samples whose memory has the model's layout. Writing the labels next to the
// predictions in the log does not count: labels never leave this machine, and predictions are logged unchanged.
func (w *clickWorkload) ClientWork(_, _ []backend.TensorInfo, n int) []string {
	switch {
	case !w.canShare():
		return []string{"indices and the offsets of their bags are copied or converted; " +
			"parameters layout=bags and index=int32 are for models that take them as they are"}
	case n > 1:
		return []string{"samples are joined table by table, and the offsets of their bags are worked out"}
	}
	return nil
}

func (w *clickWorkload) Close() error { return w.log.Close() }
