package curve_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"

	"github.com/plumbline-ml/plumbline/internal/serving/curve"
	"github.com/plumbline-ml/plumbline/serving/arrival"
)

// TestGoldenCurves compares with what an independent program makes of the points.
func TestGoldenCurves(t *testing.T) {
	golden.Each(t, "serving/curves/*.json", func(t *testing.T, path string) {
		var c struct {
			Points []struct {
				Load           float64
				RequestsPerSec float64 `json:"requests_per_s"`
				TokensPerSec   float64 `json:"tokens_per_s"`
				User           float64
				TTFT           float64 `json:"p99_ttft_ms"`
				TPOT           float64 `json:"p99_tpot_ms"`
				Goodput        float64 `json:"goodput_per_s"`
				Failed         float64
				Stationary     bool
				ClientLimited  bool `json:"client_limited"`
			}
			SLO    map[string]float64
			Expect struct {
				Made, Holds, Pareto []float64
				Best                *float64
			}
		}
		golden.ReadJSON(t, path, &c)
		var points []curve.CurvePoint
		for _, p := range c.Points {
			held := true
			for name, v := range map[string]float64{"p99_ttft_ms": p.TTFT, "p99_tpot_ms": p.TPOT} {
				if limit, ok := c.SLO[name]; ok && v > limit {
					held = false
				}
			}
			points = append(points, curve.CurvePoint{Kind: arrival.Users, Load: p.Load, RequestsPerSec: p.RequestsPerSec,
				TokensPerSec: p.TokensPerSec, UserTokensPerSec: p.User, Goodput: p.Goodput, FailedShare: p.Failed,
				Stationary:    p.Stationary,
				ClientLimited: p.ClientLimited, MeetsObjectives: held})
		}
		for n := range points {
			if curve.ShouldStop(points[:n+1]) {
				points = points[:n+1]
				break
			}
		}
		loads := func(which func(i int) bool) []float64 {
			all := []float64{}
			for i, p := range points {
				if which(i) {
					all = append(all, p.Load)
				}
			}
			return all
		}
		pareto := curve.ParetoLine(points)
		for name, of := range map[string]struct{ got, want []float64 }{
			"made":   {loads(func(int) bool { return true }), c.Expect.Made},
			"holds":  {loads(func(i int) bool { return points[i].Holds() }), c.Expect.Holds},
			"pareto": {loads(func(i int) bool { return slices.Contains(pareto, i) }), c.Expect.Pareto},
		} {
			if !slices.Equal(of.got, of.want) {
				t.Errorf("%s: %v, want %v", name, of.got, of.want)
			}
		}
		switch at, ok := curve.BestPoint(points); {
		case ok != (c.Expect.Best != nil):
			t.Errorf("best: %v, want %v", ok, c.Expect.Best)
		case ok && points[at].Load != *c.Expect.Best:
			t.Errorf("best: %v, want %v", points[at].Load, *c.Expect.Best)
		}
	})
}

// server is one that serves up to top requests a second in time; above that goodput falls, and it answers top.
func server(by arrival.Kind, value, top float64, limits bool) curve.CurvePoint {
	p := curve.CurvePoint{Kind: by, Load: value, Stationary: true, MeetsObjectives: true, TokensPerSec: 1,
		UserTokensPerSec: 1, Goodput: math.NaN()}
	offered := value
	switch by {
	case arrival.Users:
		offered = 2 * value
	case arrival.Maximum:
		offered = math.Inf(1)
	}
	p.RequestsPerSec = min(offered, top*1.1)
	if p.Stationary = offered <= top*1.1 || by == arrival.Maximum; limits {
		if p.Goodput = offered; offered > top {
			p.Goodput = top / 10
		}
	}
	return p
}

// sweep lets Auto choose until it is done.
func sweep(t *testing.T, top float64, limits bool) []curve.CurvePoint {
	t.Helper()
	var made []curve.CurvePoint
	for {
		by, value, ok := curve.NextAutoLoad(made)
		if !ok {
			return made
		}
		if made = append(made, server(by, value, top, limits)); len(made) > 20 {
			t.Fatalf("there is no end: %v", made)
		}
	}
}

