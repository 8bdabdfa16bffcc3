package reasoning

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// writeTokenizer writes a byte-level tokenizer.json whose special tokens are these, from id 256 on.
func writeTokenizer(t *testing.T, special ...string) string {
	t.Helper()
	vocabulary := map[string]int{}
	others := 0
	for b := range 256 {
		name := string(rune(b))
		if !(b >= '!' && b <= '~' || b >= 0xa1 && b != 0xad) {
			name = string(rune(256 + others))
			others++
		}
		vocabulary[name] = b
	}
	added := []map[string]any{}
	for i, text := range special {
		added = append(added, map[string]any{"id": 256 + i, "content": text, "special": true})
	}
	bytes := map[string]any{"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}
	text, err := json.Marshal(map[string]any{
		"added_tokens": added, "pre_tokenizer": bytes, "decoder": bytes,
		"model": map[string]any{"type": "BPE", "vocab": vocabulary, "merges": []string{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return write(t, "tokenizer.json", string(text))
}

func harmony(t *testing.T) string { return writeTokenizer(t, harmonyMarkers...) }

func deepseek(t *testing.T) string {
	return writeTokenizer(t, "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>")
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func opened(t *testing.T, o sdk.Options) *reasoningWorkload {
	t.Helper()
	w, err := New().Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	own, ok := sdk.As[*reasoningWorkload](w)
	if !ok {
		t.Fatalf("%T is no workload of this benchmark", w)
	}
	return own
}

// TestPrompts: a row of text is sent as ids, as text or as a chat; a row of ids is a whole prompt.
func TestPrompts(t *testing.T) {
	text := write(t, "a.jsonl", `{"text_input":"Why?","ground_truth":"A","dataset":"gpqa"}`)
	ids := write(t, "b.jsonl", `{"tok_input":[256,72,105]}`)
	chat := []backend.ChatMessage{{Role: "user", Content: "Why?"}}
	for name, c := range map[string]struct {
		model, data string
		params      map[string]string
		want        backend.Prompt // as far as it is compared
	}{
		"plain ids": {"deepseek-r1", text, nil, backend.Prompt{Tokens: []int32{'W', 'h', 'y', '?'}, Text: "Why?",
			Messages: chat}},
		"a form": {"deepseek-r1", text, map[string]string{"prompt": "deepseek"}, backend.Prompt{
			Tokens: []int32{256, 258, 'W', 'h', 'y', '?', 259}, Messages: chat,
			Text: "<｜begin▁of▁sentence｜><｜User｜>Why?<｜Assistant｜>"}},
		"a form of one's own": {"deepseek-r1", text, map[string]string{"prompt": "<{input}>"}, backend.Prompt{
			Tokens: []int32{'<', 'W', 'h', 'y', '?', '>'}, Text: "<Why?>", Messages: chat}},
		"text":         {"deepseek-r1", text, map[string]string{"send": "text"}, backend.Prompt{Text: "Why?"}},
		"chat":         {"deepseek-r1", text, map[string]string{"send": "chat"}, backend.Prompt{Messages: chat}},
		"harmony":      {"gpt-oss-120b", ids, nil, backend.Prompt{Tokens: []int32{256, 72, 105}}},
		"harmony text": {"gpt-oss-120b", ids, map[string]string{"send": "text"}, backend.Prompt{Text: "<|start|>Hi"}},
	} {
		tokenizer := deepseek(t)
		if c.model == "gpt-oss-120b" {
			tokenizer = harmony(t)
		}
		params := map[string]string{"tokenizer": tokenizer}
		for k, v := range c.params {
			params[k] = v
		}
		w := opened(t, sdk.Options{Model: c.model, Dataset: c.data, Params: params})
		p := w.Prompts.All[0]
		if !slices.Equal(p.Tokens, c.want.Tokens) || p.Text != c.want.Text ||
			!reflect.DeepEqual(p.Messages, c.want.Messages) {
			t.Errorf("%s: %v %q %v, want %v %q %v", name, p.Tokens, p.Text, p.Messages, c.want.Tokens, c.want.Text,
				c.want.Messages)
		}
	}
}

// TestLimitsOfUses: answers of accuracy runs may be longer, and prompts draw by the model's settings.
func TestLimitsOfUses(t *testing.T) {
	data := write(t, "b.jsonl", `{"input_tokens":[65],"ground_truth":"A","dataset":"gpqa"}`+
		`{"input_tokens":[66],"ground_truth":"A","dataset":"gpqa"}`)
	for use, most := range map[string]int{"": 10240, sdk.UseAccuracy: 32768, "TEST07": 10240} {
		w := opened(t, sdk.Options{Model: "gpt-oss-120b", Dataset: data, Use: use,
			Params: map[string]string{"tokenizer": harmony(t)}})
		p := w.Prompts.All[1]
		if p.MaxNewTokens != most || !w.SamplingPrompts() || *p.Sampling.Temperature != 1 || *p.Sampling.TopP != 1 ||
			*p.Sampling.TopK != -1 || p.Sampling.Seed != nil || !slices.Equal(p.EOS, []int32{200002, 199999, 200012}) {
			t.Errorf("%q: %d new tokens, want %d; %+v", use, p.MaxNewTokens, most, p.Sampling)
		}
	}
	w := opened(t, sdk.Options{Model: "gpt-oss-120b", Dataset: data,
		Params: map[string]string{"tokenizer": harmony(t), "seed": "7"}})
	if first, second := w.Prompts.All[0].Sampling, w.Prompts.All[1].Sampling; *first.Seed != 7 || *second.Seed != 8 {
		t.Errorf("seeds %d and %d, want 7 and 8", *first.Seed, *second.Seed)
	}
	text := write(t, "a.jsonl", `{"text_input":"Why?"}`)
	w = opened(t, sdk.Options{Model: "deepseek-r1", Dataset: text, Params: map[string]string{"tokenizer": deepseek(t)}})
	if p := w.Prompts.All[0]; p.MaxNewTokens != 20000 || p.Sampling != nil || w.SamplingPrompts() {
		t.Errorf("%+v", p)
	}
}

// TestAnswers: ids are the payload; harmony's are never made of text.
func TestAnswers(t *testing.T) {
	ids := write(t, "b.jsonl", `{"tok_input":[65]}`)
	w := opened(t, sdk.Options{Model: "gpt-oss-120b", Dataset: ids, Params: map[string]string{"tokenizer": harmony(t)}})
	got, n, err := w.AppendTokens(nil, &w.Prompts.All[0], backend.Tokens{IDs: []int32{257, 66}, N: 2})
	if err != nil || n != 2 || !slices.Equal(got, []byte{1, 1, 0, 0, 66, 0, 0, 0}) {
		t.Errorf("%v, %d, %v", got, n, err)
	}
	_, _, err = w.AppendTokens(nil, &w.Prompts.All[0], backend.Tokens{Text: "Answer: B", N: 3})
	if !errors.Is(err, sdk.ErrUsage) || !strings.Contains(err.Error(), "api=sglang") {
		t.Errorf("%v of text", err)
	}
	text := write(t, "a.jsonl", `{"text_input":"Why?"}`)
	w = opened(t, sdk.Options{Model: "deepseek-r1", Dataset: text, Params: map[string]string{"tokenizer": deepseek(t)}})
	if got, n, err = w.AppendTokens(nil, &w.Prompts.All[0], backend.Tokens{Text: "B", N: 1}); err != nil || n != 1 ||
		!slices.Equal(got, []byte{66, 0, 0, 0}) {
		t.Errorf("%v, %d, %v of text", got, n, err)
	}
}

// TestBadInput gives one wrong thing at a time.
func TestBadInput(t *testing.T) {
	const row = `{"text_input":"Why?","ground_truth":"A","dataset":"gpqa"}`
	long := `{"text_input":"` + strings.Repeat("x", 3137) + `"}`
	for want, c := range map[string]struct {
		model, data string
		params      map[string]string
	}{
		"it is a Python pickle, want JSON, JSONL or Parquet: datasets/convert/convert.py": {
			"deepseek-r1", "\x80\x04.", nil},
		"record 0: it has neither text_input nor tok_input":               {"deepseek-r1", `{"prompt":"Why?"}`, nil},
		"record 0: it has neither text_input, tok_input nor input_tokens": {"gpt-oss-120b", `{"text":"Why?"}`, nil},
		"record 1: it has neither text_input, tok_input nor input_tokens": {
			"gpt-oss-120b", `{"tok_input":[1]}{"tok_input":[]}`, nil},
		"sample 0: its prompt has 3137 tokens, want at most 3136": {"deepseek-r1", long, nil},
		"token 1 of its prompt is 999, the tokenizer has 261":     {"gpt-oss-120b", `{"tok_input":[1,999]}`, nil},
		"id -2 at place 1, want at least 0":                       {"gpt-oss-120b", `{"tok_input":[1,-2]}`, nil},
		"it is token ids of a whole prompt": {
			"gpt-oss-120b", `{"tok_input":[1]}`, map[string]string{"send": "chat"}},
		"parameter tokenizer is missing": {"deepseek-r1", row, map[string]string{"tokenizer": ""}},
		"want plain, deepseek, harmony":  {"deepseek-r1", row, map[string]string{"prompt": "poem"}},
		"parameter top_p":                {"deepseek-r1", row, map[string]string{"top_p": "0"}},
		"parameter top_k":                {"deepseek-r1", row, map[string]string{"top_k": "0"}},
		"want own, or python:":           {"deepseek-r1", row, map[string]string{"grader": "sage"}},
		"parameter seed":                 {"deepseek-r1", row, map[string]string{"seed": "-1"}},
		"parameter temperature": {
			"deepseek-r1", row, map[string]string{"temperature": "-1"}},
		"parameter accuracy_max_new_tokens": {
			"deepseek-r1", row, map[string]string{"accuracy_max_new_tokens": "0"}},
		"parameter send": {"deepseek-r1", row, map[string]string{"send": "fax"}},
		"no tokens for harmony's <|return|>": {"gpt-oss-120b", `{"tok_input":[1]}`, map[string]string{
			"tokenizer": writeTokenizer(t, harmonyMarkers[:4]...)}},
	} {
		params := map[string]string{"tokenizer": deepseek(t)}
		if c.model == "gpt-oss-120b" {
			params["tokenizer"] = harmony(t)
		}
		for k, v := range c.params {
			params[k] = v
		}
		o := sdk.Options{Model: c.model, Dataset: write(t, "data.jsonl", c.data), Params: params}
		_, err := New().Open(t.Context(), o)
		if err == nil || !strings.Contains(err.Error(), want) ||
			!errors.Is(err, sdk.ErrUsage) && !errors.Is(err, sdk.ErrData) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestBadTruths: what cannot be scored is said before the log is read, what can only be wrong is counted.
func TestBadTruths(t *testing.T) {
	for want, c := range map[string]struct{ model, data string }{
		`no column "gt_output" and none "ground_truth"`: {"deepseek-r1", `{"text_input":"Why?","dataset":"gpqa"}`},
		`no column "dataset" and none "metric"`:         {"deepseek-r1", `{"text_input":"Why?","gt_output":"A"}`},
		`no column "ground_truth"`:                      {"gpt-oss-120b", `{"tok_input":[1],"dataset":"gpqa"}`},
		`record 1: no grader for the set "gsm8k"`: {"deepseek-r1", `{"text_input":"a","gt_output":"A","dataset":"gpqa"}` +
			`{"text_input":"a","gt_output":"A","dataset":"gsm8k"}`},
	} {
		_, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Model: c.model, Dataset: write(t, "data.jsonl", c.data),
			Params: map[string]string{"tokenizer": harmony(t)}})
		if !errors.Is(err, sdk.ErrData) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	_, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{
		Model: "gpt-oss-120b", Dataset: write(t, "rows.jsonl", `{"ground_truth":"A","dataset":"gpqa_diamond"}`),
		Params: map[string]string{"tokenizer": writeTokenizer(t, harmonyMarkers[1:]...)},
	})
	if !errors.Is(err, sdk.ErrData) || !strings.Contains(err.Error(), "no tokens for harmony's <|start|>") {
		t.Errorf("%v, want the marker that the tokenizer lacks", err)
	}
	data := write(t, "data.jsonl", `{"gt_output":"A","dataset":"gpqa"}{"gt_output":"E","dataset":"gpqa"}`+
		`{"gt_output":"x","dataset":"aime"}{"gt_output":"17","dataset":"livecodebench"}`)
	s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Model: "deepseek-r1", Dataset: data,
		Params: map[string]string{"tokenizer": deepseek(t)}})
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"Answer: A", "Answer: A", "\\boxed{7}", "```python\npass\n```", "Answer: A"} {
		if err := s.Add(mllog.AccuracyEntry{QSLIndex: uint64(i), Data: ids(text)}); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(r.Notes, "\n")
	for _, want := range []string{"2 answers met a truth", `sample 1 of gpqa has the truth "E", want a letter A to D`,
		"1 programs were not executed", "1 entries are of samples beyond the data set", "--accuracy-dataset"} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes %q lack %q", notes, want)
		}
	}
	first := r.Metrics[0]
	if first.Name != withoutProgramsMetric || first.Value != 100./3 || strings.Contains(r.OfficialText, exactMatchMetric) {
		t.Errorf("%+v, %q", r.Metrics, r.OfficialText)
	}
}

// ids is a payload of a byte-level tokenizer.
func ids(text string) []byte {
	var data []byte
	for _, b := range []byte(text) {
		data = append(data, b, 0, 0, 0)
	}
	return data
}

// TestFirstTokenApart: the reference's logs of Server have each first token beside the answer.
func TestFirstTokenApart(t *testing.T) {
	data := write(t, "data.jsonl", `{"ground_truth":"B","dataset":"gpqa_diamond"}`)
	answer := slices.Concat(id(257), ids("final"), id(258), ids("B"))
	for first, want := range map[string]float64{"data": 0, "token_data": 100} {
		s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Model: "gpt-oss-120b", Dataset: data,
			Params: map[string]string{"tokenizer": harmony(t), "first_token": first}})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Add(mllog.AccuracyEntry{Data: answer[4:], TokenData: answer[:4]}); err != nil {
			t.Fatal(err)
		}
		r, err := s.Result()
		if err != nil || r.Metrics[0].Value != want {
			t.Errorf("%s: %+v, %v, want %v", first, r.Metrics, err, want)
		}
	}
}

func id(n int) []byte { return []byte{byte(n), byte(n >> 8), 0, 0} }
