package conformance

import (
	"errors"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
)

func TestMetricsThatNobodyDescribed(t *testing.T) {
	m := sdk.ModelInfo{Name: "m", Metrics: []sdk.MetricInfo{{Name: "accuracy"}}}
	score := sdk.Score{Metrics: []sdk.Metric{{Name: "accuracy"}, {Name: sdk.Agreement}}}
	if err := unknownMetrics(score, m); err != nil {
		t.Error(err)
	}
	score.Metrics = append(score.Metrics, sdk.Metric{Name: "WER"})
	if err := unknownMetrics(score, m); err == nil || !strings.Contains(err.Error(), `"WER"`) {
		t.Errorf("WER is not described: %v", err)
	}
}

// TestWorse checks that the metric's direction determines what is worse, for cards and for references.
func TestWorse(t *testing.T) {
	for _, c := range []struct {
		better     sdk.MetricDirection
		got        float64
		card, peer string
	}{
		{sdk.LowerBetter, 9, "card is too high", ""},
		{sdk.LowerBetter, 11, "score is too high, or the card too low", "WER is too high"},
		{sdk.LowerBetter, 10.05, "", ""},
		{sdk.HigherBetter, 9, "score is too low, or the card too high", "WER is too low"},
		{sdk.HigherBetter, 11, "card is too low", ""},
		{"", 9, "score is too low", "WER is too low"},
		{sdk.NeitherBetter, 9, "score is too low", "WER is too low"},
		{sdk.NeitherBetter, 11, "score is too high", "WER is too high"},
	} {
		want := []sdk.Metric{{Name: "WER", Value: 10}}
		score := sdk.Score{Metrics: []sdk.Metric{{Name: "WER", Value: c.got}}}
		m := sdk.ModelInfo{
			Metrics: []sdk.MetricInfo{{Name: "WER", Better: c.better}},
			Files:   []sdk.ModelFile{{Name: "embedded", Embedded: true, Precision: "fp32", Reference: want}},
		}
		for says, err := range map[string]error{
			"card: " + c.card: cardFaults(score, m, ""),
			"peer: " + c.peer: errors.Join(metricShortfalls(score, sdk.Score{Metrics: want}, m.Better)...),
		} {
			_, says, _ = strings.Cut(says, ": ")
			if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
				t.Errorf("%q better, %v of 10: %v, want %q", c.better, c.got, err, says)
			}
		}
	}
}

// TestCardOfAnotherValue checks that a card with a higher or a lower value than the measured one is wrong.
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
