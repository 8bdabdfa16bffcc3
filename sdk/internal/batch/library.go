package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// maxFaults is the maximum number of samples that the error of Load names.
const maxFaults = 20

// SampleLibrary keeps the loaded samples of a data set and counts the references to each.
type SampleLibrary[S any] struct {
	load func(ctx context.Context, i int) (S, error)
	size func(S) int // nil: sizes are not needed
	cpus int         // number of samples that are loaded concurrently

	mu    sync.RWMutex
	slots []sampleSlot[S]
}

type sampleSlot[S any] struct {
	sample S
	held   bool // sample is loaded
	size   int
	refs   int
}

// NewSampleLibrary returns a library of n samples. It calls load to read samples, several at a time.
func NewSampleLibrary[S any](n int, load func(ctx context.Context, i int) (S, error)) *SampleLibrary[S] {
	return &SampleLibrary[S]{load: load, cpus: runtime.GOMAXPROCS(0), slots: make([]sampleSlot[S], n)}
}

// SizeBy makes the library measure each sample when it is loaded. Call it before the first Load.
func (l *SampleLibrary[S]) SizeBy(size func(S) int) { l.size = size }

// Sizes appends the size of each sample to dst, in order. The size of a sample that is not loaded is 0; its batch will
// fail.
func (l *SampleLibrary[S]) Sizes(dst []int, samples []loadgen.QuerySample) []int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, s := range samples {
		size := 0
		if int64(s.Index) < int64(len(l.slots)) {
			size = l.slots[s.Index].size
		}
		dst = append(dst, size)
	}
	return dst
}

// Load loads the samples that are not loaded yet, on all cores, and counts one reference for each occurrence. If one
// fails, it keeps none of the call's samples, and the error names all that failed.
func (l *SampleLibrary[S]) Load(ctx context.Context, indices []loadgen.SampleIndex) error {
	if err := l.checkIndices(indices); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	fresh := l.unloadedIndices(indices)
	if err := l.loadAll(ctx, fresh); err != nil {
		return errors.Join(err, l.dropReferences(fresh))
	}
	for _, i := range indices {
		l.slots[i].refs++
	}
	return nil
}

func (l *SampleLibrary[S]) checkIndices(indices []loadgen.SampleIndex) error {
	for _, i := range indices {
		if int64(i) >= int64(len(l.slots)) {
			return fmt.Errorf("sample %d does not exist: the data set has samples 0 to %d", i, len(l.slots)-1)
		}
	}
	return nil
}

// unloadedIndices lists the distinct indices that are not loaded.
func (l *SampleLibrary[S]) unloadedIndices(indices []loadgen.SampleIndex) []loadgen.SampleIndex {
	var fresh []loadgen.SampleIndex
	for _, i := range indices {
		if l.slots[i].refs == 0 {
			fresh = append(fresh, i)
		}
	}
	slices.Sort(fresh)
	return slices.Compact(fresh)
}

func (l *SampleLibrary[S]) loadAll(ctx context.Context, indices []loadgen.SampleIndex) error {
	faults := make([]error, len(indices))
	var next, failed atomic.Int64
	var workers sync.WaitGroup
	for range min(l.cpus, len(indices)) {
		workers.Go(func() {
			for k := next.Add(1) - 1; k < int64(len(indices)); k = next.Add(1) - 1 {
				if ctx.Err() != nil || failed.Load() >= maxFaults {
					return
				}
				if faults[k] = l.loadSample(ctx, int(indices[k])); faults[k] != nil {
					failed.Add(1)
				}
			}
		})
	}
	workers.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if n := failed.Load(); n >= maxFaults {
		faults = append(faults, fmt.Errorf("loading stopped after %d samples that failed", n))
	}
	return errors.Join(faults...)
}

func (l *SampleLibrary[S]) loadSample(ctx context.Context, i int) (err error) {
	defer RecoverPanic(&err, func() string { return fmt.Sprintf("Load of sample %d", i) })
	s, err := l.load(ctx, i)
	if err != nil {
		return fmt.Errorf("sample %d: %w", i, err)
	}
	l.slots[i].sample, l.slots[i].held = s, true
	if l.size != nil {
		l.slots[i].size = l.size(s)
	}
	return nil
}

// Unload removes one reference for each occurrence and drops the samples without references. If a sample is not loaded,
// it changes nothing.
func (l *SampleLibrary[S]) Unload(indices []loadgen.SampleIndex) error {
	if err := l.checkIndices(indices); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for k, i := range indices {
		if l.slots[i].refs == 0 {
			for _, undo := range indices[:k] {
				l.slots[undo].refs++
			}
			return fmt.Errorf("unload sample %d: it is not loaded, or not that often", i)
		}
		l.slots[i].refs--
	}
	return l.dropReferences(indices)
}

// Clear drops all samples.
func (l *SampleLibrary[S]) Clear() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var errs []error
	for i := range l.slots {
		l.slots[i].refs = 0
		errs = append(errs, l.dropReference(loadgen.SampleIndex(i)))
	}
	return errors.Join(errs...)
}

func (l *SampleLibrary[S]) dropReferences(indices []loadgen.SampleIndex) error {
	var errs []error
	for _, i := range indices {
		if l.slots[i].refs == 0 {
			errs = append(errs, l.dropReference(i))
		}
	}
	return errors.Join(errs...)
}

func (l *SampleLibrary[S]) dropReference(i loadgen.SampleIndex) error {
	was := l.slots[i]
	l.slots[i] = sampleSlot[S]{}
	if c, ok := any(was.sample).(io.Closer); ok && was.held {
		return c.Close()
	}
	return nil
}

// Get appends the loaded samples to dst, in order.
func (l *SampleLibrary[S]) Get(dst []S, samples []loadgen.QuerySample) ([]S, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, s := range samples {
		if int64(s.Index) >= int64(len(l.slots)) || l.slots[s.Index].refs == 0 {
			return dst, l.errNotLoaded(s.Index)
		}
		dst = append(dst, l.slots[s.Index].sample)
	}
	return dst, nil
}

func (l *SampleLibrary[S]) errNotLoaded(i loadgen.SampleIndex) error {
	if err := l.checkIndices([]loadgen.SampleIndex{i}); err != nil {
		return err
	}
	return fmt.Errorf("sample %d is not loaded: load it before it is issued", i)
}
