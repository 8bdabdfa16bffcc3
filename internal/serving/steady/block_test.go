package steady

import (
	"reflect"
	"testing"
)

func TestBlock(t *testing.T) {
	window := Report{Warmup: 2, Index: 0, Found: true, Window: Plateau{1, 6}, Samples: 50,
		Duration: Duration{Window: 700, Floor: 600}, Trends: map[string]Direction{"tpot_p50": Steady, "tpot_p90": Steady}}
	want := Block{Status: Windowable, Verdict: SteadyState, Window: &BlockWindow{3, 7, 10, 50, 700},
		State: map[string]string{"tpot_p50": "Plateau", "tpot_p90": "Plateau"}}
	if got := window.Block(80, 10, 600); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := window.Block(80, 10, 1200).Status; got != InsufficientDuration {
		t.Errorf("700 s of 1,200: %s", got)
	}
	if got := window.Block(9, 10, 600).Status; got != PartialDataset {
		t.Errorf("9 samples of 10: %s", got)
	}
	drifts := window
	drifts.Trends = map[string]Direction{"tpot_p50": Steady, "tpot_p90": Down}
	if got := drifts.Block(80, 10, 600); got.Verdict != DriftingDown || got.State["tpot_p90"] != "Plateau" {
		t.Errorf("a drift after the window: %+v", got)
	}
	drifts.Anomaly = Anomaly{Detected: true, ChangePoint: 8, Percent: -7}
	if got := drifts.Block(80, 10, 600); got.Verdict != Shifted || *got.Anomaly != (BlockAnomaly{10, -7}) {
		t.Errorf("a shift: %+v", got)
	}
	none := Report{Index: -1, Trends: map[string]Direction{"tpot_p50": Up, "tpot_p90": Insufficient}}
	if got := none.Block(80, 10, 600); got.Status != InsufficientPasses || got.Verdict != NotFound || got.Window != nil ||
		got.State["tpot_p50"] != "Drifting Up" {
		t.Errorf("no plateau: %+v", got)
	}
}
