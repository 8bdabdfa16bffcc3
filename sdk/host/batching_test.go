package host

import (
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/sdk"
)

// A plugin's report of its batches must be plausible.
func TestCheckBatching(t *testing.T) {
	sound := func() sdk.BatchingReport {
		times := sdk.SampleTimes{Count: 9, Min: 1, Mean: 5, Max: 9, Percentiles: []sdk.TimeAt{{P: .5, At: 5}, {P: .9, At: 9}}}
		return sdk.BatchingReport{Sizes: []sdk.BatchSize{{Samples: 1, Batches: 3}, {Samples: 2, Batches: 3}}, Waiting: times,
			Model: times}
	}
	for about, change := range map[string]func(b *sdk.BatchingReport){
		"":                        func(*sdk.BatchingReport) {},
		"3 batches of 1 samples":  func(b *sdk.BatchingReport) { b.Sizes[1].Samples = 1 },
		"3 batches of -1 samples": func(b *sdk.BatchingReport) { b.Sizes[0].Samples = -1 },
		"0 batches of 2 samples":  func(b *sdk.BatchingReport) { b.Sizes[1].Batches = 0 },
		"1001 sizes":              func(b *sdk.BatchingReport) { b.Sizes = sizesTo(1001) },
		"33 percentiles":          func(b *sdk.BatchingReport) { b.Model.Percentiles = make([]sdk.TimeAt, 33) },
		"of 0 times":              func(b *sdk.BatchingReport) { b.Model.Count = 0 },
		"from -1ns":               func(b *sdk.BatchingReport) { b.Waiting.Min = -1 },
		"10ns on average":         func(b *sdk.BatchingReport) { b.Waiting.Mean = 10 },
		"percentile 0.9 is 4ns":   func(b *sdk.BatchingReport) { b.Model.Percentiles[1].At = 4 },
		"percentile 0.9 is 10ns":  func(b *sdk.BatchingReport) { b.Model.Percentiles[1].At = 10 },
		"percentile 0.5 is 9ns":   func(b *sdk.BatchingReport) { b.Model.Percentiles[1].P = .5 },
		"percentile 1 is 9ns":     func(b *sdk.BatchingReport) { b.Model.Percentiles[1].P = 1 },
	} {
		b := sound()
		change(&b)
		err := checkBatching(b)
		if (err == nil) != (about == "") || err != nil && !strings.Contains(err.Error(), about) {
			t.Errorf("%s: %v", about, err)
		}
	}
	if err := checkBatching(sdk.BatchingReport{}); err != nil {
		t.Errorf("of an older plugin: %v", err)
	}
	one := sdk.SampleTimes{Count: 1, Min: time.Hour, Mean: time.Hour, Max: time.Hour}
	if err := checkBatching(sdk.BatchingReport{Model: one}); err != nil {
		t.Errorf("one sample: %v", err)
	}
}

func sizesTo(n int) []sdk.BatchSize {
	all := make([]sdk.BatchSize, n)
	for i := range all {
		all[i] = sdk.BatchSize{Samples: i + 1, Batches: 1}
	}
	return all
}
