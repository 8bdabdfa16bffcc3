package loadgen

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestPauses judges a series that is VALID except for its pauses.
func TestPauses(t *testing.T) {
	s := DefaultTestSettings()
	s.Scenario, s.MinDuration, s.MinQueryCount = Offline, time.Second, 1
	judged := func(pauses ...Pause) *Result {
		r := &Result{}
		e := effectiveSettings(s, qslCounts{total: 10, performance: 10})
		e.MinSampleCount = 1
		judgeSeries(s, e, &testSeries{SamplesPerQuery: 1, Queries: 1, Scheduled: []int64{0}, Issued: []int64{0},
			Done:     []int64{2e9},
			Answered: true, Pauses: pauses}, r)
		return r
	}
	if r := judged(); r.Verdict != Valid || len(r.Reasons) != 0 {
		t.Fatalf("without a pause: %s, %+v", r.Verdict, r.Reasons)
	}
	for want, list := range map[string][]Pause{
		"stopped once, for 20 s, noticed 1.5 s after " +
			"the start": {{1500 * time.Millisecond, 20 * time.Second}},
		"stopped 2 times, for 31.5 s altogether, first noticed 2 s after the start": {{2 * time.Second, 20 * time.Second},
			{time.Minute, 11500 * time.Millisecond}},
	} {
		r := judged(list...)
		if r.Verdict != Invalid || len(r.Reasons) != 1 || r.Reasons[0].Rule != "standstill" ||
			!strings.HasSuffix(r.Reasons[0].Measured, want) {
			t.Errorf("%v: %s, %+v; want %q", list, r.Verdict, r.Reasons, want)
		}
		if !slices.Equal(r.Pauses, list) || !strings.Contains(invalidReason(r), want) {
			t.Errorf("%v in the result, %q in the log", r.Pauses, invalidReason(r))
		}
		unjudged := &testRun{pauses: list}
		if notes := unjudged.testNotes(); len(notes) != 1 || notes[0].About != "standstill" ||
			!strings.Contains(notes[0].Text, want) {
			t.Errorf("notes %+v", notes)
		}
	}
}
