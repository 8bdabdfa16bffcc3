package gnmt

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
)

// changed is what a test has a file of a Marian model say; "missing": it is not there.
type changed map[string]string

// marianModel is the folder of a Marian model with some files changed. Its networks are not read.
func marianModel(t *testing.T, files changed) string {
	t.Helper()
	dir := t.TempDir()
	all := changed{"encoder_model.onnx": "x", "decoder_model.onnx": "x"}
	for _, name := range []string{marianSource, marianTarget, marianVocab, marianConfig, marianGeneration} {
		data, err := os.ReadFile(filepath.Join("testdata", "marian", name))
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(data)
	}
	maps.Copy(all, files)
	for name, text := range all {
		if text == "missing" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// with is a JSON object of the test model with other values.
func with(t *testing.T, name string, values map[string]any) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "marian", name))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]any{}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	maps.Copy(all, values)
	if text, err = json.Marshal(all); err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// openModel opens the benchmark on a Marian model and two sentences of plain text.
func openModel(t *testing.T, dir string, params map[string]string) (*translationWorkload, error) {
	t.Helper()
	all := map[string]string{"text": "plain", "sources": "test.en", "references": "test.de"}
	maps.Copy(all, params)
	w, err := New().Open(t.Context(), sdk.Options{
		Dataset: official(t, map[string]string{
			"test.en": "r\u00e9na\u2028bo! \r\n\n" + strings.Repeat("fébu ", 70) + "\n", "test.de": "x\n\nx\n",
		}),
		PartFiles: map[string]string{
			"encoder": filepath.Join(dir, "encoder_model.onnx"), "decoder": filepath.Join(dir, "decoder_model.onnx"),
		},
		Params: all,
	})
	if err != nil {
		return nil, err
	}
	own, _ := sdk.As[*translationWorkload](w)
	return own, nil
}

