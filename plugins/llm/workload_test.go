package llm

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/plugins/internal/language"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

func mustOpen(t *testing.T, o sdk.Options) *language.PromptWorkload {
	t.Helper()
	w, err := New().Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	own, _ := sdk.As[*language.PromptWorkload](w)
	return own
}

func promptOf(t *testing.T, w *language.PromptWorkload, i int) backend.Prompt {
	t.Helper()
	s, err := w.Load(t.Context(), i)
	if err != nil {
		t.Fatal(err)
	}
	p, err := w.Prompt(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPromptsHaveTheModelsLimits(t *testing.T) {
	for _, c := range []struct {
		model              string
		beams, least, most int
		early              bool
	}{
		{"", 1, 1, 128, false}, {"llama3.1-8b-edge", 1, 1, 128, false}, {"llama2-70b", 1, 1, 1024, false},
		{"llama3.1-405b", 1, 2, 20000, false}, {"mixtral-8x7b", 1, 2, 1024, false}, {"gptj", 4, 30, 128, true},
	} {
		t.Run(c.model, func(t *testing.T) {
			p := manifesttest.Params(t, New(), c.model, false, nil)
			l := parseSettings(p).Limits
			if err := p.Err(); err != nil {
				t.Fatal(err)
			}
			if l.Beams != c.beams || l.MinNewTokens != c.least || l.MaxNewTokens != c.most || l.EarlyStopping != c.early ||
				l.LengthPenalty != 1 {
				t.Errorf("limits %+v, want %+v", l, c)
			}
		})
	}
}

func TestEmbeddedPrompts(t *testing.T) {
	w := mustOpen(t, sdk.Options{Count: 20})
	if w.Len() != 20 {
		t.Errorf("%d samples, want 20", w.Len())
	}
	for i := range w.Len() {
		p := promptOf(t, w, i)
		text, err := w.Coder.Decode(p.Tokens)
		if err != nil {
			t.Fatal(err)
		}
		if want := findTemplate("articles"); p.Text != strings.Replace(want, "{input}", strings.TrimSpace(text), 1) {
			t.Errorf("prompt %d decodes to %q, its text is %q", i, text, p.Text)
		}
		if p.Tokens[0] != 1 || p.Tokens[len(p.Tokens)-1] != 2 {
			t.Errorf("prompt %d has tokens %v, want it from <|article|> to <|summary|>", i, p.Tokens)
		}
	}
}

func TestServerPromptsAreText(t *testing.T) {
	w := mustOpen(t, sdk.Options{Count: 3, Params: map[string]string{"tokenizer": "server"}})
	p := promptOf(t, w, 0)
	if p.Tokens != nil || !strings.HasPrefix(p.Text, "Summarize the following news article") || len(p.Messages) != 1 ||
		p.Messages[0].Content != p.Text {
		t.Errorf("prompt %+v, want the text of Llama 3.1's form, as a message too", p)
	}
	info := sdk.WorkloadInfo{ModelFile: "embedded-fp32", Embedded: true, ModelSHA256: "12", ModelSize: 7}
	if w.AddInfo(&info); info.Embedded || info.ModelFile != "the server's" || info.ModelSHA256 != "" ||
		info.ModelSize != 0 {
		t.Errorf("the model of a server is said to be %+v", info)
	}
	payload, n, err := w.AppendTokens(nil, nil, backend.Tokens{Text: "a b", N: 7})
	if err != nil || string(payload) != "a b" || n != 7 {
		t.Errorf("payload %q, %d tokens, %v", payload, n, err)
	}
	if _, err := w.NewGenerator(nil, backend.Config{}); !errors.Is(err, sdk.ErrUsage) {
		t.Errorf("error %v of decoding here without a tokenizer", err)
	}
}

// TestEmbeddedModelOnAnotherDataset: the embedded tokenizer brings its own end token, form of prompts and padding,
// whatever ids the data set has of the official one, and its log is scored by it.
func TestEmbeddedModelOnAnotherDataset(t *testing.T) {
	path := writeRecords(t, `[{"input":"A bridge opened.","tok_input":[128000,9906],"output":"Bridge opened."}]`)
	for _, given := range []string{"", "embedded"} {
		params := map[string]string{}
		if given != "" {
			params["tokenizer"] = given
		}
		w := mustOpen(t, sdk.Options{Dataset: path, Params: params})
		p := promptOf(t, w, 0)
		if !slices.Equal(p.EOS, []int32{0}) || p.PadToken != 0 || p.Text != "<|article|> A bridge opened.<|summary|>" {
			t.Errorf("tokenizer %q: prompt %+v, want it in the embedded model's form, to end with its token", given, p)
		}
		o := sdk.ScoreOptions{Dataset: path, Embedded: true, Params: params}
		if _, err := New().OpenScorer(t.Context(), o); err != nil {
			t.Errorf("tokenizer %q: %v", given, err)
		}
	}
	if _, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Dataset: path}); !errors.Is(err, sdk.ErrUsage) {
		t.Errorf("%v of another model's log without its tokenizer, want an error", err)
	}
}

