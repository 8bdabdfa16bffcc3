package steady

import (
	"cmp"
	"math"
	"slices"
)

// Anomaly is a later plateau with a different TPOT level.
type Anomaly struct {
	Detected    bool `json:"detected"`
	ChangePoint int  `json:"change_point"` // number of passes before the change, if Detected
	// relative difference of TPOT in percent, positive for slower, if Detected
	Percent float64      `json:"percent"`
	Pettitt *ChangePoint `json:"pettitt"` // nil: no plateau follows the window
}

// ChangePoint is the result of Pettitt's test for a change of level ("A non-parametric approach to the change-point
// problem", 1979).
type ChangePoint struct {
	Before      int     `json:"before"` // number of values before the change
	K           float64 `json:"k"`      // the test's statistic
	P           float64 `json:"p"`
	Significant bool    `json:"significant"`
}

// findAnomaly searches the plateaus after the first one for a shift of level.
func (s passSeries) findAnomaly(plateaus []Plateau) (a Anomaly) {
	if len(plateaus) < 2 {
		return a
	}
	change := s.changePoint()
	a.Pettitt = &change
	level := s[plateaus[0].Low:plateaus[0].High].meanTPOT()
	for _, p := range plateaus[1:] {
		shift := (s[p.Low:p.High].meanTPOT() - level) / level
		if level > 0 && abs(shift) > minChange && change.Significant {
			a.Detected, a.ChangePoint, a.Percent = true, change.Before, shift*100
			return a
		}
	}
	return a
}

// meanTPOT returns the mean of all TPOT values, or 0 without values.
func (s passSeries) meanTPOT() float64 {
	n := 0
	for i := range s {
		n += len(s[i].TPOT)
	}
	if n == 0 {
		return 0
	}
	return s.arrivalMean(TPOT, n)
}

// changePoint tests the mean TPOT of each pass. It uses 0 for a pass without TPOT.
func (s passSeries) changePoint() ChangePoint {
	v := make([]float64, len(s))
	for i := range s {
		if len(s[i].TPOT) > 0 {
			v[i] = meanOf(s[i].TPOT)
		}
	}
	return pettittTest(v)
}

func pettittTest(v []float64) ChangePoint {
	n := len(v)
	if n < MinPasses {
		return ChangePoint{P: 1}
	}
	c := ChangePoint{}
	ranks, sum := averageRanks(v), 0.0
	for t := 1; t <= n; t++ {
		sum += ranks[t-1]
		if u := abs(2*sum - float64(t*(n+1))); u > c.K {
			c.K, c.Before = u, t
		}
	}
	size := float64(n)
	c.P = min(1, 2*math.Exp(-6*c.K*c.K/(size*size*size+size*size)))
	c.Significant = c.P < alpha
	return c
}

// averageRanks returns the ranks of v, from 1. Equal values have the mean of their ranks.
func averageRanks(v []float64) []float64 {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(v[a], v[b]) })
	ranks := make([]float64, len(v))
	for from := 0; from < len(v); {
		to := from
		for to < len(v) && v[order[to]] == v[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = float64(from+to+1) / 2
		}
		from = to
	}
	return ranks
}
