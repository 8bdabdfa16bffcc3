package capacity

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// queue sends n queries with random gaps of a mean (ns) through servers with the given times in service.
func queue(n, servers int, gap float64, service func(*rand.Rand) int64) (arrive, done []int64) {
	rng := rand.New(rand.NewPCG(1, uint64(servers)))
	free := make(timeHeap, servers)
	var at int64
	for range n {
		at += int64(rng.ExpFloat64() * gap)
		end := max(at, free[0]) + service(rng)
		free.replaceEarliest(end)
		arrive, done = append(arrive, at), append(done, end)
	}
	return arrive, done
}

const ms = 1_000_000

func fixed(*rand.Rand) int64      { return 10 * ms }
func uniform(r *rand.Rand) int64  { return 5*ms + r.Int64N(10*ms) }
func exponent(r *rand.Rand) int64 { return int64(r.ExpFloat64() * 10 * ms) }

// TestFitFindsTheServers checks that Fit finds the number of servers at loads from light to too heavy.
func TestFitFindsTheServers(t *testing.T) {
	for name, service := range map[string]func(*rand.Rand) int64{"fixed": fixed, "uniform": uniform,
		"exponential": exponent} {
		for _, servers := range []int{1, 2, 4, 16} {
			for _, load := range []float64{0.7, 0.95, 1.2} {
				t.Run(fmt.Sprintf("%s %d %v", name, servers, load), func(t *testing.T) {
					arrive, done := queue(20000, servers, 10*ms/float64(servers)/load, service)
					m := Fit(arrive, done)
					if off := math.Abs(float64(m.Servers - servers)); off > 0.13*float64(servers)+0.5 {
						t.Errorf("%d servers, want %d", m.Servers, servers)
					}
					if s := m.Service(); math.Abs(s/(10*ms)-1) > 0.15 {
						t.Errorf("mean service %.3g ms, want about 10", s/ms)
					}
				})
			}
		}
	}
}

// TestModelRepeatsTheRun checks that without a stretch the model has the recorded latencies.
func TestModelRepeatsTheRun(t *testing.T) {
	arrive, done := queue(5000, 3, 3.5*ms, uniform)
	m := Fit(arrive, done)
	for _, limit := range []int64{5 * ms, 15 * ms, 20 * ms, 40 * ms} {
		want := 0
		for i := range arrive {
			if done[i]-arrive[i] > limit {
				want++
			}
		}
		if got := m.Late(1, limit); got != want {
			t.Errorf("limit %d: %d late, want %d", limit, got, want)
		}
	}
}

// TestStretchFindsThePassingRate compares the true queue with the limit at the rate that Stretch finds, and at a rate a
// tenth higher.
func TestStretchFindsThePassingRate(t *testing.T) {
	const n, limit, allowed = 20000, 60 * ms, 200
	for _, servers := range []int{1, 4} {
		gap := 10 * ms / float64(servers) / 1.3
		arrive, done := queue(n, servers, gap, uniform)
		f, ok := Fit(arrive, done).Stretch(limit, allowed)
		if !ok || f < 1.3 || f > 3 {
			t.Fatalf("%d servers: stretch %v, %v", servers, f, ok)
		}
		late := func(stretch float64) int {
			a, d := queue(n, servers, gap*stretch, uniform)
			f := queueFitter{arrive: a, done: d, service: make([]int64, n)}
			return f.modelFor(servers).Late(1, limit)
		}
		if at, above := late(f*1.02), late(f/1.1); at > allowed || above <= allowed {
			t.Errorf("%d servers: %d late at the rate found, %d at a higher one", servers, at, above)
		}
	}
}

func TestStretchWhereNoRatePasses(t *testing.T) {
	arrive, done := queue(1000, 1, 20*ms, fixed)
	m := Fit(arrive, done)
	if f, ok := m.Stretch(9*ms, 10); ok {
		t.Errorf("stretch %v meets a limit below the time in service", f)
	}
	if f, ok := m.Stretch(math.MaxInt64, 0); !ok || f != 1 {
		t.Errorf("stretch %v %v, want 1 without a limit", f, ok)
	}
}

// TestFitOfOneAndOfEqualQueries fits queries that show no correlation.
func TestFitOfOneAndOfEqualQueries(t *testing.T) {
	if m := Fit([]int64{5}, []int64{15}); m.Servers != 1 || m.Service() != 10 {
		t.Errorf("%+v", m)
	}
	if m := Fit([]int64{0, 0, 0}, []int64{10, 10, 10}); m.Servers < 1 || m.Late(1, 9) != 3 {
		t.Errorf("%+v", m)
	}
}

// FuzzFit checks a property of arbitrary times: the model's latencies are the recorded ones unless a query overtook
// others.
func FuzzFit(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8})
	f.Add([]byte{0, 0, 0, 255, 255, 0, 9, 9, 1, 200})
	f.Fuzz(func(t *testing.T, data []byte) {
		var arrive, done []int64
		var at int64
		for i := 0; i+1 < len(data); i += 2 {
			at += int64(data[i])
			arrive, done = append(arrive, at), append(done, at+int64(data[i+1]))
		}
		if len(arrive) == 0 {
			return
		}
		m := Fit(arrive, done)
		if m.Servers < 1 || m.Servers > len(arrive) {
			t.Fatalf("%d servers for %d queries", m.Servers, len(arrive))
		}
		if slow, quick := m.Late(math.Inf(1), 50), m.Late(1, 50); slow > quick {
			t.Errorf("%d late without waiting, %d with", slow, quick)
		}
		if factor, ok := m.Stretch(100, 1); ok && (factor < 1 || m.Late(factor, 100) > 1) {
			t.Errorf("stretch %v has %d late", factor, m.Late(factor, 100))
		}
	})
}

func BenchmarkFit(b *testing.B) {
	arrive, done := queue(50000, 8, 1.2*ms, uniform)
	b.ReportAllocs()
	for b.Loop() {
		if m := Fit(arrive, done); m.Servers != 8 {
			m.Stretch(40*ms, 500)
		}
	}
}

func TestUnbatch(t *testing.T) {
	arrive := []int64{0, 10, 20, 100, 130, 190}
	spread, size := Unbatch(arrive, []int64{60, 60, 60, 160, 190, 220})
	if want := []int64{20, 40, 60, 160, 190, 220}; !slices.Equal(spread, want) || size != 1.5 {
		t.Errorf("%v, batches of %v; want %v", spread, size, want)
	}
}

func TestOvertaken(t *testing.T) {
	for want, done := range map[int][]int64{0: {1, 2, 2, 3, 3, 9}, 3: {4, 5, 6, 3}, 2: {10, 2, 9, 3, 4}} {
		if got := maxOvertaken(done); got != want {
			t.Errorf("%v: %d, want %d", done, got, want)
		}
	}
}

func TestTimesComeInOrder(t *testing.T) {
	var h timeHeap
	for _, v := range []int64{5, 3, 9, 3, 1, 7} {
		h.pushTime(v)
	}
	h.replaceEarliest(8) // replaces 1
	for _, want := range []int64{3, 3, 5, 7, 8, 9} {
		if h[0] != want {
			t.Fatalf("%d, want %d", h[0], want)
		}
		h.popEarliest()
	}
}
