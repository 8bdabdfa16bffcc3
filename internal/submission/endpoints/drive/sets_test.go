package drive_test

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/drive"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// TestCheckSet: the official file is known by its checksum; of another the checksum and the number of samples are told.
func TestCheckSet(t *testing.T) {
	rules := endpoints.NewestRules()
	file := filepath.Join(t.TempDir(), "set.jsonl")
	text := strings.Repeat(`{"input_tokens":[1,2,3]}`+"\n", 3)
	write(t, file, text)
	sum, _, err := checksum.File(file)
	if err != nil {
		t.Fatal(err)
	}
	md := md5.Sum([]byte(text))
	for model, kind := range map[string]string{"gpt-oss-120b": "MD5", "deepseek-r1": "SHA-256"} {
		lines, err := drive.CheckSet(file, model, rules)
		if err != nil || len(lines) != 2 || !strings.Contains(lines[0], "its "+kind+" is ") ||
			!strings.Contains(lines[1], fmt.Sprintf("has 3 samples, and the official set of %s has %d", model,
				rules.PerformanceSets[model])) {
			t.Errorf("%s: %q (%v)", model, lines, err)
		}
	}
	own := *rules
	own.OfficialSets = map[string]endpoints.OfficialSet{"gpt-oss-120b": {File: "a", MD5: hex.EncodeToString(md[:])},
		"deepseek-r1": {File: "b", SHA256: sum}}
	for model := range own.OfficialSets {
		if lines, err := drive.CheckSet(file, model, &own); len(lines) != 0 || err != nil {
			t.Errorf("%s: %q (%v)", model, lines, err)
		}
	}
	if lines, err := drive.CheckSet(file, "llama3_1-8b", rules); err != nil || len(lines) != 1 ||
		!strings.Contains(lines[0], "13368") {
		t.Errorf("%q (%v)", lines, err)
	}
	for _, model := range []string{"gpt-oss-120b", "llama3_1-8b"} {
		if _, err := drive.CheckSet(filepath.Join(t.TempDir(), "none"), model, rules); err == nil {
			t.Errorf("%s: a file that is not there passes", model)
		}
	}
}

// TestPromptsOfArticles: the prompts of llama3_1-8b are made of articles as the official client makes them, with its
// chat template; whole prompts stay as they are.
func TestPromptsOfArticles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "set.jsonl")
	write(t, file, `{"article":"It {} rained.","highlights":"rain","id":"7"}`+"\n"+`{"input":"whole"}`+"\n")
	set, err := prompts.ReadSet(drive.SetOptions(file, "llama3_1-8b", endpoints.NewestRules()))
	if err != nil {
		t.Fatal(err)
	}
	want := map[int]string{0: "Summarize the following news article in 128 tokens. Please output the summary only, " +
		"without any other text.\n\nArticle:\nIt {} rained.\n\nSummary:", 1: "whole"}
	drawn := set.Draw(prompts.DrawOptions{N: 2})
	for i := range 2 {
		a := drawn.At(i)
		if a.Text != want[a.Row] || a.API != prompts.Chat {
			t.Errorf("row %d: %q by %s, want %q", a.Row, a.Text, a.API, want[a.Row])
		}
		var template string
		if err := json.Unmarshal(a.Fields["chat_template"], &template); (err == nil) != (a.Row == 0) ||
			a.Row == 0 && !strings.HasPrefix(template, "{{- bos_token }}") {
			t.Errorf("row %d: template %q", a.Row, template)
		}
	}
}

// TestMixedSet: a set of which some prompts are token ids, and others text, is refused.
func TestMixedSet(t *testing.T) {
	file := filepath.Join(t.TempDir(), "set.jsonl")
	write(t, file, `{"input_tokens":[1,2]}`+"\n"+`{"prompt":"a"}`+"\n"+`{"prompt":"b"}`+"\n")
	_, err := drive.CheckSet(file, "gpt-oss-120b", endpoints.NewestRules())
	if err == nil || !strings.Contains(err.Error(), "1 prompts are token ids, and 2 are text") {
		t.Error(err)
	}
}

// TestSaltOfIDs: a set of token ids is salted by the plan's tokenizer behind the model's mark of the user's part, and
// refused without a tokenizer before a request is sent.
func TestSaltOfIDs(t *testing.T) {
	mock := openaitest.New(openaitest.Options{Owner: "vllm", IDs: true, Step: time.Millisecond})
	var salted, bare atomic.Int64
	// The ids of the prompt: "a", the mark, "b"; a salt of 19 letters goes before "b".
	prompt := regexp.MustCompile(`"prompt":\[0,30,31,32,33,34,35((?:,\d+)*),1\]`)
	tr := newTrial(t, serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, _ := io.ReadAll(r.Body)
			if m := prompt.FindSubmatch(body); m != nil {
				if bytes.Count(m[1], []byte(",")) == 19 {
					salted.Add(1)
				} else {
					bare.Add(1)
				}
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		mock.ServeHTTP(w, r)
	})))
	write(t, tr.Plan.Client.PerformanceSet,
		strings.Repeat(`{"input_tokens":[0,30,31,32,33,34,35,1],"output_tokens":4}`+"\n", 4))
	own := tr.Client.(*drive.OwnClient)
	own.Prompts = drive.SetOptions(tr.Plan.Client.PerformanceSet, "gpt-oss-120b", tr.Rules)
	tr.Plan.Points = tr.Plan.Points[:1]
	_, err := drive.RunCurve(t.Context(), tr.Options)
	if err == nil || !strings.Contains(err.Error(), "needs the model's tokenizer") {
		t.Fatal(err)
	}
	if salted.Load()+bare.Load() > 0 {
		t.Error("a request was sent")
	}
	own.Tokenizer = filepath.Join(t.TempDir(), "tokenizer.json")
	vocab := map[string]int{"a": 0, "b": 1, "u": 31, "s": 32, "e": 33, "r": 34, "[": 2, "]": 3, "\u0120": 4}
	for i, letter := range "0123456789cdf" {
		vocab[string(letter)] = 5 + i
	}
	text, err := json.Marshal(map[string]any{
		"model": map[string]any{"type": "BPE", "vocab": vocab, "merges": []string{}},
		"added_tokens": []map[string]any{{"id": 30, "content": "<|start|>", "special": true},
			{"id": 35, "content": "<|message|>", "special": true}},
		"pre_tokenizer": map[string]any{"type": "ByteLevel", "add_prefix_space": false, "use_regex": false},
		"decoder":       map[string]any{"type": "ByteLevel"}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, own.Tokenizer, string(text))
	if _, err := drive.RunCurve(t.Context(), tr.Options); err != nil {
		t.Fatal(err)
	}
	if salted.Load() < 20 || bare.Load() > 0 {
		t.Errorf("%d prompts with a salt, %d without one", salted.Load(), bare.Load())
	}
}
