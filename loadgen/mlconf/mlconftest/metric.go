package mlconftest

import (
	"encoding/json"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf/internal/roundfiles"
)

// MadeUp is a metric that no round has. MadeUpRound is a round that requires MadeUpTarget of it from resnet.
const (
	MadeUp       = "MADE_UP"
	MadeUpRound  = "v6.2"
	MadeUpTarget = 40
	// MadeUpText is a line of accuracy.txt with the value 71.5.
	MadeUpText = "made up = 71.5 %"
)

// madeUp is the metric's row, with all fields of a metric.
const madeUp = `{"unit": "points", "better": "lower", "most": 100, "text": "made up =SPACED", "unprepared": true,
	"endpoints": {"api": "made_up_api", "method": "made_up_method", "ground_truth": "made_up_truth",
		"extractor": "made_up_extractor", "extractor_class": "MadeUpExtractor", "percent": true}}`

// AddMadeUp adds the metric MadeUp and the round that requires it until the test ends. All tests of the process see
// them, so the test must not run in parallel with others.
func AddMadeUp(t *testing.T) {
	t.Helper()
	t.Setenv("PLUMBLINE_TEST_ROUND", "metric") // panics in a test that runs in parallel
	addRow(t)
	AddRoundOfMadeUp(t)
}

// AddRoundOfMadeUp adds only the round, whose metric has no row.
func AddRoundOfMadeUp(t *testing.T) {
	t.Helper()
	newest := mlconf.Rounds()[0]
	addChanged(t, newest, MadeUpRound, func(file map[string]json.RawMessage) {
		var models map[string]map[string]any
		decode(t, file["models"], &models)
		models["resnet"]["targets"] = map[string]any{"*": [][]any{{MadeUp, MadeUpTarget}}}
		file["models"] = encode(t, models)
	})
}

func addRow(t *testing.T) {
	t.Helper()
	addChanged(t, "accuracy", "accuracy", func(file map[string]json.RawMessage) {
		var metrics map[string]json.RawMessage
		decode(t, file["metrics"], &metrics)
		metrics[MadeUp] = json.RawMessage(madeUp)
		file["metrics"] = encode(t, metrics)
	})
}

// addChanged adds a changed copy of a file.
func addChanged(t *testing.T, from, name string, change func(file map[string]json.RawMessage)) {
	t.Helper()
	text, err := roundfiles.Read(from)
	if err != nil {
		t.Fatal(err)
	}
	var file map[string]json.RawMessage
	decode(t, text, &file)
	change(file)
	t.Cleanup(roundfiles.Add(name, encode(t, file)))
}

func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

func encode(t *testing.T, v any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