// TestAuto: one user, the maximum, six rates, and then some more above the highest goodput, which end as soon as that
// is known to 10 %.
func TestAuto(t *testing.T) {
	for _, top := range []float64{3, 10, 30, 55.5, 700} {
		made := sweep(t, top, true)
		best, above := 0.0, math.Inf(1)
		for _, p := range made {
			if p.Kind == arrival.Rate && p.Load <= top {
				best = max(best, p.Load)
			}
			if p.Kind == arrival.Rate && p.Load > top {
				above = min(above, p.Load)
			}
		}
		if len(made) > 11 || made[0].Kind != arrival.Users || made[1].Kind != arrival.Maximum {
			t.Errorf("top %v: %d points, %v", top, len(made), made)
		}
		if len(made) < 11 && above > best*1.1 {
			t.Errorf("top %v is between %v and %v after %d points", top, best, above, len(made))
		}
		if above-best > 0.5*top {
			t.Errorf("top %v is between %v and %v", top, best, above)
		}
	}
	// Without objectives the rate is as good as the answers: no more points than the bend asks for.
	if made := sweep(t, 30, false); len(made) > 11 {
		t.Errorf("%d points", len(made))
	}
	// A server that is no quicker with many than with one.
	made := []curve.CurvePoint{server(arrival.Users, 1, 1, true), server(arrival.Maximum, 0, 1, true)}
	made[1].RequestsPerSec = made[0].RequestsPerSec
	if by, value, ok := curve.NextAutoLoad(made); ok {
		t.Errorf("%v %v between one user and the same", by, value)
	}
}

// TestAutoStops: rates after two overloaded ones are not made.
func TestAutoStops(t *testing.T) {
	made := []curve.CurvePoint{
		{Kind: arrival.Users, Load: 1, RequestsPerSec: 2, Stationary: true, Goodput: 2},
		{Kind: arrival.Maximum, RequestsPerSec: 34, Goodput: 1},
		{Kind: arrival.Rate, Load: 7.05, RequestsPerSec: 7, Stationary: true, Goodput: 7},
		{Kind: arrival.Rate, Load: 12.1, RequestsPerSec: 10, Goodput: 2},
		{Kind: arrival.Rate, Load: 17.1, RequestsPerSec: 10, Goodput: 1},
	}
	by, value, ok := curve.NextAutoLoad(made)
	if by != arrival.Rate || value != 9.57 || !ok {
		t.Errorf("after two overloaded rates comes %v %v %v, want 9.57 between 7.05 and 12.1", by, value, ok)
	}
}

// heights are points of users, or rates, with requests per second, at each of the loads.
func heights(by arrival.Kind, loads, rates []float64) (all []curve.CurvePoint) {
	for i, x := range loads {
		all = append(all, curve.CurvePoint{Kind: by, Load: x, RequestsPerSec: rates[i], Goodput: math.NaN()})
	}
	return all
}

