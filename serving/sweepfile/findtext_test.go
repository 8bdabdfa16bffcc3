package sweepfile_test

import (
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/sweepfile"
)

// TestFindConclusion checks the text for each end of a search: the result, the missing information and how to obtain
// it.
func TestFindConclusion(t *testing.T) {
	trials := []sweepfile.SearchTrial{{Value: 4, Point: 0}, {Value: 8, Point: 1}}
	const took = " (2 trials in 3.0 s)."
	for want, f := range map[string]sweepfile.LoadSearch{
		"the highest load that keeps all objectives is 4 users; 5 users does not": {Ended: "server", Found: 4, Holds: 4,
			Misses: 5},
		"the highest load that keeps all objectives is 2.5 requests/s; 2.6 requests/s does not": {By: arrival.Rate,
			Ended: "server", Found: 2.5, Holds: 2.5, Misses: 2.6},
		"the client is the limit at 8 users; the server holds at least 4 users": {Ended: "client", Holds: 4,
			ClientAt: 8},
		"the client is the limit at 8 users; no load was measured that the server holds": {Ended: "client", ClientAt: 8},
		"not enough data: a trial at 4 users has 20 requests; p99 ttft < 20ms needs 100 requests; --duration 1m30s would " +
			"do": {
			Ended: "data", Few: 4, Needs: 100, Would: 90 * time.Second},
		"not enough data: it does not keep all objectives at 8 users; lower loads have too few requests in the time of a " +
			"point; p99 ttft < 20ms needs 100 requests; --duration 2m would do": {Ended: "data", Misses: 8, Needs: 100,
			Would: 2 * time.Minute},
		"not enough data: the server holds at least 2 users; p99 ttft < 20ms needs 1,000 requests; " +
			"--max-requests-per-point 1000 would do": {Ended: "data", Holds: 2, Needs: 1000, WouldRequests: 1000},
		"the server holds at least 64 users, the highest load that is tried": {Ended: "most", Holds: 64},
		"no load keeps all objectives":                                       {Ended: "none", Misses: 1},
		"the search is not over":                                             {},
		"the highest load that keeps all objectives is 16 users":             {Found: 16}, // written by earlier versions
	} {
		if f.By == "" {
			f.By = arrival.Users
		}
		f.Trials, f.Took = trials, 3
		s := &sweepfile.Sweep{Complete: true, Objectives: "p99 ttft < 20ms", Find: &f,
			Points: []record.Run{point(t, 1), point(t, 1)}}
		if got := s.Conclusion(); got != want+took {
			t.Errorf("%s\nwant %s", got, want+took)
		}
	}
}
