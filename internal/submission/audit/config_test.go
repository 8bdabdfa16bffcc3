package audit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

func rulesOf(t *testing.T, round string) *mlconf.Rules {
	t.Helper()
	rules, err := mlconf.Round(round)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func TestConfigText(t *testing.T) {
	const head = "MODEL.SCENARIO.KEY = VALUE; LoadGen reads the lines of model * over all other settings.\n"
	const seeded = "*.*.mode = 2\n*.*.accuracy_log_rng_seed = 720381539243781796\n*.*.accuracy_log_sampling_target = "
	const unique = "*.*.min_duration = 0\n*.*.performance_issue_unique = 1\n*.*.sample_concatenate_permutation = 0\n"
	for _, c := range []struct{ test, model, want string }{
		{"TEST01", "resnet50", seeded + "4096\n"},
		{"TEST01", "3d-unet-99.9", seeded + "64\n"},
		{"TEST04", "resnet50", "*.*.mode = 2\n*.*.performance_issue_unique = 0\n*.*.performance_issue_same = 1\n" +
			"*.*.performance_issue_same_index = 3\n"},
		{"TEST07", "gpt-oss-120b", seeded + "990\n*.*.min_query_count = 990\n" + unique +
			"*.*.test07_accuracy_threshold = 60.698\n"},
		{"TEST09", "gpt-oss-120b", seeded + "10000\n*.*.min_query_count = 6396\n" + unique +
			"*.*.test09_min_output_tokens = 1150.38\n*.*.test09_max_output_tokens = 1406.02\n"},
	} {
		config, err := ConfigOf(rulesOf(t, ""), c.test, c.model)
		if got, want := config.ConfigText(), "# "+c.test+": "+head+c.want; err != nil || got != want {
			t.Errorf("%s of %s: %v\n%s\nwant\n%s", c.test, c.model, err, got, want)
		}
	}
}

// TestConfigIsAnAuditLayer: the text does to a run what the settings do.
func TestConfigIsAnAuditLayer(t *testing.T) {
	rules := rulesOf(t, "")
	for _, model := range rules.Models() {
		for _, test := range rules.Audits(model) {
			config, err := ConfigOf(rules, test, model)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), mlconf.AuditFile)
			if err := os.WriteFile(path, []byte(config.ConfigText()), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, scenario := range loadgen.Scenarios() {
				o := mlconf.Options{Model: model, Scenario: scenario, Mode: loadgen.PerformanceOnly}
				o.Layers = []mlconf.Layer{mlconf.Audit(path)}
				fromFile, err := mlconf.Load(o)
				if err != nil {
					t.Fatal(err)
				}
				o.Layers = []mlconf.Layer{config.Layer()}
				if fromTable, err := mlconf.Load(o); err != nil || fromFile.TestSettings != fromTable.TestSettings {
					t.Errorf("%s of %s, %v: %v\n%+v\n%+v", test, model, scenario, err, fromFile, fromTable)
				}
			}
		}
	}
}