func TestMarianPrompts(t *testing.T) {
	w, err := openModel(t, marianModel(t, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	if w.Len() != 3 {
		t.Fatalf("%d sentences, want 3: U+2028 ends no line of plain text", w.Len())
	}
	s, err := w.Load(t.Context(), 1)
	if err != nil || !slices.Equal(s, []int32{0}) {
		t.Errorf("an empty line gives %v, %v, want the end token", s, err)
	}
	p, err := w.Prompt(s)
	if err != nil || p.MaxNewTokens != 23 || p.Beams != 4 || p.LengthPenalty != 1 || p.EarlyStopping {
		t.Errorf("%+v, %v", p, err)
	}
	o := w.form.generatorOptions()
	if !o.ForceEnd || !o.Renormalize || !slices.Equal(o.Never, o.Start) || o.Start[0] != p.PadToken {
		t.Errorf("%+v", o)
	}
	if _, err := w.Load(t.Context(), 2); !errors.Is(err, sdk.ErrData) ||
		!strings.Contains(err.Error(), "line 3 of the sources: a sentence of 71 tokens, the model takes 64") {
		t.Errorf("a long sentence: %v", err)
	}
	info := sdk.WorkloadInfo{}
	if w.AddInfo(&info); len(info.OpenReasons) != 1 || !strings.Contains(info.BackendInfo["search"], "beams 4") {
		t.Errorf("%+v", info)
	}
}

func TestMarianSettings(t *testing.T) {
	for name, c := range map[string]struct {
		files  changed
		params map[string]string
		want   [4]int // beams, least, most tokens, steps that are banned
	}{
		"the user's":        {nil, map[string]string{"beams": "7", "length_penalty": "0.5"}, [4]int{7, 0, 23, 1}},
		"config.json alone": {changed{marianGeneration: "missing"}, nil, [4]int{1, 0, 19, 0}},
		"new tokens": {changed{marianGeneration: with(t, marianGeneration, map[string]any{
			"max_new_tokens": 9, "min_length": 4, "suppress_tokens": []int{3, 4}, "num_beams": 2,
		})}, nil, [4]int{2, 3, 9, 3}},
	} {
		w, err := openModel(t, marianModel(t, c.files), c.params)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		p, _ := w.Prompt(nil)
		if got := [4]int{p.Beams, p.MinNewTokens, p.MaxNewTokens, len(w.form.generatorOptions().Never)}; got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestMarianModelsThatDoNotFit names every fault of the files at once.
func TestMarianModelsThatDoNotFit(t *testing.T) {
	generation := func(values map[string]any) changed {
		return changed{marianGeneration: with(t, marianGeneration, values)}
	}
	for name, c := range map[string]struct {
		files  changed
		params map[string]string
		want   []string
	}{
		"missing files": {files: changed{marianSource: "missing", marianTarget: "missing", marianVocab: "missing"},
			want: []string{marianSource, marianTarget, marianVocab}},
		"no configuration": {files: changed{marianConfig: "missing"}, want: []string{marianConfig}},
		"hostile models": {files: changed{marianSource: "\x0a\xff\xff\xff\xff\x0f", marianTarget: "text"},
			want: []string{marianSource + ": sentencepiece model", marianTarget + ": sentencepiece model"}},
		"another vocabulary": {files: changed{marianVocab: `{"</s>": 0, "<unk>": 1, "x": 2}`},
			want: []string{"vocab.json has 2 of the"}},
		"no tokens":  {files: changed{marianVocab: `{"<pad>": 0}`}, want: []string{"vocab.json has no <"}},
		"two":        {files: changed{"target_vocab.json": "{}"}, want: []string{"want one for both"}},
		"bart":       {files: changed{marianConfig: `{"model_type": "bart"}`}, want: []string{`"bart", want marian`}},
		"no start":   {files: changed{marianGeneration: "{}"}, want: []string{"pad_token_id or eos_token_id"}},
		"cut":        {files: changed{marianGeneration: "{"}, want: []string{"generation_config.json: unexpected end"}},
		"large ids":  {files: generation(map[string]any{"pad_token_id": 5000}), want: []string{"pad_token_id = 5000"}},
		"other end":  {files: generation(map[string]any{"forced_eos_token_id": 3}), want: []string{"[3], want eos"}},
		"long words": {files: generation(map[string]any{"bad_words_ids": [][]int{{1, 2}}}), want: []string{"[1 2]"}},
		"long text":  {files: generation(map[string]any{"max_length": 80}), want: []string{"79 tokens", "takes 64"}},
		"no beams":   {files: generation(map[string]any{"num_beams": 0}), want: []string{"num_beams = 0"}},
		"other searches": {
			files: generation(map[string]any{"do_sample": true, "no_repeat_ngram_size": 3, "early_stopping": "never"}),
			want:  []string{"do_sample = true", "no_repeat_ngram_size = 3", "early_stopping = never"},
		},
		"pieces":    {params: map[string]string{"text": "pieces"}, want: []string{"give text=plain"}},
		"max_steps": {params: map[string]string{"max_steps": "batch"}, want: []string{"max_steps is of GNMT's search"}},
	} {
		_, err := openModel(t, marianModel(t, c.files), c.params)
		if err == nil || !errors.Is(err, sdk.ErrData) && !errors.Is(err, sdk.ErrUsage) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v: it does not say %q", name, err, want)
			}
		}
	}
}

func TestPlainTextIsForMarian(t *testing.T) {
	_, err := openOfficial(t, nil, map[string]string{"text": "plain"})
	if !errors.Is(err, sdk.ErrUsage) || !strings.Contains(err.Error(), "text = plain is for Marian models") {
		t.Error(err)
	}
}

func TestScoreOfPlainText(t *testing.T) {
	s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{
		Dataset: official(t, map[string]string{"test.en": "a\n", "test.de": "Ein@@ Haus, und ein\u2028Garten. \n"}),
		Params:  map[string]string{"text": "plain", "sources": "test.en", "references": "test.de"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(mllog.AccuracyEntry{Data: []byte("Ein@@ Haus, und ein\u2028Garten.")}); err != nil {
		t.Fatal(err)
	}
	score, err := s.Result()
	if err != nil || len(score.Metrics) != 1 || score.Metrics[0].Name != "sacreBLEU" || score.Metrics[0].Value < 99.9 ||
		score.OfficialText != "sacreBLEU: 100.0" || !strings.Contains(strings.Join(score.Notes, ""), "not of plain text") {
		t.Errorf("%+v, %v", score, err)
	}
}

// FuzzMarianSearch checks that configurations that pass can be searched by.
func FuzzMarianSearch(f *testing.F) {
	config, err := os.ReadFile(filepath.Join("testdata", "marian", marianConfig))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(config, []byte(`{"pad_token_id": 3, "eos_token_id": [0, 1], "bad_words_ids": [[]], "early_stopping": null}`))
	f.Add(config, []byte(`{"decoder_start_token_id": -1, "max_length": 1e9, "num_beams": -4}`))
	f.Fuzz(func(t *testing.T, config, generation []byte) {
		s, err := parseMarianSearch(config, generation)
		if err != nil || s.checkSettings(100) != nil {
			return
		}
		m := &marianForm{search: s}
		if p := m.makePrompt(nil); p.MaxNewTokens < 1 || p.Beams < 1 || len(p.EOS) == 0 ||
			len(m.generatorOptions().Start) != 1 {
			t.Errorf("%+v", p)
		}
	})
}
