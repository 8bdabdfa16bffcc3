package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func cardPaths(t *testing.T) []string {
	t.Helper()
	paths := findCards(filepath.Join("..", "..", "plugins"), "*")
	if len(paths) == 0 {
		t.Fatal("no cards")
	}
	return paths
}

// TestCardsKeepTheirForm checks that each card is written as it was read.
func TestCardsKeepTheirForm(t *testing.T) {
	for _, path := range cardPaths(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		c, err := parseCard(text)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if got, err := c.format(); err != nil || string(got) != string(text) {
			t.Errorf("%s is written as\n%s\n%v", path, got, err)
		}
	}
}

func TestMetricsAreReplacedByName(t *testing.T) {
	f := modelFile{Metrics: []cardMetric{{Name: "b", Value: 1}, {Name: "a", Unit: "%", Value: 2}}}
	if err := f.update(modelFigures{"one": {"a": 5, "b": 6, "c": 7}}); err != nil ||
		fmt.Sprint(f.Metrics) != "[{b  6} {a % 5}]" {
		t.Errorf("metrics %v, %v", f.Metrics, err)
	}
	if err := f.update(modelFigures{"one": {"a": 8}}); err == nil || !strings.Contains(err.Error(), "measures b") {
		t.Errorf("error %v of a metric that was not measured", err)
	}
}

// TestMetricsOfOneModelAreItsOwn checks that metrics with the same name of two models are kept separate.
func TestMetricsOfOneModelAreItsOwn(t *testing.T) {
	f := modelFile{Models: map[string][]cardMetric{"one": {{Name: "a"}}, "two": {{Name: "a"}}}}
	if err := f.update(modelFigures{"one": {"a": 5}}); err == nil || !strings.Contains(err.Error(), "measures a of two") {
		t.Errorf("error %v where the second model was not measured", err)
	}
	if err := f.update(modelFigures{"one": {"a": 5}, "two": {"a": 6}}); err != nil || f.Models["one"][0].Value != 5 ||
		f.Models["two"][0].Value != 6 {
		t.Errorf("metrics %v, %v", f.Models, err)
	}
}

// TestDocumentHasTheCardsFigures compares the table of docs/benchmarks.md with the cards.
func TestDocumentHasTheCardsFigures(t *testing.T) {
	document, err := os.ReadFile(filepath.Join("..", "..", "docs", "benchmarks.md"))
	if err != nil {
		t.Fatal(err)
	}
	forms := map[string]struct{ metric, text string }{
		"resnet50": {"accuracy", "top-1 %.1f %%, %.1f %%"}, "retinanet": {"mAP", "mAP %.1f %%, %.1f %%"},
		"yolo":   {"mAP", "mAP %.1f %%, %.1f %%"},
		"unet3d": {"DICE", "mean DICE %.3f, %.3f"}, "brats": {"DICE", "mean DICE %.3f, %.3f"},
		"dlrm": {"AUC", "AUC %.1f %%, %.1f %%"}, "dlrm3": {"GAUC", "GAUC %.1f %%, %.1f %%"},
		"pointpainting": {"mAP", "mAP %.3f, %.3f"}, "wan": {"", "none: a drawing program as a stand-in"},
		"bert": {"F1", "F1 %.1f %%, %.1f %%"}, "rnnt": {"accuracy", "word accuracy %.1f %%, %.1f %%"},
		"llm": {"rouge1", "ROUGE-1 %.1f %%, %.1f %%"}, "rgat": {"accuracy", "accuracy %.1f %%, %.1f %%"},
		"whisper": {"accuracy", "word accuracy %.1f %%, %.1f %%"},
		"gnmt":    {"BLEU", "BLEU %.1f, %.1f"},
		"sdxl":    {"CLIP_SCORE", "CLIP score %.1f, %.1f"},
		"vl":      {"category_f1", "hierarchical F1 %.3f, %.3f"},
		"rag":     {"accuracy", "answers right %.1f %%, %.1f %% (language models: a stand-in)"},
		// deepseek-r1's.
		"reasoning": {"exact_match_without_programs", "exact match without programs %.1f %%, %.1f %%"},
	}
	for _, path := range cardPaths(t) {
		plugin := filepath.Base(filepath.Dir(path)) // of a single model
		if plugin == modelFolder {
			plugin = filepath.Base(filepath.Dir(filepath.Dir(path)))
		}
		form, ok := forms[plugin]
		if !ok {
			t.Errorf("the figures of %s in docs/benchmarks.md are not compared with its card: name their form here", plugin)
			continue
		}
		var values []any
		for _, parts := range readCard(t, path).groupFiles() {
			for _, m := range slices.Concat(parts[0].Metrics, parts[0].Models["deepseek-r1"],
				parts[0].Models["e2e-rag-qna"]) {
				if m.Name == form.metric {
					values = append(values, m.Value)
				}
			}
		}
		if want := "| " + fmt.Sprintf(form.text, values...) + " |"; !strings.Contains(string(document), want) {
			t.Errorf("docs/benchmarks.md lacks %q of %s", want, plugin)
		}
	}
}

