package sweepfile

import (
	"fmt"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/serving/search"
)

// findText describes the result of a search and its number of trials.
func (s *Sweep) findText() string {
	f := s.Find
	took := fmt.Sprintf(" (%s in %s)", figure.Plural(len(f.Trials), "trial"), figure.Seconds(time.Duration(f.Took*1e9)))
	switch search.EndReason(f.Ended) {
	case search.EndedByServer:
		return fmt.Sprintf("the highest load that keeps all objectives is %v; %v does not%s", f.loadAt(f.Holds),
			f.loadAt(f.Misses), took)
	case search.EndedByClient:
		return fmt.Sprintf("the client is the limit at %v; %s%s", f.loadAt(f.ClientAt), f.holdsText(), took)
	case search.EndedByFew:
		return "not enough data: " + s.fewText() + took
	case search.EndedByMax:
		return fmt.Sprintf("the server holds at least %v, the highest load that is tried%s", f.loadAt(f.Holds), took)
	case search.EndedByNone:
		return "no load keeps all objectives" + took
	}
	if f.Found > 0 { // file of an earlier version
		return fmt.Sprintf("the highest load that keeps all objectives is %v%s", f.loadAt(f.Found), took)
	}
	return "the search is not over" + took
}

// loadAt returns a load of the search.
func (f *LoadSearch) loadAt(v float64) record.ServingLoad {
	return record.ServingLoad{By: f.By, Value: v}
}

// holdsText describes the load that the server sustains.
func (f *LoadSearch) holdsText() string {
	if f.Holds == 0 {
		return "no load was measured that the server holds"
	}
	return fmt.Sprintf("the server holds at least %v", f.loadAt(f.Holds))
}

// fewText describes a search with too few requests: the result, the missing information, and how to obtain it.
func (s *Sweep) fewText() string {
	f := s.Find
	var known []string
	if f.Holds > 0 {
		known = append(known, f.holdsText())
	}
	if f.Misses > 0 {
		known = append(known, fmt.Sprintf("it does not keep all objectives at %v", f.loadAt(f.Misses)))
	}
	if n, ok := s.requestsAt(f.Few); ok {
		known = append(known, fmt.Sprintf("a trial at %v has %s", f.loadAt(f.Few), figure.Plural(n, "request")))
	} else if f.Misses > 0 && f.Holds == 0 {
		known = append(known, "lower loads have too few requests in the time of a point")
	}
	known = append(known, fmt.Sprintf("%s needs %s", s.Objectives, figure.Plural(f.Needs, "request")))
	switch {
	case f.WouldRequests > 0:
		known = append(known, fmt.Sprintf("--max-requests-per-point %d would do", f.WouldRequests))
	case f.Would > 0:
		known = append(known, fmt.Sprintf("--duration %s would do", formatShort(f.Would)))
	}
	return strings.Join(known, "; ")
}

// requestsAt returns the number of requests of the longest trial at a load. ok is false if there was none.
func (s *Sweep) requestsAt(v float64) (n int, ok bool) {
	for _, t := range s.Find.Trials {
		if v > 0 && t.Value == v {
			n, ok = max(n, s.Points[t.Point].Serving.Figures.Requests), true
		}
	}
	return n, ok
}

// formatShort returns a duration without parts that are 0: 90s, 2m, 1h.
func formatShort(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
