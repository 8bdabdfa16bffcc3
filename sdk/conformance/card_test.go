package conformance

import (
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
)

// TestCardOfAnotherValue: a card that says more than is measured is wrong, and so is one that says less.
func TestCardOfAnotherValue(t *testing.T) {
	score := sdk.Score{Metrics: []sdk.Metric{{Name: "accuracy", Unit: "%", Value: 80}}}
	for card, says := range map[float64]string{80: "", 80.8: "", 79.2: "", 82: "card too high", 78: "card is too low",
		0: "card is too low"} {
		m := sdk.ModelInfo{
			Metrics: []sdk.MetricInfo{{Name: "accuracy"}},
			Files: []sdk.ModelFile{{Name: "embedded", Embedded: true, Precision: "fp32",
				Reference: []sdk.Metric{{Name: "accuracy", Value: card}}}},
		}
		err := cardFaults(score, m, "")
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("a card of %v, measured 80: %v, want %q", card, err, says)
		}
	}
}
