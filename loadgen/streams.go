package loadgen

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
)

// StreamSearch contains the options of SearchStreams.
type StreamSearch struct {
	// Most is the largest number of streams to try; 0 means 1024. The memory of a run grows with it.
	Most uint64
	// Runs is the number of runs that must pass with the found number of streams: 5 in the rules of v0.5, 1 in those of
	// v0.7. If it is above 1, these runs are made in addition to those of the search.
	Runs int
}

const defaultMostStreams = 1024

// Streams is the result of SearchStreams.
type Streams struct {
	Found  uint64  // the largest number of streams that passes; 0 if none passes
	Result *Result // of the last run with Found streams, or of the last failed run if none passes
	Trials []StreamTrial
}

// StreamTrial is one run of SearchStreams.
type StreamTrial struct {
	Streams   uint64
	Confirms  bool // a repetition with the found number
	Met       bool
	Intervals Intervals
	Latency   Percentile // of queries, at the target percentile
	LogFiles  []string
}

// SearchStreams finds the largest number of samples per query, the streams, with which a MultiStream run at a fixed
// arrival interval meets its limit. This is the result of MultiStream in the rounds v0.5 to v1.1. It doubles the number
// in s until a run fails and then bisects the interval. If a repetition required by o fails, it lowers the number by
// one (rules v0.5, section 5.1).
//
// Each run writes its logs to its own directory under l.OutDir. If a run ends early, or is INVALID for another reason
// than its limit, SearchStreams returns an error together with the result so far.
func SearchStreams(
	ctx context.Context, sut SUT, qsl QSL, s TestSettings, l LogSettings, o StreamSearch,
) (*Streams, error) {
	if s.Scenario != MultiStream || s.Mode != PerformanceOnly || s.MultiStreamArrivalInterval <= 0 {
		return nil, fmt.Errorf("%w: a search for the number of streams needs the MultiStream scenario, "+
			"the mode PerformanceOnly and an arrival interval, found %v, %v, %v",
			ErrBadSettings, s.Scenario, s.Mode, s.MultiStreamArrivalInterval)
	}
	o.Most = cmp.Or(o.Most, defaultMostStreams)
	f := &streamSearch{sut: sut, qsl: qsl, settings: s, logs: l, options: o}
	err := f.searchStreams(ctx)
	return &f.found, err
}

type streamSearch struct {
	sut      SUT
	qsl      QSL
	settings TestSettings
	logs     LogSettings
	options  StreamSearch
	found    Streams
}

func (f *streamSearch) searchStreams(ctx context.Context) error {
	low, high, err := f.findBounds(ctx)
	for err == nil && high-low > 1 {
		mid := low + (high-low)/2
		var met bool
		if met, err = f.runTrial(ctx, mid, false); met {
			low = mid
		} else {
			high = mid
		}
	}
	for err == nil && low > 0 {
		var met bool
		if met, err = f.confirmStreams(ctx, low); met {
			break
		}
		low--
	}
	if err == nil {
		f.found.Found = low
	}
	return err
}

// findBounds returns a number that passes, or 0, and a larger one that fails or exceeds the largest number to try.
func (f *streamSearch) findBounds(ctx context.Context) (low, high uint64, err error) {
	for n := min(max(1, f.settings.MultiStreamSamplesPerQuery), f.options.Most); ; n = min(2*n, f.options.Most) {
		met, err := f.runTrial(ctx, n, false)
		if err != nil || !met {
			return low, n, err
		}
		if low = n; n == f.options.Most {
			return low, n + 1, nil
		}
	}
}

// confirmStreams repeats the run with n streams.
func (f *streamSearch) confirmStreams(ctx context.Context, n uint64) (bool, error) {
	if f.options.Runs <= 1 {
		return true, nil
	}
	for range f.options.Runs {
		if met, err := f.runTrial(ctx, n, true); err != nil || !met {
			return false, err
		}
	}
	return true, nil
}

// runTrial runs the test with n streams and reports whether it met its limit.
func (f *streamSearch) runTrial(ctx context.Context, n uint64, confirms bool) (met bool, err error) {
	s, l := f.settings, f.logs
	s.MultiStreamSamplesPerQuery = n
	if l.OutDir != "" {
		l.OutDir = filepath.Join(l.OutDir, fmt.Sprintf("run_%02d_streams_%d", len(f.found.Trials)+1, n))
	}
	r, err := StartTest(ctx, f.sut, f.qsl, s, l)
	if err != nil {
		return false, fmt.Errorf("run with %d streams: %w", n, err)
	}
	met = r.PerformanceConstraintsMet
	f.found.Trials = append(f.found.Trials, StreamTrial{
		Streams: n, Confirms: confirms, Met: met, Intervals: *r.Intervals, Latency: r.TargetPercentile, LogFiles: r.LogFiles,
	})
	if met || confirms || f.found.Result == nil || !f.found.Result.PerformanceConstraintsMet {
		f.found.Result = r
	}
	if met && r.Verdict != Valid {
		return met, fmt.Errorf("%w: the run with %d streams meets its limit but is INVALID: %s: %s, needed %s",
			ErrBadSettings, n, r.Reasons[0].Rule, r.Reasons[0].Measured, r.Reasons[0].Needed)
	}
	return met, nil
}
