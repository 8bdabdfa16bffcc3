package drive_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/serving/client"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/drive"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/plan"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
)

// TestOfficialClient drives the official client of the Python that the environment names (make test-official
// OF=endpoints-client PYTHON=) at points of a small set, with their accuracy runs.
func TestOfficialClient(t *testing.T) {
	python := os.Getenv("PLUMBLINE_ENDPOINTS_CLIENT")
	if python == "" {
		t.Skip("PLUMBLINE_ENDPOINTS_CLIENT names no Python with mlcommons/endpoints: make test-official OF=endpoints-client")
	}
	dir, rules := t.TempDir(), endpoints.NewestRules()
	p, err := plan.ChoosePlan(plan.Options{Model: "gpt-oss-120b", CMax: 40, Offline: plan.Elected}, rules)
	if err != nil {
		t.Fatal(err)
	}
	p.Points = p.Points[:2]
	url := serve(t, openaitest.New(openaitest.Options{Owner: "vllm", Model: p.Model, IDs: true, Step: time.Millisecond,
		EndsAt: 24}))
	p.Client = plan.ClientSettings{Endpoint: url, Tokenizer: filepath.Join(dir, "tokenizer"), Workers: 1,
		PerformanceSet: filepath.Join(dir, "performance.jsonl"), AccuracySet: filepath.Join(dir, "accuracy.jsonl")}
	writeOfficialTokenizer(t, p.Client.Tokenizer)
	var samples, questions strings.Builder
	for i := range rows {
		fmt.Fprintf(&samples, `{"input_tokens":[%d,1,2,3]}`+"\n", i)
		fmt.Fprintf(&questions, `{"input_tokens":[%d,4,5],"answer":"%d"}`+"\n", i, i)
	}
	write(t, p.Client.PerformanceSet, samples.String())
	write(t, p.Client.AccuracySet, questions.String())
	tokens, err := client.OpenTokenizer(p.Client.Tokenizer)
	if err != nil {
		t.Fatal(err)
	}
	trialRules := *rules
	trialRules.PerformanceSets = map[string]int{p.Model: rows}
	own := &drive.OfficialClient{Python: python, Plan: p, Rules: &trialRules, Tokenizer: tokens, Rehearsal: true}
	o := drive.Options{Plan: p, Rules: &trialRules, Client: own, Out: filepath.Join(dir, "curve"), Rehearsal: true,
		TimeDivisor: 1e6, ReportInterval: 10 * time.Second, Say: func(line string) { t.Log(line) }}
	curve, err := drive.RunCurve(t.Context(), o)
	if err != nil || len(curve.Points) != 2 {
		t.Fatalf("%+v, %v", curve, err)
	}
	for _, k := range curve.Points {
		if k.Issued != 5*rows || k.Steady == nil || k.Point.Accuracy != (k.Accuracy != nil && len(k.Accuracy.Scores) == 1) {
			t.Errorf("%+v: %d requests, accuracy %+v", k.Point, k.Issued, k.Accuracy)
		}
	}
}

// writeOfficialTokenizer writes a tokenizer's folder whose tokens are the bytes of ASCII.
func writeOfficialTokenizer(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	vocab := map[string]int{"\u0120": 0}
	for c := '!'; c <= '~'; c++ {
		vocab[string(c)] = len(vocab)
	}
	bytesAlone := map[string]any{"type": "ByteLevel", "add_prefix_space": false, "use_regex": false, "trim_offsets": true}
	text, err := json.Marshal(map[string]any{"version": "1.0", "added_tokens": []any{},
		"model":         map[string]any{"type": "BPE", "vocab": vocab, "merges": []string{}},
		"pre_tokenizer": bytesAlone, "decoder": bytesAlone})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "tokenizer.json"), string(text))
	write(t, filepath.Join(dir, "tokenizer_config.json"), `{"tokenizer_class":"PreTrainedTokenizerFast"}`)
}
