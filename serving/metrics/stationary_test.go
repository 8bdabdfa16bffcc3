package metrics_test

import (
	"container/heap"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/serving/metrics"
)

type times []int64

func (t times) Len() int           { return len(t) }
func (t times) Less(i, j int) bool { return t[i] < t[j] }
func (t times) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *times) Push(x any)        { *t = append(*t, x.(int64)) }
func (t *times) Pop() any {
	last := len(*t) - 1
	x := (*t)[last]
	*t = (*t)[:last]
	return x
}

// queued returns requests that arrive at a rate at a server that processes a number of them at a time in 200 to 600 ms
// each: 2.5 per second and slot. The first token arrives 20 ms after the start of processing.
func queued(n int, perSecond float64, slots int, seed uint64) []metrics.Request {
	rng := rand.New(rand.NewPCG(seed, 9))
	free := make(times, slots)
	var all []metrics.Request
	at := int64(0)
	for range n {
		at += int64(rng.ExpFloat64() / perSecond * 1e9)
		begin := max(at, heap.Pop(&free).(int64))
		end := begin + int64((0.2+0.4*rng.Float64())*1e9)
		heap.Push(&free, end)
		r := answer(at, begin+20e6, end)
		r.End = end
		all = append(all, r)
	}
	return all
}

// TestStationary checks for nearly all seeds that a server at 80 % of its capacity for 60 s is stationary, and for all
// seeds that one at 115 % is not.
func TestStationary(t *testing.T) {
	const seeds = 200
	of := func(perSecond float64) (rises int) {
		for seed := range uint64(seeds) {
			all := queued(int(60*perSecond), perSecond, 10, seed)
			s := metrics.CheckStationarity(all, metrics.IssuedWindow(all), metrics.FigureRules{})
			if !s.Told || s.TTFT == nil || len(s.TTFT.Windows) != 10 || len(s.UnderWay.Windows) != 10 {
				t.Fatalf("seed %d: %+v", seed, s)
			}
			if s.Rises {
				rises++
			}
		}
		return rises
	}
	for _, c := range []struct {
		share       float64
		least, most int
	}{{0.3, 0, 4}, {0.8, 0, 6}, {1.15, 190, seeds}, {1.5, 198, seeds}} {
		if n := of(25 * c.share); n < c.least || n > c.most {
			t.Errorf("at %v of what the server can do %d of %d seeds rise, want %d to %d", c.share, n, seeds, c.least, c.most)
		} else {
			t.Logf("at %v of what the server can do %d of %d seeds rise", c.share, n, seeds)
		}
	}
}

// TestStationarySteps checks that values that increased in the first half, or that fall, do not count as rising.
func TestStationarySteps(t *testing.T) {
	with := func(ttft func(i int64) int64) metrics.Stationarity {
		var all []metrics.Request
		for i := range int64(100) {
			due := i * 1e8
			all = append(all, answer(due, due+ttft(i), due+ttft(i)+1e6))
		}
		return metrics.CheckStationarity(all, metrics.IssuedWindow(all), metrics.FigureRules{})
	}
	for name, c := range map[string]struct {
		ttft  func(i int64) int64
		rises bool
	}{
		"level":             {func(i int64) int64 { return 50e6 + i%7*1e5 }, false},
		"a step at a third": {func(i int64) int64 { return 50e6 + min(1, i/33)*50e6 + i%7*1e5 }, false},
		"falling":           {func(i int64) int64 { return 150e6 - i*1e6 }, false},
		"rising":            {func(i int64) int64 { return 50e6 + i*1e6 }, true},
		"a hundredth more":  {func(i int64) int64 { return 50e6 + i*5e3 }, false},
	} {
		if s := with(c.ttft); s.Rises != c.rises {
			t.Errorf("%s: %+v", name, s.TTFT)
		}
	}
}

// TestStationaryUntold checks that few requests, and requests that are all due at once, permit no conclusion.
func TestStationaryUntold(t *testing.T) {
	few := random(49, 3, 1)
	at := make([]metrics.Request, 100)
	for i := range at {
		at[i] = answer(0, 5, 6)
	}
	for _, all := range [][]metrics.Request{few, at, nil} {
		if s := metrics.CheckStationarity(all, metrics.IssuedWindow(all), metrics.FigureRules{}); s.Told || s.Rises {
			t.Errorf("%d requests: %+v", len(all), s)
		}
	}
	refused := slices.Repeat([]metrics.Request{failed(0, 1)}, 100)
	for i := range refused {
		refused[i].Due = int64(i) * 1e6
		refused[i].Sent, refused[i].End = refused[i].Due, refused[i].Due+1e3
	}
	s := metrics.CheckStationarity(refused, metrics.IssuedWindow(refused), metrics.FigureRules{})
	if !s.Told || s.Rises || s.TTFT != nil {
		t.Errorf("nothing but refusals: %+v", s)
	}
}
