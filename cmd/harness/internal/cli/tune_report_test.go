package cli

import (
	"strings"
	"testing"

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
	s := tuned{Tuned: bench.Tuned{Trials: trials}}
	if text := s.noRateText(); !strings.Contains(text, "so were all down to target_qps 20.000") {
		t.Errorf("%q", text)
	}
	trials[1].Valid = true
	if text := s.noRateText(); strings.Contains(text, "down to") {
		t.Errorf("%q, though one was VALID", text)
	}
}
