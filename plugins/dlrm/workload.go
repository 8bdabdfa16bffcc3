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
	// defaultBatch is how many pairs a batch has at most where the user does not say.
	defaultBatch = 2048
	// warmPairs is the size of the samples that warm up: the most frequent one of the rules.
	warmPairs = 200
)

var _ sdk.ClientWorker = (*clickWorkload)(nil)

// clickWorkload is the benchmark opened on one model file and one data set.
type clickWorkload struct {
	collator
	file    backend.Model
	log     clickLog
	samples []criteo.PairRange
	batch   int       // pairs
	pool    sync.Pool // of *[]byte: payloads
	starts  sync.Map  // of []int32 by the number of pairs: sample.starts
}

// openClickWorkload groups the pairs of a data set, which it closes on error.
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
	samples, err := s.sampleRanges(log.Len())
	if err != nil {
		return nil, err
	}
	batch := cmp.Or(s.Batch, defaultBatch)
	w := &clickWorkload{collator: c, file: b.completeModel(s.File()), log: log, samples: samples, batch: batch}
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

// SampleSize is the number of pairs of a sample.
func (w *clickWorkload) SampleSize(s *pairRun) int { return s.pairCount() }

// SizeRule cuts batches by their pairs.
func (w *clickWorkload) SizeRule() sdk.SizeRule { return sdk.SizeRule{MaxSum: w.batch, Batch: w.batch} }

// WarmSample are pairs of zeros.
func (w *clickWorkload) WarmSample() *pairRun { return w.newSample(min(warmPairs, w.batch)) }

// newSample returns a sample of zeros, with the starts of its bags where it may go to the model by itself.
func (w *clickWorkload) newSample(pairs int) *pairRun {
	s := newPairRun(w.indexShape, pairs)
	if !w.canShare() {
		return s
	}
	known, ok := w.starts.Load(pairs)
	if !ok {
		starts := make([]int32, criteo.Tables*pairs+1)
		writeBags(w.collator, starts, pairs)
		known, _ = w.starts.LoadOrStore(pairs, starts)
	}
	s.starts = known.([]int32)
	return s
}

// ClientWork is nothing for a sample by itself that lies in memory as the model takes it. To write each
// prediction beside its label, as the log has it, is none: the label never leaves this machine, and the
// prediction stays what the server said.
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
