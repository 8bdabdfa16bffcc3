package dlrm

import (
	"context"
	"errors"

	"github.com/plumbline-ml/plumbline/datasets/criteo"
	"github.com/plumbline-ml/plumbline/internal/synthetic/clicks"
	"github.com/plumbline-ml/plumbline/sdk"
)

// drawnSamples is how many samples the embedded data set has, grouped by the rules. A test holds it.
const drawnSamples = 1000

// clickLog is a data set of pairs, drawn or read. Its methods may be called concurrently.
type clickLog interface {
	Len() int
	// Hotness is how many indices a pair has of each table.
	Hotness() []int
	// Read reads the pairs from start on into s, which has room for as many as are wanted.
	Read(s *sample, start int) error
	// Check reads all pairs and lists every fault.
	Check(ctx context.Context) error
	Close() error
}

// openLog opens the data set.
func (s source) openLog() (clickLog, error) {
	if s.Dataset == "" {
		return newDrawn(clicks.Eval()), nil
	}
	set, err := criteo.Open(s.Dataset, s.log)
	if err != nil {
		return nil, sdk.Data(err)
	}
	return official{set}, nil
}

// drawn are the embedded pairs.
type drawn struct {
	*clicks.Set
	hotness [clicks.Tables]int
}

func newDrawn(set *clicks.Set) drawn { return drawn{set, clicks.Hotness()} }

func (d drawn) Hotness() []int { return d.hotness[:] }

func (d drawn) Read(s *sample, start int) error {
	b := &clicks.Block{Dense: s.dense, Labels: s.labels}
	for k := range b.Sparse {
		b.Sparse[k] = s.table(k)
	}
	return d.Set.Read(b, start)
}

func (d drawn) Check(context.Context) error { return nil }

func (d drawn) Close() error { return nil }

// official is a data set of files.
type official struct{ *criteo.Set }

// Read reports the faults of all arrays at once.
func (o official) Read(s *sample, start int) error {
	end := start + len(s.labels)
	faults := []error{o.Dense(s.dense, start, end)}
	for k := range criteo.Tables {
		faults = append(faults, o.Sparse(s.table(k), k, start, end))
	}
	if err := errors.Join(faults...); err != nil {
		return sdk.Data(err)
	}
	copy(s.labels, o.Labels()[start:end])
	return nil
}

func (o official) Check(ctx context.Context) error {
	if err := o.Set.Check(ctx); err != nil {
		return sdk.Data(err)
	}
	return nil
}
