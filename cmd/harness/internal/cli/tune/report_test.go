package tune

import (
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/terminal"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/tune"
)

func TestDisturbedSearchSaysSo(t *testing.T) {
	trials := []tune.Trial{{TargetQPS: 500, Valid: true}, {TargetQPS: 300}, {TargetQPS: 600}}
	if text := disturbedText(trials); !strings.Contains(text, "below one that was VALID: 1 of 3 runs") {
		t.Errorf("%q", text)
	}
	if text := disturbedText(trials[:1]); text != "" {
		t.Errorf("%q for an undisturbed search", text)
	}
}

func TestNoRateSaysDownToWhich(t *testing.T) {
	trials := []tune.Trial{{TargetQPS: 500, Reason: "late"}, {TargetQPS: 20, Reason: "late"},
		{TargetQPS: 500, Reason: "late"}}
	s := tuneReport{Tuned: bench.Tuned{Trials: trials}}
	if text := s.missingRateText(); !strings.Contains(text, "so were all down to target_qps 20.000") {
		t.Errorf("%q", text)
	}
	trials[1].Valid = true
	if text := s.missingRateText(); strings.Contains(text, "down to") {
		t.Errorf("%q, though one was VALID", text)
	}
}

func TestTopThatWasNotMetIsSaid(t *testing.T) {
	s := tune.Server{TargetQPS: 500, Trials: []tune.Trial{{TargetQPS: 400}, {TargetQPS: 500, Valid: true}}}
	if text := ceilingText(s); !strings.Contains(text, "the top was not met: no rate above it was INVALID") {
		t.Errorf("%q", text)
	}
	s.Trials = append(s.Trials, tune.Trial{TargetQPS: 520})
	if text := ceilingText(s); text != "" {
		t.Errorf("%q, though 520 was INVALID", text)
	}
}

// Of a model at a server, what was tried are requests in flight.
func TestPointsAtAServer(t *testing.T) {
	var out strings.Builder
	points := []tune.Point{
		{Setting: tune.Setting{Batch: 4, Requests: 64}, SamplesPerSecond: 90, Tests: 3}, {SamplesPerSecond: 80, Tests: 3},
	}
	if err := pointTable(&out, points); err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(out.String()); got[1] != "REQUESTS" || got[5] != "4" || got[6] != "64" ||
		strings.Contains(out.String(), "SESSIONS") {
		t.Errorf("printed\n%s", out.String())
	}
}

// TestFaultsOfPointsFit: why a setting was not measured is broken into lines, of sessions and of requests to a server.
func TestFaultsOfPointsFit(t *testing.T) {
	fault := strings.Repeat("the server refused the connection and ", 12) + "said so"
	for _, setting := range []tune.Setting{{Batch: 4, Requests: 64}, {Batch: 4, Sessions: 2, Threads: 1}} {
		var out strings.Builder
		w := terminal.NewWriter(&out, terminal.Options{Columns: func() int { return 80 }})
		points := []tune.Point{
			{Setting: setting, Fault: fault}, {Setting: setting, SamplesPerSecond: 80, Tests: 3, Final: true},
		}
		for i := range points {
			points[i].Requests = setting.Requests
		}
		if err := pointTable(w, points); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if len(line) > 81 {
				t.Errorf("%+v: %d columns: %q", setting, len(line)-1, line)
			}
		}
		if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), fault) {
			t.Errorf("%+v: the reason is not whole:\n%s", setting, out.String())
		}
	}
}
