package models

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// marianFiles is a Marian model with random weights as optimum exports it, and transformers' translations with it.
func marianFiles() string {
	return filepath.Join(built.Root(), "plugins", "gnmt", "testdata", "marian")
}

// marianDoor is the door of translation with Marian models: both forms of optimum's decoder.
func marianDoor() door {
	exact := map[string]float64{"sacreBLEU": 100}
	const plain = " --dataset text --param text=plain --param sources=test.en --param references=test.de"
	return door{
		model: "gnmt", section: "Marian", data: writeMarian, queries: 4,
		scores: map[string]map[string]float64{"out/marian-smoke": exact},
		also: []form{
			{"--model models/merged" + plain, exact},
			{"--model models/apart/onnx" + plain, exact}, // its other files are in the folder above
		},
	}
}

// writeMarian writes the model in each form, sentences, and their translations.
func writeMarian(dir string) error {
	const tokens = "source.spm target.spm vocab.json config.json generation_config.json "
	const two = "encoder_model.onnx decoder_model.onnx decoder_with_past_model.onnx"
	for folder, names := range map[string]string{
		"models/opus-mt-en-de": tokens + two,
		"models/merged":        tokens + "encoder_model.onnx decoder_model_merged.onnx",
		"models/apart":         tokens,
		"models/apart/onnx":    two,
	} {
		if err := copyMarian(filepath.Join(dir, folder), strings.Fields(names)); err != nil {
			return err
		}
	}
	return writeTranslated(filepath.Join(dir, "text"))
}

func copyMarian(to string, names []string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(marianFiles(), name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, name), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// writeTranslated writes the inputs and outputs of transformers, by the model's own settings, twice.
func writeTranslated(dir string) error {
	text, err := os.ReadFile(filepath.Join(marianFiles(), "expected.json"))
	if err != nil {
		return err
	}
	var made struct {
		Settings  []map[string]any
		Sentences []struct {
			Text    string
			Answers []struct{ Text string }
		}
	}
	if err := json.Unmarshal(text, &made); err != nil {
		return err
	}
	var sources, references strings.Builder
	for range 2 {
		for _, s := range made.Sentences {
			for i, setting := range made.Settings {
				if len(setting) == 0 {
					sources.WriteString(s.Text + "\n")
					references.WriteString(s.Answers[i].Text + "\n")
				}
			}
		}
	}
	if sources.Len() == 0 {
		return errors.New("transformers translated nothing by the model's own settings")
	}
	return errors.Join(os.MkdirAll(dir, 0o755),
		os.WriteFile(filepath.Join(dir, "test.en"), []byte(sources.String()), 0o600),
		os.WriteFile(filepath.Join(dir, "test.de"), []byte(references.String()), 0o600))
}

// TestMarianModelsThatDoNotFit gives the harness folders with one fault each.
func TestMarianModelsThatDoNotFit(t *testing.T) {
	t.Parallel()
	other := filepath.Join(built.Root(), "backends", "ort", "testdata", "golden", "decode", "whisper_greedy", "net_b")
	for name, c := range map[string]struct {
		file, text string // text: contents of the file; empty: the file is missing
		want       []string
	}{
		"no pieces":       {"source.spm", "", []string{"source.spm"}},
		"hostile pieces":  {"source.spm", "\x0a\xff\xff\xff\xff\x0f", []string{"source.spm", "is the file complete?"}},
		"no vocabulary":   {"vocab.json", "", []string{"vocab.json"}},
		"other pieces":    {"vocab.json", `{"</s>": 0, "<unk>": 1, "x": 2}`, []string{"vocab.json has", "do they belong"}},
		"no start":        {"generation_config.json", "{}", []string{"pad_token_id", "eos_token_id"}},
		"other search":    {"generation_config.json", `{"no_repeat_ngram_size": 3}`, []string{"no_repeat_ngram_size = 3"}},
		"another encoder": {"encoder_model.onnx", filepath.Join(other, "encoder_model.onnx"), []string{"decoder", "want"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := writeMarian(dir); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "models", "merged", c.file)
			if data, err := os.ReadFile(c.text); err == nil {
				c.text = string(data)
			}
			if c.text == "" {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			} else {
				testfile.Write(t, path, c.text)
			}
			r := harness.Run(t, "run", "gnmt", "--model", filepath.Join(dir, "models", "merged"), "--dataset",
				filepath.Join(dir, "text"), "--param", "text=plain", "--param", "sources=test.en", "--param",
				"references=test.de", "--mode", "accuracy", "--scenario", "Offline", "--smoke", "--out", t.TempDir(), "--force")
			harness.WantParts(t, r.WantCode(t, 6).Stderr, c.want...)
			if strings.Contains(r.Both(), "goroutine ") {
				t.Errorf("a stack trace:\n%s", r.Both())
			}
		})
	}
}
