package mlconf_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf/mlconftest"
)

// TestAccuracyMetrics checks that every row and its patterns can be read, and that a name without a row causes an
// error.
func TestAccuracyMetrics(t *testing.T) {
	names, err := mlconf.AccuracyMetrics()
	if err != nil || len(names) < 26 {
		t.Fatalf("%d metrics, %v", len(names), err)
	}
	for _, name := range names {
		m, err := mlconf.AccuracyMetricOf(name)
		if err != nil || m.Name != name {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
		m.In("")       // compiles the pattern, or panics
		m.FormerIn("") // likewise
	}
	for _, c := range []struct{ metric, line, want, former string }{
		{"acc", "accuracy=71.5%, good=143", "71.5", "71.5"},
		{"acc", `{"accuracy": 71.5}`, "71.5", ""},
		{"mAP", "mAP=71.5", "71.5", "71.5"},
		{"mAP", "{'Total': 71.5}", "71.5", ""},
		{"ROUGE1", "{'rouge1': '71.5'", "71.5", ""},
		{"ROUGE1", "{'rouge1':71.5", "", ""}, // the blank is missing
		{"AUC", " AUC=71.5", "", ""},         // does not begin the line
		{"overall_accuracy", "71.5", "", ""}, // no script prints it
	} {
		m, err := mlconf.AccuracyMetricOf(c.metric)
		got, ok := m.In(c.line)
		former, formerly, has := m.FormerIn(c.line)
		if err != nil || got != c.want || ok != (c.want != "") || former != c.former || formerly != (c.former != "") {
			t.Errorf("%+v: %q, %t; %q, %t, %t; %v", c, got, ok, former, formerly, has, err)
		}
	}
	for _, name := range []string{"", "ACC", "accuracy", "bleu ", mlconftest.MadeUp} {
		if m, err := mlconf.AccuracyMetricOf(name); !errors.Is(err, mlconf.ErrNoMetric) {
			t.Errorf("%q: %+v, %v", name, m, err)
		}
	}
}

// TestMadeUpMetric checks that a row is sufficient for a new metric, and that a round with a metric without a row
// cannot be read.
func TestMadeUpMetric(t *testing.T) {
	t.Run("row", func(t *testing.T) {
		mlconftest.AddMadeUp(t)
		target := rules(t, mlconftest.MadeUpRound).Targets("resnet50", "Offline")
		m, err := mlconf.AccuracyMetricOf(mlconftest.MadeUp)
		if err != nil || len(target) != 1 || target[0].Metric != m.Name || m.Unit != "points" || m.Better != "lower" {
			t.Errorf("%+v, %+v, %v", m, target, err)
		}
		if value, ok := m.In(mlconftest.MadeUpText); value != "71.5" || !ok {
			t.Errorf("%q is %q, %t", mlconftest.MadeUpText, value, ok)
		}
	})
	t.Run("none", func(t *testing.T) {
		mlconftest.AddRoundOfMadeUp(t)
		_, err := mlconf.Round(mlconftest.MadeUpRound)
		if !errors.Is(err, mlconf.ErrNoMetric) || !strings.Contains(err.Error(), "v6.2: model resnet: ") {
			t.Errorf("a round whose metric has no row: %v", err)
		}
	})
	if _, err := mlconf.Round(mlconftest.MadeUpRound); err == nil || errors.Is(err, mlconf.ErrNoMetric) {
		t.Errorf("the round of the test is still there: %v", err)
	}
}