func TestConfigOfUnknown(t *testing.T) {
	for _, c := range []struct{ round, test, model, want string }{
		{"v6.1", "TEST02", "resnet", "rules v6.1 have no configuration"},
		{"v6.1", "TEST05", "resnet", "no configuration of \"TEST05\" for resnet"},
		{"v6.1", "TEST04-A", "resnet", "no configuration"},
		{"v6.1", "TEST07", "resnet", "no configuration"},
		{"v6.1", "TEST09", "bert-99", "no configuration"},
		{"v0.7", "TEST06", "resnet", "no configuration"},
		{"v0.7", "TEST04", "resnet", "no configuration"},
	} {
		_, err := ConfigOf(rulesOf(t, c.round), c.test, c.model)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestOwnQuestionsHaveTheCardsBounds: a run on a plugin's own questions has as many as there are, and bounds that stand
// to the card's figures as the round's to the official ones.
func TestOwnQuestionsHaveTheCardsBounds(t *testing.T) {
	rules := rulesOf(t, "")
	for _, c := range []struct {
		test string
		own  OwnData
		want []string
	}{
		{"TEST07", OwnData{}, []string{"min_query_count = 990", "test07_accuracy_threshold = 60.698"}},
		{"TEST07", OwnData{Samples: 200}, []string{"min_query_count = 200", "test07_accuracy_threshold = 60.698"}},
		{"TEST07", OwnData{200, 90, 0.95}, []string{"min_query_count = 200", "test07_accuracy_threshold = 85.5"}},
		{"TEST09", OwnData{400, 80, 0.95}, []string{"min_query_count = 400", "test09_min_output_tokens = 72",
			"test09_max_output_tokens = 88"}},
		{"TEST06", OwnData{400, 80, 0.95}, []string{"min_query_count = 100"}},
	} {
		config, err := ConfigOf(rules, c.test, "gpt-oss-120b")
		if err != nil {
			t.Fatal(err)
		}
		text := config.ForOwnData(c.own).ConfigText()
		for _, line := range c.want {
			if !strings.Contains(text, "*.*."+line+"\n") {
				t.Errorf("%s on %+v lacks %q:\n%s", c.test, c.own, line, text)
			}
		}
		if basis, own := config.ForOwnData(c.own).LimitsOrigin, c.own.CardFigure != 0 &&
			c.test != "TEST06"; (basis != "") != own {
			t.Errorf("%s on %+v: the basis is %q", c.test, c.own, basis)
		}
		if again, _ := ConfigOf(rules, c.test, "gpt-oss-120b"); again.ConfigText() != config.ConfigText() {
			t.Errorf("%s: the round's configuration is now %s", c.test, again.ConfigText())
		}
	}
}

// TestConfigurationsOfV05: the first round logged a share of all answers by a seed for each scenario, and had other
// seeds for TEST05.
func TestConfigurationsOfV05(t *testing.T) {
	for _, c := range []struct{ round, test, want string }{
		{"v0.5", "TEST01", "*.*.accuracy_log_probability = 10\n*.SingleStream.accuracy_log_rng_seed = 789\n" +
			"*.MultiStream.accuracy_log_rng_seed = 123\n*.Server.accuracy_log_rng_seed = 147\n" +
			"*.Offline.accuracy_log_rng_seed = 456\n"},
		{"v0.5", "TEST05", "*.*.qsl_rng_seed = 195\n*.*.sample_index_rng_seed = 235\n*.*.schedule_rng_seed = 634\n"},
		{"v0.7", "TEST05", "*.*.qsl_rng_seed = 313588358309856706\n*.*.sample_index_rng_seed = 471397156132239067\n" +
			"*.*.schedule_rng_seed = 413914573387865862\n"},
	} {
		config, err := ConfigOf(rulesOf(t, c.round), c.test, "resnet50")
		if err != nil || !strings.HasSuffix(config.ConfigText(), "*.*.mode = 2\n"+c.want) {
			t.Errorf("%s of %s: %v\n%s", c.test, c.round, err, config.ConfigText())
		}
	}
	m := good(t, "TEST01", "Offline")
	m.request.Rules = rulesOf(t, "v0.5")
	for key, v := range map[string]any{"effective_qsl_rng_seed": uint64(3133965575612453542),
		"effective_sample_index_rng_seed": uint64(665484352860916858),
		"effective_schedule_rng_seed":     uint64(3622009729038561421),
		"requested_accuracy_log_rng_seed": 456, "requested_accuracy_log_probability": 0.01,
		"effective_accuracy_log_probability": 1, "effective_accuracy_log_sampling_target": 0} {
		m.audit.detail[key] = v
	}
	if v := m.verify(t); !v.Pass {
		t.Errorf("%v", v.Reasons)
	}
	m.audit.detail["requested_accuracy_log_probability"] = 0.0
	if v := m.verify(t); v.Pass || v.Reasons[0].Check != "audit-setting" {
		t.Errorf("nothing was to be logged: %v", v.Reasons)
	}
}

// TestSamplesDrawnAtRandom: v6.0 drew the samples of TEST07 and TEST09 at random, and so some twice; later each is
// issued once.
func TestSamplesDrawnAtRandom(t *testing.T) {
	for round, want := range map[string]bool{"v6.0": true, "v6.1": false} {
		m := good(t, "TEST09", "Offline")
		m.request.Rules = rulesOf(t, round)
		seeds := m.request.Rules.Seeds
		m.audit.detail["effective_qsl_rng_seed"], m.audit.detail["effective_sample_index_rng_seed"],
			m.audit.detail["effective_schedule_rng_seed"] = seeds.QSL, seeds.SampleIndex, seeds.Schedule
		m.audit.detail["requested_performance_issue_unique"] = !want
		m.audit.answers[7].QSLIndex = 8
		v := m.verify(t)
		if v.Pass != want {
			t.Errorf("%s: %v", round, v.Reasons)
		}
		m.audit.answers = m.audit.answers[:100]
		if v := m.verify(t); v.Pass {
			t.Errorf("%s: 100 answers pass", round)
		}
	}
}
