package tune

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// server is a simulated SUT. Runs up to its capacity are VALID.
type server struct {
	rng       *rand.Rand
	capacity  float64
	jitter    float64 // standard deviation of the capacity between runs, as a fraction
	accidents float64 // share of runs that are INVALID at any rate
	runs      int
}

func (s *server) try(_ context.Context, qps float64) (Trial, error) {
	s.runs++
	capacity := s.capacity * (1 + s.jitter*s.rng.NormFloat64())
	t := Trial{TargetQPS: qps, Valid: qps <= capacity && s.rng.Float64() >= s.accidents}
	if !t.Valid {
		t.Estimate = capacity * math.Exp(0.2*s.rng.NormFloat64())
	}
	return t, nil
}

// maxRuns is the maximum number of runs in a search that requires two consecutive VALID runs: twice the probes, and two
// pairs of runs for each share.
const maxRuns = 2*maxProbes + 4*(len(stepsBack)+(repeatRounds-1)*(len(stepsBack)-repeatFrom))

// TestRateSearch searches simulated SUTs on idle machines and on machines whose other work makes many runs INVALID.
func TestRateSearch(t *testing.T) {
	const cases = 150
	for name, c := range map[string]struct {
		jitter, accidents float64
		good              float64 // share of searches whose result is within Precision of the capacity
		none              float64 // share of searches without a result
		runs              float64 // mean number
	}{
		"quiet":     {0.002, 0, 1, 0, 8.7},
		"busy":      {0.015, 0.05, 0.85, 0, 9.9},
		"bad":       {0.03, 0.15, 0.45, 0, 11},
		"disturbed": {0.05, 0.25, 0.15, 0, 12},
	} {
		good, none, runs := 0, 0, 0
		for i := range cases {
			rng := rand.New(rand.NewPCG(uint64(i), 3))
			s := &server{rng: rng, capacity: 1000 * (0.1 + 0.95*rng.Float64()), jitter: c.jitter, accidents: c.accidents}
			rate, err := find(t.Context(), RateSearch{Probe: s.try, Confirm: s.try, Confirmations: 2},
				1000*(1+0.05*rng.NormFloat64()))
			switch {
			case errors.Is(err, ErrNoRate):
				none++
			case err != nil:
				t.Fatal(err)
			case rate > (1+3*c.jitter)*s.capacity:
				t.Errorf("%s: %v was confirmed, the capacity is %v", name, rate, s.capacity)
			case rate >= s.capacity*(1-Precision):
				good++
			}
			if runs += s.runs; s.runs > maxRuns {
				t.Errorf("%s: %d runs", name, s.runs)
			}
		}
		of := func(n int) float64 { return float64(n) / cases }
		t.Logf("%s: within %v of the capacity in %v of the cases, no rate in %v, %v runs", name, Precision,
			of(good), of(none), of(runs))
		if of(good) < c.good || of(none) > c.none || of(runs) > c.runs {
			t.Errorf("%s: want %v, %v at most, %v at most", name, c.good, c.none, c.runs)
		}
	}
}

// If the lowest load is too high, the search ends without a rate.
func TestNoRate(t *testing.T) {
	s := &server{rng: rand.New(rand.NewPCG(1, 1)), capacity: 0}
	if rate, err := find(t.Context(), RateSearch{Probe: s.try, Confirm: s.try}, 1000); !errors.Is(err, ErrNoRate) ||
		rate != 0 || s.runs > maxProbes {
		t.Errorf("%v, %v after %d runs", rate, err, s.runs)
	}
	s.runs = 0
	if rate, err := find(t.Context(), RateSearch{Probe: s.try, Confirm: s.try, Confirmations: 2}, 1000); !errors.Is(err,
		ErrNoRate) || rate != 0 || s.runs > 2*maxProbes {
		t.Errorf("%v, %v after %d runs", rate, err, s.runs)
	}
}

// A rate that longer runs do not confirm is lowered.
func TestRateIsLoweredUntilConfirmed(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	probe, confirm := &server{rng: rng, capacity: 900}, &server{rng: rng, capacity: 850}
	var trials []Trial
	rate, err := find(t.Context(), RateSearch{
		Probe: probe.try, Confirm: confirm.try, Report: func(t Trial) { trials = append(trials, t) },
	}, 1000)
	if err != nil || rate > 850 || rate < 800 || confirm.runs < 2 || len(trials) != probe.runs+confirm.runs {
		t.Errorf("%v, %v after %d and %d runs, %d reported", rate, err, probe.runs, confirm.runs, len(trials))
	}
	confirm.capacity = 10
	if rate, err := find(t.Context(), RateSearch{Probe: probe.try, Confirm: confirm.try}, 1000); !errors.Is(err,
		ErrNoRate) || rate != 0 {
		t.Errorf("%v, %v, want no rate", rate, err)
	}
}

