package dlrm

import (
	"context"
	"errors"

	"github.com/plumbline-ml/plumbline/datasets/criteo"
	"github.com/plumbline-ml/plumbline/internal/synthetic/clicks"
	"github.com/plumbline-ml/plumbline/sdk"
)

// drawnSamples is the number of samples in the embedded data set, grouped by the rules. A test checks it.
const drawnSamples = 1000

// clickLog is a data set of pairs, generated or read. Its methods may be called concurrently.
type clickLog interface {
	Len() int
	// Hotness returns the number of indices per pair in each table.
	Hotness() []int
	// Read reads pairs from number start on into s until s is full.
	Read(s *pairRun, start int) error
	// Check reads all pairs and reports every fault.
	Check(ctx context.Context) error
	Close() error
}

// openLog opens the data set.
func (s clickSource) openLog() (clickLog, error) {
	if s.Dataset == "" {
		return newDrawnClicks(clicks.Eval()), nil
	}
	set, err := criteo.Open(s.Dataset, s.Log)
	if err != nil {
		return nil, sdk.Data(err)
	}
	return officialClicks{set}, nil
}

// drawnClicks contains the embedded pairs.
type drawnClicks struct {
	*clicks.Set
	hotness [clicks.Tables]int
}

func newDrawnClicks(set *clicks.Set) drawnClicks { return drawnClicks{set, clicks.Hotness()} }

func (d drawnClicks) Hotness() []int { return d.hotness[:] }

func (d drawnClicks) Read(s *pairRun, start int) error {
	b := &clicks.Block{Dense: s.dense, Labels: s.labels}
	for k := range b.Sparse {
		b.Sparse[k] = s.tableIndices(k)
	}
	return d.Set.Read(b, start)
}

func (d drawnClicks) Check(context.Context) error { return nil }

func (d drawnClicks) Close() error { return nil }

// officialClicks is a data set read from files.
type officialClicks struct{ *criteo.PairSet }

// Read reads pairs and reports the faults of all arrays at once.
func (o officialClicks) Read(s *pairRun, start int) error {
	end := start + len(s.labels)
	faults := []error{o.ReadDense(s.dense, start, end)}
	for k := range criteo.Tables {
		faults = append(faults, o.ReadSparse(s.tableIndices(k), k, start, end))
	}
	if err := errors.Join(faults...); err != nil {
		return sdk.Data(err)
	}
	copy(s.labels, o.Labels()[start:end])
	return nil
}

func (o officialClicks) Check(ctx context.Context) error {
	if err := o.PairSet.CheckPairs(ctx); err != nil {
		return sdk.Data(err)
	}
	return nil
}
