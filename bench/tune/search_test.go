package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// machine is a simulated machine with the true rate of each setting and the measurements of tests.
type machine struct {
	rng   *rand.Rand
	truth map[Setting]float64
	noise noise
	drift float64 // logarithm of the machine's speed
	spent time.Duration
}

// noise describes the disturbances of tests of one second. Shorter tests are disturbed more.
type noise struct {
	sigma float64 // standard deviation between tests
	hits  float64 // share of tests that other work slows by 5 to 40 %
	drift float64 // standard deviation of the change of the machine's speed between tests
}

func (m *machine) measure(_ context.Context, s Setting, d time.Duration) (float64, error) {
	m.spent += d
	m.drift = 0.9*m.drift + m.noise.drift*m.rng.NormFloat64()
	log := m.drift + m.noise.sigma/math.Sqrt(d.Seconds())*m.rng.NormFloat64()
	if m.rng.Float64() < m.noise.hits {
		log += math.Log(1 - 0.05 - 0.35*m.rng.Float64())
	}
	return m.truth[s] * math.Exp(log), nil
}

// surfaces contains functions from settings to rates.
func surfaces() map[string]func(*rand.Rand, []Setting) map[Setting]float64 {
	each := func(f func(*rand.Rand, Setting) float64) func(*rand.Rand, []Setting) map[Setting]float64 {
		return func(rng *rand.Rand, grid []Setting) map[Setting]float64 {
			truth := map[Setting]float64{}
			for _, s := range grid {
				truth[s] = f(rng, s)
			}
			return truth
		}
	}
	return map[string]func(*rand.Rand, []Setting) map[Setting]float64{
		"any":     each(func(rng *rand.Rand, _ Setting) float64 { return 50 + 50*rng.Float64() }),
		"plateau": each(func(rng *rand.Rand, _ Setting) float64 { return 100 - 10*rng.Float64() }),
		"smooth": func(rng *rand.Rand, grid []Setting) map[Setting]float64 {
			overhead, cache, serial := 4*rng.Float64(), 4+60*rng.Float64(), 0.4*rng.Float64()
			return each(func(rng *rand.Rand, s Setting) float64 {
				b, used := float64(max(s.Batch, 1)), float64(max(s.Sessions, 1))*math.Pow(float64(max(s.Threads, 1)), 1-serial)
				full := b * used / cache
				return 100 * used * b / (b + overhead) / (1 + full*full/10) * (1 + 0.02*rng.NormFloat64())
			})(rng, grid)
		},
	}
}

func highest(truth map[Setting]float64) float64 {
	top := 0.0
	for _, rate := range truth {
		top = max(top, rate)
	}
	return top
}

// The result of a search is rarely more than Tolerance slower than the best setting of the grid: on all surfaces on an
// idle machine, and in nine of ten cases on a busy machine, where the search reports an uncertain result.
func TestSearchFindsTheBest(t *testing.T) {
	const cases = 150
	batches := []int{1, 2, 4, 8, 16, 32}
	grids := map[string][]Setting{"2 cores": DefaultGrid(batches, 2, true), "16 cores": DefaultGrid(batches, 16, true)}
	noises := map[string]struct {
		noise
		least int     // minimum share of such cases
		time  float64 // maximum share of the time of an exhaustive search
	}{
		"quiet": {noise{0.01, 0, 0.002}, cases, 0.6},
		"busy":  {noise{0.02, 0.05, 0.01}, cases * 97 / 100, 0.75},
		"bad":   {noise{0.04, 0.1, 0.02}, cases * 88 / 100, 1},
	}
	for size, grid := range grids {
		for shape, surface := range surfaces() {
			for disturbed, n := range noises {
				t.Run(fmt.Sprintf("%s, %s, %s", size, shape, disturbed), func(t *testing.T) {
					good, spent := 0, time.Duration(0)
					for i := range cases {
						m := newMachine(uint64(i), n.noise, grid, surface)
						found, err := Search{Measure: m.measure, Time: 2 * time.Second}.Run(t.Context(), grid)
						if err != nil {
							t.Fatal(err)
						}
						if m.truth[found.Points[0].Setting] >= (1-Tolerance)*highest(m.truth) {
							good++
						}
						spent += m.spent
					}
					if good < n.least {
						t.Errorf("within %v of the best in %d cases of %d, want %d", Tolerance, good, cases, n.least)
					}
					if all := time.Duration(cases*len(grid)*minRounds) * 2 * time.Second; spent.Seconds() > n.time*all.Seconds() {
						t.Errorf("the search takes %v, all of the grid %v", spent/cases, all/cases)
					}
				})
			}
		}
	}
}

