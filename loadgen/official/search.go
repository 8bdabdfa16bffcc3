package official

import (
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// searchRuns collects the runs of FindPeakPerformance from the messages of the detail log. A message contains the rate
// of a run, and the next message shows whether that rate met the limit.
type searchRuns struct {
	rates []float64
	met   map[float64]bool
	found float64
}

// The beginnings of the messages, up to the rates.
const (
	baseRate  = "FindPeakPerformance: Check validity of the base settings field: "
	widening  = "FindBoundaries: Checking fields ["
	bounds    = "FindPeakPerformance: Found boundaries: ["
	halving   = "FindPeakPerformanceBinarySearch: Testing the mid value of bounds ["
	foundRate = "FindPeakPerformance: Found peak performance field: "
)

func (s *searchRuns) addMessage(message string) {
	kind, rates := parseMessage(message)
	switch kind {
	case baseRate, widening, halving:
		s.rates = append(s.rates, rates[len(rates)-1])
	}
	if kind == "" || kind == baseRate {
		return
	}
	if s.met == nil {
		s.met = map[float64]bool{}
	}
	s.met[rates[0]] = true // the lower bound
	if kind == foundRate {
		s.found = rates[0]
	}
}

// parseMessage parses a message of the search. kind is empty for other messages.
func parseMessage(message string) (kind string, rates []float64) {
	for _, kind := range []string{baseRate, widening, bounds, halving, foundRate} {
		rest, ok := strings.CutPrefix(message, kind)
		if !ok {
			continue
		}
		for text := range strings.FieldsFuncSeq(rest, func(c rune) bool { return strings.ContainsRune(" ,):", c) }) {
			rate, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return "", nil
			}
			rates = append(rates, rate)
		}
		if len(rates) == 0 {
			return "", nil
		}
		return kind, rates
	}
	return "", nil
}

// readSearch adds the runs of the search.
func (l *logReading) readSearch() {
	var s searchRuns
	for _, e := range l.log.All("generic_message") {
		text, _ := e.Text()
		s.addMessage(text)
	}
	r := l.r
	for _, rate := range s.rates {
		r.Trials = append(r.Trials, loadgen.Trial{
			TargetQPS: rate, Met: s.met[rate], Latency: loadgen.Percentile{P: r.Effective.TargetLatencyPercentile},
		})
	}
	if s.found > 0 {
		r.Effective.TargetQPS = s.found
	}
}
