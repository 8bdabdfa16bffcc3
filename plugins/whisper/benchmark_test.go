package whisper

import (
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

func TestBenchmark(t *testing.T) {
	manifesttest.Run(t, New(), "tokenizer=server")
}

// TestModelIsThatOfTheRounds holds the one model to the rules of v5.1 on.
func TestModelIsThatOfTheRounds(t *testing.T) {
	all := New().Describe().Models
	if len(all) != 1 {
		t.Fatalf("%d models", len(all))
	}
	m := all[0]
	metric := m.Metrics[0]
	if m.RulesKey != "whisper" || len(m.Scenarios) != 1 || m.Scenarios[0] != loadgen.Offline ||
		metric.Name != "accuracy" || metric.Reference != 97.9329 || metric.Target != 96.953571 || metric.Share != 0.99 {
		t.Errorf("%+v", m)
	}
	if d := m.Datasets[1]; d.Samples != 1633 || d.PerformanceSampleCount != 1633 {
		t.Errorf("%+v", d)
	}
}