// TestPaddingIsOfTheTokenizer: a model looks up what it is padded with, so it is in the vocabulary.
func TestPaddingIsOfTheTokenizer(t *testing.T) {
	for eos, want := range map[string]int32{"128001,5": 5, "7,128001": 7, "128001": 0} {
		w := mustOpen(t, sdk.Options{Count: 1, Params: map[string]string{"eos": eos}})
		if p := promptOf(t, w, 0); p.PadToken != want {
			t.Errorf("eos %s of a vocabulary of %d: padded with %d, want %d", eos, w.Coder.Size(), p.PadToken, want)
		}
	}
}

// TestPromptsWithoutReferences: each kind of data set runs without what its answers are scored with, and neither scores
// nor passes for a data set.
func TestPromptsWithoutReferences(t *testing.T) {
	path := writeRecords(t, `[{"input":"What is a bridge?"},{"input":"Who opened it?"}]`)
	b := New()
	for model, column := range map[string]string{
		"llama3.1-8b": "output", "llama2-70b": "output", "llama3.1-405b": "gt_output", "mixtral-8x7b": "gt_output",
	} {
		params := map[string]string{"tokenizer": "embedded"}
		w := mustOpen(t, sdk.Options{Model: model, Dataset: path, Params: params})
		if w.Len() != 2 || !strings.Contains(promptOf(t, w, 0).Text, "What is a bridge?") {
			t.Errorf("%s: %d prompts, the first %+v", model, w.Len(), promptOf(t, w, 0))
		}
		_, err := b.OpenScorer(t.Context(), sdk.ScoreOptions{Model: model, Dataset: path, Params: params})
		_, verified := b.(sdk.DatasetWorker).WorkOnDataset(t.Context(),
			sdk.DatasetRequest{Model: model, Action: sdk.Verify, Input: path, Params: params}, func(string) {})
		for _, err := range []error{err, verified} {
			if !errors.Is(err, sdk.ErrData) || !strings.Contains(err.Error(), fmt.Sprintf("no column %q", column)) {
				t.Errorf("%s: %v, want one that names the column %s", model, err, column)
			}
		}
	}
}

func writeRecords(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mine.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLongPromptsLoseTheirEnd(t *testing.T) {
	w := mustOpen(t, sdk.Options{Count: 30, Params: map[string]string{"max_prompt_tokens": "80"}})
	whole := mustOpen(t, sdk.Options{Count: 30})
	cut := 0
	for i := range w.Len() {
		long, short := promptOf(t, whole, i).Tokens, promptOf(t, w, i).Tokens
		if len(long) > 80 {
			cut++
		}
		if !slices.Equal(short, long[:min(80, len(long))]) {
			t.Errorf("prompt %d is %v, want the start of %v", i, short, long)
		}
	}
	var info sdk.WorkloadInfo
	w.AddInfo(&info)
	if cut == 0 || cut == 30 || info.BackendInfo["prompts_truncated"] != fmt.Sprint(cut) ||
		info.BackendInfo["prompt_tokens_longest"] != "80" {
		t.Errorf("%v, want %d truncated", info.BackendInfo, cut)
	}
}

func TestPayloads(t *testing.T) {
	w := mustOpen(t, sdk.Options{Count: 1})
	for _, c := range []struct {
		dtype accuracy.DType
		in    backend.Tokens
		want  []byte
		n     int
	}{
		{accuracy.Int32, backend.Tokens{IDs: []int32{5, 258, 0, 7}, N: 4}, []byte{5, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0}, 3},
		{accuracy.Int64, backend.Tokens{IDs: []int32{5}, N: 1}, []byte{5, 0, 0, 0, 0, 0, 0, 0}, 1},
		{accuracy.Float32, backend.Tokens{IDs: []int32{5}, N: 1}, []byte{0, 0, 0xa0, 0x40}, 1},
		{accuracy.Int32, backend.Tokens{}, nil, 0},
	} {
		w.DType = c.dtype
		got, n, err := w.AppendTokens(nil, nil, c.in)
		if err != nil || !slices.Equal(got, c.want) || n != c.n {
			t.Errorf("%v as %v: % x, %d tokens, %v; want % x, %d", c.in, c.dtype, got, n, err, c.want, c.n)
		}
	}
	_, _, err := w.AppendTokens(nil, nil, backend.Tokens{IDs: []int32{5, 1 << 20}, N: 2})
	if !errors.Is(err, language.ErrTokens) {
		t.Errorf("error %v of an id beyond the vocabulary", err)
	}
	w.DType = accuracy.Int32
	got, n, err := w.AppendTokens(nil, nil, backend.Tokens{Text: " the people", N: 9})
	if err != nil || n != 9 || len(got) == 0 || len(got)%4 != 0 {
		t.Errorf("text became % x, %d tokens, %v", got, n, err)
	}
}

// TestReferencesScoreFull answers each sample with its reference.
func TestReferencesScoreFull(t *testing.T) {
	for _, model := range []string{"llama3.1-8b", "llama2-70b", "llama3.1-405b", "mixtral-8x7b", "gptj"} {
		t.Run(model, func(t *testing.T) {
			w := mustOpen(t, sdk.Options{Model: model, Count: 12})
			s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Model: model, Count: 12})
			if err != nil {
				t.Fatal(err)
			}
			for i, item := range generateArticles(11).items {
				payload, _, err := w.AppendTokens(nil, nil, backend.Tokens{Text: " " + item.Output})
				if err != nil {
					t.Fatal(err)
				}
				if err := s.Add(mllog.AccuracyEntry{SeqID: uint64(i), QSLIndex: uint64(i), Data: payload}); err != nil {
					t.Fatal(err)
				}
			}
			r, err := s.Result()
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, m := range r.Metrics {
				if strings.HasPrefix(m.Name, "rouge") && m.Value != 100 {
					t.Errorf("%s = %v, want 100", m.Name, m.Value)
				}
				found = found || m.Name == "rougeL"
			}
			if !found || r.Samples != 11 || len(r.Notes) != 1 ||
				!strings.Contains(r.Notes[0], "1 of 12 samples are not in the log") {
				t.Errorf("score %+v", r)
			}
		})
	}
}