// TestPartsShareAMeasurement checks that a model with several files is measured once and that each file gets the
// result.
func TestPartsShareAMeasurement(t *testing.T) {
	c := &modelCard{}
	for _, precision := range []string{"fp32", "int8"} {
		for _, part := range []string{"encoder", "decoder"} {
			metrics := []cardMetric{{Name: "accuracy"}}
			c.files = append(c.files, modelFile{Name: part, Part: part, Precision: precision, Metrics: metrics})
		}
	}
	models := c.groupFiles()
	if len(models) != 2 || len(models[0]) != 2 || len(models[1]) != 2 {
		t.Fatalf("%d models of 2 precisions", len(models))
	}
	if err := updateParts(models[1], modelFigures{"one": {"accuracy": 95}}); err != nil {
		t.Fatal(err)
	}
	for _, f := range c.files {
		if want := map[string]float64{"int8": 95}[f.Precision]; f.Metrics[0].Value != want {
			t.Errorf("%s %s: %v, want %v", f.Part, f.Precision, f.Metrics, want)
		}
	}
	if err := updateParts(models[0], nil); err == nil || !strings.Contains(err.Error(), "encoder: no model") {
		t.Errorf("error %v of metrics that were not measured", err)
	}
}

func readCard(t *testing.T, path string) *modelCard {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := parseCard(text)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return c
}

// TestModelsOfAFolder checks that models with their own folder of embedded files are not assigned to the plugin's
// folder.
func TestModelsOfAFolder(t *testing.T) {
	for folder, want := range map[string][]string{"model": {"3d-unet"}, "model/brats": {"3d-unet-brats"}} {
		models, err := findModels(filepath.Join("..", "..", "plugins", "unet3d", filepath.FromSlash(folder)))
		names := make([]string, len(models))
		for i, m := range models {
			names[i] = m.Name
		}
		if got := names; err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", folder, got, err, want)
		}
	}
}

func TestScenarioOfARun(t *testing.T) {
	for want, has := range map[string][]string{
		"SingleStream": {"SingleStream"}, "Offline": {"SingleStream", "Offline"},
	} {
		if got := (servedModel{Scenarios: has}).accuracyScenario(); got != want {
			t.Errorf("%q: %s, want %s", has, got, want)
		}
	}
	if got := (servedModel{Scenarios: []string{"Server"}}).accuracyScenario(); got != "Offline" {
		t.Errorf("Server alone: %s, want Offline, which the harness refuses", got)
	}
}

// TestVerdictsHaveFigures checks that the figure of an audit is read from its verdict.
func TestVerdictsHaveFigures(t *testing.T) {
	for text, want := range map[string]float64{
		"x\nAccuracy score: 93.5\nAccuracy threshold: 90.0\n": 93.5,
		"Mean output tokens: 78.16\nMin threshold: 70.2\n":    78.16,
	} {
		if got, err := parseVerdict(text); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	if _, err := parseVerdict("Error: Could not parse accuracy score\n"); err == nil {
		t.Error("no error of a verdict without a figure")
	}
	f := modelFile{Audits: map[string][]cardMetric{"one": {{Name: "TEST07"}}}}
	if err := f.update(modelFigures{"one": {"TEST07": 93.5}}); err != nil || f.Audits["one"][0].Value != 93.5 {
		t.Errorf("audits %v, %v", f.Audits, err)
	}
	if err := f.update(modelFigures{"one": {}}); err == nil || !strings.Contains(err.Error(), "measures TEST07 of one") {
		t.Errorf("error %v of an audit that was not measured", err)
	}
}
