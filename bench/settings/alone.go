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

// Alone is how long samples take that are asked one at a time: what a run with a limit of latency can at best do.
type Alone struct {
	Took string        // what took so long: "99 % of SingleStream's samples took up to"
	Mean time.Duration // of a whole answer, above 0
	// Latency, FirstToken and PerToken are at the percentile of the limits, in a whole answer, to its first token and
	// for each further one; 0: not known.
	Latency, FirstToken, PerToken time.Duration
}

// Limit is a limit of latency of a run, and what was measured for it.
type Limit struct {
	Of       string // "an answer", "a first token", "a token"
	Limit    time.Duration
	Measured time.Duration // 0: not known
}

// Limits are the limits of latency that judge the run; none of a scenario without.
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

// Beyond says which limit of the run samples miss that are asked one at a time, and that no rate keeps it therefore;
// empty: none.
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

// fromStream begins the origin of a rate that a run of SingleStream gave.
const fromStream = "SingleStream of the same command"

// Measured says that a value of this origin follows what an earlier run measured: nobody chose it.
func Measured(origin string) bool { return strings.HasPrefix(origin, fromStream) }

// Shares of the rate of one stream that Server is asked at. Where all queries take as long and come at random, 99.7 %
// of them are answered within about 1 + 12 times the share of that time, from twice that time on (Crommelin's waiting
// times of M/D/1): early stopping forgives no more of the queries of a smoke run. Half is the most, for the sake of
// pauses.
const (
	minShare  = 1.0 / 12
	maxShare  = 1.0 / 2
	roomShare = 1.0 / 12
)

// maxSmoke bounds how long a low rate makes a run.
const maxSmoke = 10 * time.Minute

// UseStream gives a smoke run of Server the rate that samples asked one at a time leave room for, where it is below the
// model's own, and says so. Nothing changes, and the text is empty, where no rate keeps the limits, or the user wrote
// one.
func (s *Settings) UseStream(a Alone) (text string, err error) {
	own := s.ServerTargetQPS
	if s.Scenario != loadgen.Server || a.Mean <= 0 || s.Written("ServerTargetQPS") || s.Beyond(a) != "" {
		return "", nil
	}
	share := s.streamShare(a)
	pace := float64(time.Second) / float64(a.Mean)
	rate := max(share*pace, float64(s.MinQueryCount)/maxSmoke.Seconds())
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

// streamShare is the share of one stream's rate that the first limit leaves room for.
func (s Settings) streamShare(a Alone) float64 {
	l := s.Limits(a)[0]
	room := float64(l.Limit-l.Measured) / float64(a.Mean)
	return min(max(roomShare*room, minShare), maxShare)
}

// roundFigure has three significant figures.
func roundFigure(v float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 2, 64), 64)
	return r
}
