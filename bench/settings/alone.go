package settings

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// Alone contains the latencies of samples that are processed one at a time: the best that a run with a latency limit
// can achieve.
type Alone struct {
	Took string        // description of the times: "99 % of SingleStream's samples took up to"
	Mean time.Duration // mean time of a whole answer, above 0
	// Latency, FirstToken and PerToken are at the percentile of the limits: of a whole answer, to its first token and for
	// each further token; 0: unknown.
	Latency, FirstToken, PerToken time.Duration
}

// Limit is a latency limit of a run with the measured value.
type Limit struct {
	Of       string // "an answer", "a first token", "a token"
	Limit    time.Duration
	Measured time.Duration // 0: unknown
}

// Limits returns the latency limits of the run; empty for scenarios without limits.
func (s Settings) Limits(a Alone) []Limit {
	switch {
	case s.Scenario == loadgen.MultiStream && s.MultiStreamArrivalInterval > 0:
		return []Limit{{"an answer", s.MultiStreamArrivalInterval, a.Latency}}
	case s.Scenario != loadgen.Server:
		return nil
	case s.UseTokenLatencies:
		return []Limit{{"a first token", s.ServerTTFTLatency, a.FirstToken}, {"a token", s.ServerTPOTLatency, a.PerToken}}
	}
	return []Limit{{"an answer", s.ServerTargetLatency, a.Latency}}
}

// Beyond describes the limit that even samples processed one at a time exceed, so that no rate can meet it; "": none.
func (s Settings) Beyond(a Alone) string {
	for _, l := range s.Limits(a) {
		if l.Measured > l.Limit {
			return fmt.Sprintf("%v can hardly be VALID on this machine: its limit for %s is %s ms, and %s %s ms, one "+
				"sample at a time.", s.Scenario, l.Of, figure.Short(figure.Millis(l.Limit)), a.Took,
				figure.Short(figure.Millis(l.Measured)))
		}
	}
	return ""
}

// fromStream is the beginning of the origin of a rate derived from a SingleStream run.
const fromStream = "SingleStream of the same command"

// Measured reports whether a value with this origin was derived from an earlier run's measurements, not chosen by a
// user.
func Measured(origin string) bool { return strings.HasPrefix(origin, fromStream) }

// The rate of a Server run is a share of the rate of one stream. If all queries take the same time and arrive at
// random, 99.7 % of them are answered within about 1 + 12 times the share of that time, if the limit is at least twice
// that time (Crommelin's waiting times of M/D/1). Early stopping tolerates no more misses in a smoke run. The maximum
// share is a half, to allow for pauses.
const (
	minShare  = 1.0 / 12
	maxShare  = 1.0 / 2
	roomShare = 1.0 / 12
)

// maxSmokeTime is the maximum duration that a low rate may give a run.
const maxSmokeTime = 10 * time.Minute

// UseStream sets the rate of a smoke run of Server to one that meets the limits, judging from samples processed one at
// a time, if it is below the model's own rate. It returns a sentence about the change. It changes nothing and returns
// "" if no rate meets the limits or the user set a rate.
func (s *Settings) UseStream(a Alone) (text string, err error) {
	own := s.ServerTargetQPS
	if s.Scenario != loadgen.Server || a.Mean <= 0 || s.Written("ServerTargetQPS") || s.Beyond(a) != "" {
		return "", nil
	}
	share := s.streamShare(a)
	pace := float64(time.Second) / float64(a.Mean)
	rate := max(share*pace, float64(s.MinQueryCount)/maxSmokeTime.Seconds())
	if rate >= own {
		return "", nil
	}
	value := strconv.FormatFloat(roundFigure(rate), 'f', -1, 64)
	of := fmt.Sprintf("%.0f %% of the %s samples/s of SingleStream", 100*roundFigure(rate)/pace, figure.Short(pace))
	o := mlconf.Override{Scenario: loadgen.Server, Key: "target_qps", Value: value}
	s.Origins = maps.Clone(s.Origins)
	if err := s.Set(fromStream+": "+of, o); err != nil {
		return "", err
	}
	return fmt.Sprintf("Server is asked at %s queries/s, %s, in place of %s, so that the limit of latency can be "+
		"kept.",
		value, of, figure.Short(own)), nil
}

// streamShare returns the share of one stream's rate that the first limit permits.
func (s Settings) streamShare(a Alone) float64 {
	l := s.Limits(a)[0]
	room := float64(l.Limit-l.Measured) / float64(a.Mean)
	return min(max(roomShare*room, minShare), maxShare)
}

// roundFigure rounds v to three significant figures.
func roundFigure(v float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 2, 64), 64)
	return r
}