// TestKnee: a knee bends down, and by more than the points are spread. Where there is none it is said up to which load.
func TestKnee(t *testing.T) {
	steps, doubled := []float64{1, 2, 3, 4, 5}, []float64{1, 2, 4, 8, 16}
	for name, c := range map[string]struct {
		loads, rates []float64
		at           float64 // 0: none
		upTo         float64
	}{
		"flat from 3 on":              {steps, []float64{1, 2, 3, 3, 3}, 3, 0},
		"straight":                    {steps[:4], []float64{1, 2, 3, 4}, 0, 4},
		"two points":                  {steps[:2], []float64{1, 2}, 0, 0},
		"no points":                   {nil, nil, 0, 0},
		"it falls":                    {steps, []float64{1, 2, 3, 4, 0.5}, 4, 0},
		"nothing is answered":         {steps[:3], []float64{0, 0, 0}, 0, 0},
		"flat from the start":         {doubled, []float64{70, 69, 70, 68, 67}, 0, 0},
		"bends up":                    {doubled[:4], []float64{10, 12, 40, 80}, 0, 8},
		"a dip, then straight again":  {doubled[:4], []float64{11.33, 22.68, 42.74, 88.25}, 0, 8},
		"a dip at the second":         {doubled[:4], []float64{10, 18.8, 40, 80}, 0, 8},
		"a peak of 5 % at the second": {doubled[:4], []float64{10, 21, 40, 80}, 0, 8},
		"a peak of 8 % near the end":  {steps, []float64{10, 20, 30, 43, 50}, 0, 5},
		"noise of 5 % in close steps": {[]float64{10, 12, 14, 16}, []float64{100, 126, 134, 160}, 0, 16},
		"it bends up, then down":      {doubled, []float64{10, 12, 40, 80, 81}, 8, 0},
		"a soft knee":                 {doubled, []float64{10, 20, 35, 50, 52}, 8, 0},
		"goodput falls to nothing":    {[]float64{4, 8, 16, 32, 64}, []float64{18.9, 36.9, 70, 0, 0}, 16, 0},
	} {
		for _, by := range []arrival.Kind{arrival.Users, arrival.Rate} {
			points := heights(by, c.loads, c.rates)
			points = append(points, curve.CurvePoint{Kind: arrival.Maximum, RequestsPerSec: 1000, Goodput: math.NaN()})
			slices.Reverse(points) // the order in which they were measured is no matter
			at, straight := curve.FindKnee(points)
			got, upTo := 0.0, 0.0
			if at != curve.NoPoint {
				got = points[at].Load
			}
			if straight != curve.NoPoint {
				upTo = points[straight].Load
			}
			if got != c.at || upTo != c.upTo {
				t.Errorf("%s, %s: a knee at %v, none up to %v; want %v, %v", name, by, got, upTo, c.at, c.upTo)
			}
		}
	}
}

// TestKneeOfFewRequests: of a rate the number of requests is spread, too.
func TestKneeOfFewRequests(t *testing.T) {
	points := heights(arrival.Rate, []float64{10, 20, 40}, []float64{10, 20, 24})
	for n, want := range map[int]bool{20: false, 10_000: true} {
		for i := range points {
			points[i].Requests = n
		}
		if at, _ := curve.FindKnee(points); (at != curve.NoPoint) != want {
			t.Errorf("%d requests a point: a knee at %d", n, at)
		}
	}
}

// TestNoKneeOfNoise: straight lines with a deviation of 3 % have a knee in hardly one of 100, whatever their loads.
func TestNoKneeOfNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, loads := range [][]float64{{1, 2, 4, 8}, {1, 2, 4, 8, 16, 32, 64}, {10, 20, 30, 40, 50, 60}, {8, 9, 10, 11,
		12}} {
		found := 0
		for range 1000 {
			rates := make([]float64, len(loads))
			for i, x := range loads {
				rates[i] = 10 * x * (1 + 0.03*rng.NormFloat64())
			}
			if at, _ := curve.FindKnee(heights(arrival.Users, loads, rates)); at != curve.NoPoint {
				found++
			}
		}
		if found > 10 {
			t.Errorf("loads %v: a knee in %d of 1000 straight lines", loads, found)
		}
	}
}

// TestAutoOfAStraightCurve: without objectives, and without a knee, no more points are measured between.
func TestAutoOfAStraightCurve(t *testing.T) {
	made := []curve.CurvePoint{
		{Kind: arrival.Users, Load: 1, RequestsPerSec: 2, Stationary: true, Goodput: math.NaN()},
		{Kind: arrival.Maximum, RequestsPerSec: 34, Goodput: math.NaN()},
	}
	for {
		by, value, ok := curve.NextAutoLoad(made)
		if !ok {
			break
		}
		off := 1.0
		if len(made) == 4 {
			off = 0.95 // one is a little lower
		}
		made = append(made, curve.CurvePoint{Kind: by, Load: value, RequestsPerSec: off * value, Stationary: true,
			Goodput: math.NaN()})
	}
	if len(made) != 8 {
		t.Errorf("%d points, want one user, the maximum and six rates", len(made))
	}
}