func newMachine(seed uint64, n noise, grid []Setting,
	surface func(*rand.Rand, []Setting) map[Setting]float64) *machine {
	rng := rand.New(rand.NewPCG(seed, 7))
	return &machine{rng: rng, truth: surface(rng, grid), noise: n}
}

// An undecided search reports it: two settings that the rounds of the final stage cannot distinguish.
func TestSearchSaysWhenItIsNotSure(t *testing.T) {
	turn := 0
	found, err := Search{Time: time.Second, Measure: func(context.Context, Setting, time.Duration) (float64, error) {
		turn++
		return []float64{100, 120, 120, 100, 80, 90, 95}[turn%7], nil
	}}.Run(t.Context(), Grid([]int{1, 2}, []int{1}, nil))
	if err != nil || found.Decided || found.Points[0].Tests != maxRounds || found.Points[0].Spread < 0.1 {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestExhaustive(t *testing.T) {
	grid := Grid([]int{1, 2, 3, 4, 5, 6, 7}, []int{1, 2}, nil)
	m := newMachine(1, noise{}, grid, surfaces()["any"])
	found, err := Search{Measure: m.measure, Time: time.Second, Exhaustive: true}.Run(t.Context(), grid)
	if err != nil || m.spent != minRounds*time.Second*time.Duration(len(grid)) {
		t.Errorf("%v, after %v", err, m.spent)
	}
	for i, p := range found.Points {
		if !p.Final || p.Tests != minRounds || i > 0 && p.SamplesPerSecond > found.Points[i-1].SamplesPerSecond {
			t.Errorf("point %d is %+v", i, p)
		}
	}
}

// A setting that cannot be measured leaves the search with the reason.
func TestSearchWithoutSettingsThatFail(t *testing.T) {
	grid := Grid([]int{1, 2, 4, 8, 16, 32}, []int{1, 2}, nil)
	noMemory := errors.New("no memory for it")
	measure := func(_ context.Context, s Setting, _ time.Duration) (float64, error) {
		if s.Batch >= 8 {
			return 0, noMemory
		}
		return float64(10 + s.Batch), nil
	}
	found, err := Search{Measure: measure, Time: time.Second}.Run(t.Context(), grid)
	if err != nil || found.Points[0].Batch != 4 || !found.Decided {
		t.Fatalf("%+v, %v", found, err)
	}
	faults := 0
	for _, p := range found.Points {
		if (p.Fault == noMemory.Error()) != (p.Batch >= 8) {
			t.Errorf("%+v", p)
		}
		if p.Fault != "" {
			faults++
		}
	}
	if faults != 6 || found.Points[len(found.Points)-1].Fault == "" {
		t.Errorf("%d faults, want 6, at the end", faults)
	}
}

func TestSearchWhereNothingCanBeMeasured(t *testing.T) {
	measure := func(context.Context, Setting, time.Duration) (float64, error) { return 0, errors.New("no device") }
	_, err := Search{Measure: measure, Time: time.Second}.Run(t.Context(), Grid([]int{7}, []int{1}, nil))
	if !errors.Is(err, ErrNothing) || !strings.Contains(err.Error(), "batch 7, 1 session: no device") {
		t.Errorf("error %v, want one that names the settings", err)
	}
	for _, rate := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		measure := func(context.Context, Setting, time.Duration) (float64, error) { return rate, nil }
		if _, err := (Search{Measure: measure, Time: time.Second}).Run(t.Context(),
			Grid([]int{7}, []int{1}, nil)); err == nil {
			t.Errorf("a rate of %v was taken", rate)
		}
	}
}

// The measurements before an interruption are kept.
func TestInterruptedSearch(t *testing.T) {
	stop := errors.New("stop")
	for _, after := range []int{1, 5, 20, 30} {
		ctx, cancel := context.WithCancelCause(t.Context())
		measured := map[Setting]bool{}
		found, err := Search{Time: time.Second,
			Measure: func(_ context.Context, s Setting, _ time.Duration) (float64, error) {
				if after--; after < 0 {
					cancel(stop)
					return 0, context.Canceled
				}
				measured[s] = true
				return float64(100 + s.Batch), nil
			}}.Run(ctx, Grid([]int{1, 2, 4, 8, 16, 32}, []int{1, 2}, nil))
		if !errors.Is(err, stop) || found.Decided || len(found.Points) != 13 {
			t.Errorf("error %v, found %+v", err, found)
		}
		for _, p := range found.Points {
			if p.Fault != "" || (p.Tests > 0) != measured[p.Setting] {
				t.Errorf("%+v, measured %v", p, measured[p.Setting])
			}
		}
	}
}
