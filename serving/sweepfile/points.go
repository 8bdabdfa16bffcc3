package sweepfile

import (
	"math"
	"slices"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/serving/curve"
)

// PointOf returns the facts about a measured load that a curve needs.
func PointOf(s *record.Serving) curve.CurvePoint {
	known := func(v *float64) float64 {
		if v == nil {
			return math.NaN()
		}
		return *v
	}
	p := curve.CurvePoint{
		Kind: s.Load.By, Load: s.Load.Value, RequestsPerSec: math.NaN(), TokensPerSec: math.NaN(),
		UserTokensPerSec: math.NaN(),
		Goodput:          math.NaN(), FailedShare: math.NaN(), MeetsObjectives: !s.Failed() && (s.Holds == nil || *s.Holds),
		Stationary:    !slices.Contains(s.Flags, record.NotStationary),
		ClientLimited: slices.Contains(s.Flags, record.ClientLimited),
	}
	f := s.Figures
	if f == nil {
		return p
	}
	p.RequestsPerSec, p.TokensPerSec, p.Goodput = known(f.RequestsPerSec), known(f.CountedTokensPerSec()), known(f.Goodput)
	p.UserTokensPerSec = known(f.UserRate())
	if p.Requests = f.Requests; f.Requests > 0 {
		p.FailedShare = float64(f.FailedTotal()) / float64(f.Requests)
	}
	return p
}
