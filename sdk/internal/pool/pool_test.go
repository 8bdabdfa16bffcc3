package pool_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/pool"
)

// errBroken is the error of a broken device.
var errBroken = errors.New("out of memory")

// rig opens sessions that double a number. Its fields must be set before the first Open.
type rig struct {
	width  map[string]int // by device; otherwise from the configuration
	broken string         // the device whose runs fail
	refuse string         // the device that cannot be opened
	other  string         // the device whose model has another input
	hold   chan struct{}  // runs end when they receive a value from it; nil: at once

	opened, closed atomic.Int32
	started        chan string // receives the device of each run, if not nil
}

func (r *rig) open(_ context.Context, c backend.Config) (backend.Session, error) {
	if c.Device == r.refuse {
		return nil, errBroken
	}
	r.opened.Add(1)
	width, ok := r.width[c.Device]
	if !ok {
		width = c.Concurrency
	}
	return &doubler{rig: r, config: c, width: width}, nil
}

// doubler is one device of a rig.
type doubler struct {
	rig    *rig
	config backend.Config
	width  int
	most   atomic.Int32 // maximum number of concurrent runs so far
	now    atomic.Int32
}

func (d *doubler) Inputs() []backend.TensorInfo {
	if d.config.Device == d.rig.other {
		return []backend.TensorInfo{{Name: "x", DType: backend.Int64, Shape: []int64{-1}}}
	}
	return []backend.TensorInfo{{Name: "x", DType: backend.Int32, Shape: []int64{-1}}}
}

func (d *doubler) Outputs() []backend.TensorInfo {
	return []backend.TensorInfo{{Name: "y", DType: backend.Int32}}
}

// Limits reports native runs for one of the devices.
func (d *doubler) Limits() backend.Limits {
	return backend.Limits{Concurrency: d.width, Native: d.config.Device == "a"}
}

func (d *doubler) Describe() backend.Info {
	return backend.Info{Version: "rig 1", Details: map[string]string{"library": "one",
		"runs": fmt.Sprint(d.config.Concurrency)}}
}

func (d *doubler) Run(ctx context.Context, in, out []backend.Tensor) error {
	now := d.now.Add(1)
	defer d.now.Add(-1)
	for most := d.most.Load(); now > most && !d.most.CompareAndSwap(most, now); most = d.most.Load() {
	}
	if d.rig.started != nil {
		d.rig.started <- d.config.Device
	}
	if d.rig.hold != nil {
		<-d.rig.hold
	}
	if d.config.Device == d.rig.broken {
		return errBroken
	}
	x := backend.View[int32](in[0].Data)
	y := make([]int32, len(x))
	for i := range x {
		y[i] = 2 * x[i]
	}
	out[0] = backend.Tensor{DType: backend.Int32, Shape: in[0].Shape, Data: backend.Bytes(y)}
	return ctx.Err()
}

func (d *doubler) Close() error {
	d.rig.closed.Add(1)
	if d.config.Device == d.rig.broken {
		return errBroken
	}
	return nil
}

