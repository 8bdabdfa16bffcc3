package record

import (
	"path"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/loadgen"
)

// Streams is the result of a search for the largest samples_per_query of MultiStream at a fixed arrival interval.
type Streams struct {
	// Found is the largest number that passed all runs that the rules require; 0: none did.
	Found  uint64        `json:"found"`
	Trials []StreamTrial `json:"trials"`
}

// StreamTrial is one run of the search.
type StreamTrial struct {
	SamplesPerQuery uint64     `json:"samples_per_query"`
	Confirms        bool       `json:"confirms"` // repeats the number that was found
	Met             bool       `json:"met"`      // the run met the limit
	Intervals       Intervals  `json:"intervals"`
	Latency         Percentile `json:"target_percentile"` // latency of queries
	Dir             string     `json:"dir"`               // folder of the log files, relative to the output directory
}

// FromStreams copies the result of a search: its trials, and LoadGen's measurements of the deciding run.
func (r *Run) FromStreams(s *loadgen.Streams) {
	if s.Result == nil { // no run finished
		return
	}
	r.FromResult(s.Result)
	out := &Streams{Found: s.Found, Trials: []StreamTrial{}}
	for _, t := range s.Trials {
		trial := StreamTrial{
			SamplesPerQuery: t.Streams, Confirms: t.Confirms, Met: t.Met, Intervals: *intervalsOf(&t.Intervals),
			Latency: Percentile{t.Latency.P, int64(t.Latency.Latency)},
		}
		if len(t.LogFiles) > 0 {
			trial.Dir = path.Join(r.Dir, filepath.Base(filepath.Dir(t.LogFiles[0])))
		}
		out.Trials = append(out.Trials, trial)
	}
	r.Performance.Streams = out
}

// headlineText returns the number that was found, with remarks.
func (s *Streams) headlineText() (value string, remarks []string) {
	runs, failed := figure.Plural(len(s.Trials), "run"), false
	for _, t := range s.Trials {
		failed = failed || !t.Met
	}
	switch {
	case s.Found == 0:
		return "none found", []string{"no samples_per_query meets the arrival interval", runs}
	case !failed:
		return figure.Count(s.Found) + " samples", []string{"the largest samples_per_query that is tried", runs}
	}
	return figure.Count(s.Found) + " samples", []string{"largest samples_per_query that meets the arrival interval", runs}
}
