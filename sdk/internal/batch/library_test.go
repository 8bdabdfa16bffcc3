package batch_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/internal/batch"
)

// item is a sample that records whether it is closed.
type item struct {
	index  int
	closed *atomic.Int64
}

func (i item) Close() error { i.closed.Add(1); return nil }

type shelf struct {
	*batch.SampleLibrary[item]
	loads, closed atomic.Int64
	bad           map[int]bool
}

func newShelf(n int, bad ...int) *shelf {
	s := &shelf{bad: map[int]bool{}}
	for _, i := range bad {
		s.bad[i] = true
	}
	s.SampleLibrary = batch.NewSampleLibrary(n, func(_ context.Context, i int) (item, error) {
		if s.bad[i] {
			return item{}, errors.New("unreadable")
		}
		s.loads.Add(1)
		return item{i, &s.closed}, nil
	})
	return s
}

func (s *shelf) has(i loadgen.SampleIndex) bool {
	got, err := s.Get(nil, []loadgen.QuerySample{{Index: i}})
	return err == nil && len(got) == 1 && got[0].index == int(i)
}

func TestLibraryCountsReferences(t *testing.T) {
	s := newShelf(10)
	indices := []loadgen.SampleIndex{3, 5, 3} // MultiStream pads with samples that are already in the set
	if err := s.Load(t.Context(), indices); err != nil {
		t.Fatal(err)
	}
	if s.loads.Load() != 2 || !s.has(3) || !s.has(5) || s.has(4) {
		t.Fatalf("%d loads, want 2", s.loads.Load())
	}
	steps := []struct {
		unload []loadgen.SampleIndex
		left   bool
	}{{[]loadgen.SampleIndex{3}, true}, {[]loadgen.SampleIndex{3}, false}}
	for _, step := range steps {
		if err := s.Unload(step.unload); err != nil {
			t.Fatal(err)
		}
		if s.has(3) != step.left {
			t.Errorf("sample 3 is there: %v, want %v", s.has(3), step.left)
		}
	}
	if s.closed.Load() != 1 {
		t.Errorf("%d samples closed, want 1", s.closed.Load())
	}
	if err := s.Unload([]loadgen.SampleIndex{5, 3}); err == nil ||
		!strings.Contains(err.Error(), "unload sample 3: it is not loaded") {
		t.Errorf("error %v", err)
	}
	if !s.has(5) {
		t.Error("an Unload that failed took sample 5 along")
	}
	if err := s.Clear(); err != nil || s.has(5) || s.closed.Load() != 2 {
		t.Errorf("Clear: error %v, %d closed, want 2", err, s.closed.Load())
	}
}

func TestLibraryNamesWhatIsNotThere(t *testing.T) {
	s := newShelf(10)
	for err, part := range map[error]string{
		s.Load(t.Context(), []loadgen.SampleIndex{10}): "sample 10 does not exist: the data set has samples 0 to 9",
		s.Unload([]loadgen.SampleIndex{4294967295}):    "sample 4294967295 does not exist",
		get(s, 7):  "sample 7 is not loaded",
		get(s, 12): "sample 12 does not exist",
	} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v, want %q", err, part)
		}
	}
}

func get(s *shelf, i loadgen.SampleIndex) error {
	_, err := s.Get(nil, []loadgen.QuerySample{{Index: i}})
	return err
}

func TestLibraryNamesEveryFaultAndKeepsNothing(t *testing.T) {
	s := newShelf(100, 7, 42)
	all := make([]loadgen.SampleIndex, 100)
	for i := range all {
		all[i] = loadgen.SampleIndex(i)
	}
	err := s.Load(t.Context(), all)
	if err == nil || !strings.Contains(err.Error(), "sample 7: unreadable") ||
		!strings.Contains(err.Error(), "sample 42: unreadable") {
		t.Fatalf("error %v, want both samples", err)
	}
	if s.has(0) || s.closed.Load() != s.loads.Load() {
		t.Errorf("%d samples closed of %d", s.closed.Load(), s.loads.Load())
	}
}

func TestLibraryStopsAfterManyFaults(t *testing.T) {
	l := batch.NewSampleLibrary(100000, func(context.Context, int) (int, error) { return 0, errors.New("unreadable") })
	all := make([]loadgen.SampleIndex, 100000)
	for i := range all {
		all[i] = loadgen.SampleIndex(i)
	}
	err := l.Load(t.Context(), all)
	if n := strings.Count(fmt.Sprint(err), "unreadable"); n < 20 || n > 1000 ||
		!strings.Contains(err.Error(), "loading stopped after") {
		t.Errorf("%d faults named", n)
	}
}

func TestLibraryEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("enough")
	l := batch.NewSampleLibrary(1000, func(_ context.Context, i int) (int, error) { cancel(reason); return i, nil })
	if err := l.Load(ctx, []loadgen.SampleIndex{1, 2, 3, 4, 5, 6, 7, 8, 9}); !errors.Is(err, reason) {
		t.Errorf("error %v, want the context's cause", err)
	}
}

func TestLibraryTurnsAPanicIntoAnError(t *testing.T) {
	l := batch.NewSampleLibrary(9, func(context.Context, int) (int, error) { panic("bad file") })
	if err := l.Load(t.Context(), []loadgen.SampleIndex{4}); err == nil ||
		!strings.Contains(err.Error(), "panic in Load of sample 4: bad file") {
		t.Errorf("error %v", err)
	}
}

func TestLibraryMeasuresWhatItLoads(t *testing.T) {
	l := batch.NewSampleLibrary(4, func(_ context.Context, i int) (int, error) { return 10 * i, nil })
	l.SizeBy(func(s int) int { return s + 1 })
	if err := l.Load(t.Context(), []loadgen.SampleIndex{1, 3}); err != nil {
		t.Fatal(err)
	}
	samples := []loadgen.QuerySample{{Index: 3}, {Index: 0}, {Index: 1}, {Index: 99}}
	if got := l.Sizes([]int{7}, samples); !slices.Equal(got, []int{7, 31, 0, 11, 0}) {
		t.Errorf("sizes %v: want those of 3 and 1, and 0 for what is not loaded", got)
	}
}