func (r *rig) session(t *testing.T, c backend.Config, devices ...string) *pool.Session {
	t.Helper()
	s, err := pool.OpenSessions(t.Context(), c, devices, r.open)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// run doubles n numbers.
func run(ctx context.Context, s backend.Session, n int) error {
	x := make([]int32, n)
	x[n-1] = int32(n)
	out := make([]backend.Tensor, 1)
	err := s.Run(ctx, []backend.Tensor{{DType: backend.Int32, Shape: []int64{int64(n)}, Data: backend.Bytes(x)}}, out)
	if err == nil && backend.View[int32](out[0].Data)[n-1] != int32(2*n) {
		return fmt.Errorf("%d doubled is %v", n, out[0].Data)
	}
	return err
}

func TestTheRunsAtATimeAreDivided(t *testing.T) {
	for _, c := range []struct {
		total int
		want  []int
	}{{0, []int{0, 0, 0}}, {1, []int{1, 1, 1}}, {3, []int{1, 1, 1}}, {8, []int{3, 3, 2}}} {
		var mu sync.Mutex
		got := map[string]int{}
		r := &rig{}
		s, err := pool.OpenSessions(t.Context(), backend.Config{Concurrency: c.total, LowLatency: true, MaxBatch: 9},
			[]string{"a", "b", "c"},
			func(ctx context.Context, own backend.Config) (backend.Session, error) {
				mu.Lock()
				defer mu.Unlock()
				got[own.Device] = own.Concurrency
				if !own.LowLatency || own.MaxBatch != 9 {
					t.Errorf("the rest of the configuration is %+v", own)
				}
				return r.open(ctx, own)
			})
		if err != nil {
			t.Fatal(err)
		}
		if parts := []int{got["a"], got["b"], got["c"]}; !reflect.DeepEqual(parts, c.want) {
			t.Errorf("%d runs at a time are divided into %v, want %v", c.total, parts, c.want)
		}
		if err := s.Close(); err != nil || r.closed.Load() != 3 {
			t.Errorf("%d devices closed, error %v", r.closed.Load(), err)
		}
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		width map[string]int
		want  int
	}{{map[string]int{"a": 2, "b": 3}, 5}, {map[string]int{"a": 2, "b": 0}, 0}} {
		s := (&rig{width: c.width}).session(t, backend.Config{}, "a", "b")
		if got := s.Limits(); got.Concurrency != c.want || !got.Native {
			t.Errorf("%v: %+v, want %d runs at a time, native ones among them", c.width, got, c.want)
		}
	}
}

// A run goes to the device that is least busy relative to its width, and to each in turn if all are equally busy.
func TestWhoGetsTheRun(t *testing.T) {
	r := &rig{width: map[string]int{"wide": 3, "narrow": 1}, hold: make(chan struct{}), started: make(chan string)}
	s := r.session(t, backend.Config{}, "narrow", "wide")
	var all sync.WaitGroup
	got := map[string]int{}
	for range 8 { // twice as many as fill them
		all.Go(func() {
			if err := run(t.Context(), s, 1); err != nil {
				t.Error(err)
			}
		})
		got[<-r.started]++
	}
	if got["wide"] != 6 || got["narrow"] != 2 {
		t.Errorf("of 8 runs at a time %v, want 6 on wide and 2 on narrow", got)
	}
	close(r.hold)
	all.Wait()
	idle := &rig{started: make(chan string, 4)}
	s = idle.session(t, backend.Config{Concurrency: 2}, "a", "b")
	for range 4 {
		if err := run(t.Context(), s, 1); err != nil {
			t.Fatal(err)
		}
	}
	if order := <-idle.started + <-idle.started + <-idle.started + <-idle.started; order != "abab" {
		t.Errorf("one run after the other goes to %s, want abab", order)
	}
}

// As many workers as the pool's limit allows never overload a device.
func TestNoDeviceIsOverloaded(t *testing.T) {
	r := &rig{width: map[string]int{"a": 1, "b": 2, "c": 3}}
	var engines []*doubler
	var mu sync.Mutex
	s, err := pool.OpenSessions(t.Context(), backend.Config{}, []string{"a", "b", "c"},
		func(ctx context.Context, c backend.Config) (backend.Session, error) {
			e, err := r.open(ctx, c)
			mu.Lock()
			defer mu.Unlock()
			engines = append(engines, e.(*doubler))
			return e, err
		})
	if err != nil {
		t.Fatal(err)
	}
	var workers sync.WaitGroup
	for range s.Limits().Concurrency {
		workers.Go(func() {
			for n := 1; n <= 500; n++ {
				if err := run(t.Context(), s, n%7+1); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	workers.Wait()
	for _, e := range engines {
		if int(e.most.Load()) > e.width {
			t.Errorf("device %s had %d runs at a time, it takes %d", e.config.Device, e.most.Load(), e.width)
		}
	}
	var batches, samples uint64
	for _, share := range s.Shares() {
		batches, samples = batches+share.Batches, samples+share.Samples
		if share.Batches == 0 {
			t.Errorf("device %s did nothing", share.Name)
		}
	}
	if batches != 3000 || samples != 6*sumOfRows(500) {
		t.Errorf("%d batches, %d samples, want 3000 and %d", batches, samples, 6*sumOfRows(500))
	}
}

func sumOfRows(runs int) (n uint64) {
	for i := 1; i <= runs; i++ {
		n += uint64(i%7 + 1)
	}
	return n
}

func TestALaneStaysOnItsDevice(t *testing.T) {
	r := &rig{started: make(chan string, 10)}
	s := r.session(t, backend.Config{Concurrency: 2}, "a", "b")
	l := s.Lane()
	for range 2 {
		l.Begin(1)
		for range 3 { // one sample with three runs
			if err := run(t.Context(), l, 5); err != nil {
				t.Fatal(err)
			}
		}
		l.End()
	}
	want := []backend.WorkShare{{Name: "a", Batches: 3, Samples: 1}, {Name: "b", Batches: 3, Samples: 1}}
	if got := s.Shares(); !reflect.DeepEqual(got, want) {
		t.Errorf("shares %+v, want %+v", got, want)
	}
	if err := run(t.Context(), l, 5); err != nil { // outside Begin and End
		t.Fatal(err)
	}
	if got := s.Shares()[0]; got.Batches != 4 || got.Samples != 6 {
		t.Errorf("a run by itself counts its rows: %+v", got)
	}
	s.Restart()
	if got := s.Shares(); !reflect.DeepEqual(got, []backend.WorkShare{{Name: "a"}, {Name: "b"}}) {
		t.Errorf("after a restart %+v", got)
	}
}

func TestABrokenDeviceFailsByName(t *testing.T) {
	r := &rig{broken: "b"}
	s := r.session(t, backend.Config{Concurrency: 2}, "a", "b")
	if err := run(t.Context(), s, 1); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), s, 4); !errors.Is(err, errBroken) || !strings.HasPrefix(err.Error(), "device b: ") {
		t.Errorf("error %v, want that of device b", err)
	}
	if got := s.Shares(); got[1].Samples != 0 || got[1].Batches != 0 {
		t.Errorf("what failed is counted: %+v", got)
	}
	if err := s.Close(); !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "device b: ") ||
		r.closed.Load() != 2 {
		t.Errorf("%d devices closed, error %v", r.closed.Load(), err)
	}
}

func TestADeviceThatCannotBeOpened(t *testing.T) {
	r := &rig{refuse: "b"}
	_, err := pool.OpenSessions(t.Context(), backend.Config{}, []string{"a", "b", "c"}, r.open)
	if !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "device b: ") {
		t.Errorf("error %v, want that of device b", err)
	}
	if r.opened.Load() != 2 || r.closed.Load() != 2 {
		t.Errorf("%d opened, %d closed, want 2 and 2", r.opened.Load(), r.closed.Load())
	}
}

func TestDevicesThatDiffer(t *testing.T) {
	r := &rig{other: "c"}
	_, err := pool.OpenSessions(t.Context(), backend.Config{}, []string{"a", "b", "c"}, r.open)
	if !errors.Is(err, backend.ErrTensors) || !strings.Contains(err.Error(),
		"device c has the inputs [x int64[N]], a has [x int32[N]]") {
		t.Errorf("error %v, want one of device c", err)
	}
	if r.closed.Load() != 3 {
		t.Errorf("%d closed, want 3", r.closed.Load())
	}
}

func TestDescribe(t *testing.T) {
	s := (&rig{}).session(t, backend.Config{Concurrency: 3}, "a", "b")
	got := s.Describe()
	want := backend.Info{
		Version: "rig 1", Devices: []string{"a", "b"}, Shares: []backend.WorkShare{{Name: "a"}, {Name: "b"}},
		Details: map[string]string{"library": "one", "runs": "2 (a), 1 (b)"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}
