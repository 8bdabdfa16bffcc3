package sweep_test

import (
	"errors"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/serving/sweep"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/sweepfile"
)

// TestFails: a point without one good answer is a failure whatever else there is; one with too many failures where no
// point is any better. A search comes to loads that a server refuses.
func TestFails(t *testing.T) {
	good := record.Serving{Ended: "duration", Figures: &metrics.Figures{Requests: 9, OK: 9}}
	bad := record.Serving{Ended: record.EndedByErrors, Figures: &metrics.Figures{Requests: 9, OK: 5}}
	none := record.Serving{Ended: "requests", Figures: &metrics.Figures{Requests: 9}}
	for _, c := range []struct {
		name   string
		points []record.Serving
		find   *sweepfile.LoadSearch
		fails  bool
	}{
		{"no point", nil, nil, false},
		{"good", []record.Serving{good, good}, nil, false},
		{"one has too many failures", []record.Serving{good, bad}, nil, false},
		{"all have", []record.Serving{bad, bad}, nil, true},
		{"one has no answer", []record.Serving{good, none, good}, nil, true},
		{"the first has none", []record.Serving{none, good}, nil, true},
		{"a search past what the server does", []record.Serving{good, none}, &sweepfile.LoadSearch{}, false},
		{"a search without an answer", []record.Serving{none, none}, &sweepfile.LoadSearch{}, true},
	} {
		f := &sweepfile.Sweep{Find: c.find}
		for i := range c.points {
			r := record.Run{Serving: &c.points[i]}
			r.Finish(nil)
			if failed := c.points[i].Failed(); failed != (r.ExitCode == 5) || failed != (r.Verdict == "FAILED") {
				t.Errorf("%s: point %d is %s, code %d", c.name, i, r.Verdict, r.ExitCode)
			}
			f.Points = append(f.Points, r)
		}
		if err := sweep.CheckServer(f); errors.Is(err, sweep.ErrServer) != c.fails {
			t.Errorf("%s: %v, want a failure: %v", c.name, err, c.fails)
		}
	}
}