// A rate that is VALID by chance is rejected if two consecutive runs must be VALID.
func TestTwoConfirmations(t *testing.T) {
	var rates []float64
	verdicts := []bool{true, false, true, true}
	search := RateSearch{Confirmations: 2, Confirm: func(_ context.Context, qps float64) (Trial, error) {
		rates = append(rates, qps)
		return Trial{TargetQPS: qps, Valid: verdicts[len(rates)-1], Estimate: 900}, nil
	}}
	rate, err := search.ConfirmOrLower(t.Context(), 1000)
	if want := []float64{1000, 1000, 970, 970}; err != nil || rate != 970 || !slices.Equal(rates, want) {
		t.Errorf("%v, %v after %v, want 970 after %v", rate, err, rates, want)
	}
}

// If LoadGen's estimate shows that no rate would have been VALID, the run was disturbed, and the rate is tried again.
func TestDisturbedConfirmation(t *testing.T) {
	runs := 0
	search := RateSearch{Confirmations: 2, Confirm: func(_ context.Context, qps float64) (Trial, error) {
		runs++
		return Trial{TargetQPS: qps, Valid: runs != 2}, nil
	}}
	if rate, err := search.ConfirmOrLower(t.Context(), 1000); err != nil || rate != 1000 || runs != 4 {
		t.Errorf("%v, %v after %d runs, want 1000 after 4", rate, err, runs)
	}
	runs, search.Confirmations = 1, 0 // long runs are not repeated
	if rate, err := search.ConfirmOrLower(t.Context(), 1000); err != nil || rate != 970 || runs != 3 {
		t.Errorf("%v, %v after %d runs, want 970 after 2", rate, err, runs-1)
	}
}

// The search finds a rate above the bound and keeps a known one.
func TestRateBeyondTheBound(t *testing.T) {
	s := &server{rng: rand.New(rand.NewPCG(1, 1)), capacity: 1300}
	search := RateSearch{Probe: s.try, Confirm: s.try}
	if rate, err := find(t.Context(), search, 1000); err != nil || rate < 1300*(1-Precision) || rate > 1300 {
		t.Errorf("%v, %v, want 1300", rate, err)
	}
	if rate, err := search.Find(t.Context(), 1000, 1250); err != nil || rate < 1250 {
		t.Errorf("%v, %v, want 1250 and more", rate, err)
	}
}

// TestRateFarAboveWhatWasMeasured checks that the rate doubles while rates above the bound are VALID, so that the
// highest is found even if the bound is far too low. If no rate is INVALID, the search ends without an upper limit.
func TestRateFarAboveWhatWasMeasured(t *testing.T) {
	for _, times := range []float64{1.2, 3, 10, 100} {
		s := &server{rng: rand.New(rand.NewPCG(1, 1)), capacity: 1000 * times}
		var trials []Trial
		rate, err := find(t.Context(), RateSearch{
			Probe: s.try, Confirm: s.try, Report: func(t Trial) { trials = append(trials, t) },
		}, 1000)
		found := Server{TargetQPS: rate, Trials: trials}
		if err != nil || rate < s.capacity*(1-Precision) || rate > s.capacity || !found.MetTop() {
			t.Errorf("%v times the bound: %v, %v, top met %v after %d runs", times, rate, err, found.MetTop(), s.runs)
		}
	}
	s := &server{rng: rand.New(rand.NewPCG(1, 1)), capacity: math.Inf(1)}
	var trials []Trial
	rate, err := find(t.Context(), RateSearch{
		Probe: s.try, Confirm: s.try, Report: func(t Trial) { trials = append(trials, t) },
	}, 1000)
	if err != nil || rate < 500e3 || (Server{TargetQPS: rate, Trials: trials}).MetTop() {
		t.Errorf("without a top: %v, %v after %d runs", rate, err, s.runs)
	}
	bounded := RateSearch{Probe: s.try, Confirm: s.try, Most: 9000}
	if rate, err := find(t.Context(), bounded, 1000); err != nil || rate < 4500 || rate > 9000 {
		t.Errorf("with 9000 as the most: %v, %v", rate, err)
	}
}

func TestInterruptedRateSearch(t *testing.T) {
	stop := errors.New("stop")
	fail := func(context.Context, float64) (Trial, error) { return Trial{}, stop }
	if _, err := (RateSearch{Probe: fail}).Find(t.Context(), 1000, 0); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
	if _, err := (RateSearch{Confirm: fail}).ConfirmOrLower(t.Context(), 1000); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
}

func find(ctx context.Context, s RateSearch, bound float64) (float64, error) {
	rate, err := s.Find(ctx, bound, 0)
	if err != nil {
		return 0, err
	}
	return s.ConfirmOrLower(ctx, rate)
}
