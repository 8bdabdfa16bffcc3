package drive_test

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/drive"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// TestCheckSet: the official file is known by its checksum; of another the checksum and the number of samples are told.
func TestCheckSet(t *testing.T) {
	rules := endpoints.Newest()
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
	set, err := prompts.ReadSet(drive.SetOptions(file, "llama3_1-8b", endpoints.Newest()))
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