func TestTextAnswersAreScored(t *testing.T) {
	params := map[string]string{"tokenizer": "server"}
	s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Count: 2, Params: params})
	if err != nil {
		t.Fatal(err)
	}
	right := generateArticles(2).items[1].Output
	for i, text := range []string{"", right, "dropped"} {
		if err := s.Add(mllog.AccuracyEntry{QSLIndex: uint64(min(i, 1)), Data: []byte(text)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Add(mllog.AccuracyEntry{QSLIndex: 2}); !errors.Is(err, sdk.ErrData) {
		t.Errorf("error %v of a sample outside", err)
	}
	r, err := s.Result()
	if err != nil || r.Samples != 2 || r.Metrics[0].Name != "rouge1" || r.Metrics[0].Value != 50 {
		t.Errorf("score %+v, %v, want a rouge1 of 50", r, err)
	}
	if text := strings.Join(r.Notes, "\n"); !strings.Contains(text, "1 entries dropped") ||
		!strings.Contains(text, "nothing of tokens") {
		t.Errorf("notes %q", text)
	}
}

func TestBadOptions(t *testing.T) {
	for _, c := range []struct {
		name  string
		o     sdk.Options
		class error
		parts []string
	}{
		{"all parameters", sdk.Options{Params: map[string]string{
			"beams": "0", "max_new_tokens": "-1", "min_new_tokens": "x", "eos": "1,,2", "dtype": "int5", "length_penalty": "inf",
			"early_stopping": "yes", "prompt": "poem", "kv_cache_mb": "0", "max_prompt_tokens": "-2", "colour": "red"}},
			sdk.ErrUsage,
			[]string{"beams", "max_new_tokens", "min_new_tokens", "eos", "dtype", "length_penalty", "early_stopping",
				`prompt = "poem"`, "kv_cache_mb", "max_prompt_tokens", `unknown parameter "colour"`}},
		{"limits", sdk.Options{Params: map[string]string{"min_new_tokens": "200"}}, sdk.ErrUsage,
			[]string{"want at most max_new_tokens = 128"}},
		{"count", sdk.Options{Count: 501}, sdk.ErrUsage, []string{"at most the 500 samples"}},
		{"data set", sdk.Options{Dataset: "testdata/none.json"}, sdk.ErrData, []string{"none.json"}},
		{"tokenizer", sdk.Options{Params: map[string]string{"tokenizer": "testdata/none"}}, sdk.ErrData, []string{"none"}},
		{"model file without tokenizer", sdk.Options{ModelFile: "model/llm_fp32.onnx"}, sdk.ErrUsage,
			[]string{"tokenizer is missing"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := New().Open(t.Context(), c.o)
			if !errors.Is(err, c.class) {
				t.Fatalf("error %v, want one of class %v", err, c.class)
			}
			for _, part := range c.parts {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q lacks %q", err, part)
				}
			}
		})
	}
}
