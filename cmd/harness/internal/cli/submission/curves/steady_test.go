package curves_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/record/requests"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// wordTokenizer is a tokenizer.json whose tokens are the letters.
const wordTokenizer = `{"model":{"type":"BPE","vocab":{"a":0,"b":1},"merges":[]},
"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,"use_regex":false},"decoder":{"type":"ByteLevel"}}`

// steadyLog is a log of 8 super-passes of 5 samples, 100 s each, and 20 ms a token.
func steadyLog() string { return logOf(40, 20_000_000_000) }

// logOf is a log of requests that are sent at a distance in ns, and take 20 ms a token.
func logOf(requests, apart int) string {
	var b strings.Builder
	line := func(kind string, at int, id string, data any) {
		text, _ := json.Marshal(map[string]any{"event_type": kind, "timestamp_ns": at, "sample_uuid": id, "data": data})
		fmt.Fprintf(&b, "%s\n", text)
	}
	line("session.start_performance_tracking", 0, "", nil)
	for i := range requests {
		id, at := fmt.Sprint(i), 1+i*apart
		line("sample.issued", at, id, nil)
		line("sample.recv_first", at+200_000_000, id, nil)
		line("sample.complete", at+200_000_000+50*20_000_000, id, []any{"text", []string{"a", strings.Repeat("b", 50)}})
	}
	line("session.stop_performance_tracking", 1<<60, "", nil)
	return b.String()
}

func TestSteady(t *testing.T) {
	s := clitest.New(t)
	tokenizer, events := s.File("tokenizer.json", wordTokenizer), s.File("events.jsonl", steadyLog())
	s.Want(0, s.Run("submission", "steady", events, "--samples", "5", "--tokenizer", tokenizer, "--users", "16"),
		"status: windowable", "verdict: STEADY STATE", "super_pass_start: 1", "super_pass_end: 7", "n_samples: 35",
		"tpot_p50: Plateau")
	s.Want(0, s.Run("submission", "steady", events, "--samples", "5", "--tokenizer", tokenizer, "--users", "64"),
		"status: insufficient_duration")
	s.Want(0, s.Run("submission", "steady", events, "--samples", "20", "--tokenizer", tokenizer, "--min-seconds", "9"),
		"status: insufficient_passes", "verdict: not found", "no plateau")
	s.Want(0, s.Run("submission", "steady", events, "--samples", "5", "--tokenizer", tokenizer, "--users", "16", "--json"),
		`"per_user": 50`)
	s.Want(2, s.Run("submission", "steady", events, "--tokenizer", tokenizer, "--users", "16"), "want --samples")
	meta := filepath.Join(filepath.Dir(events), "run_meta.json")
	if err := os.WriteFile(meta, []byte(`{"dataset_size": 5}`), 0o666); err != nil {
		t.Fatal(err)
	}
	s.Want(0, s.Run("submission", "steady", events, "--tokenizer", tokenizer, "--users", "16"), "super_pass_size: 5")
	for want, args := range map[string][]string{
		"want --tokenizer": {events, "--users", "16"},
		"want --users":     {events, "--tokenizer", tokenizer},
		"above 0":          {events, "--tokenizer", tokenizer, "--users", "-1"},
		"no such file": {filepath.Join(t.TempDir(), "x"), "--samples", "5", "--tokenizer", tokenizer, "--users",
			"1"},
		"performance was never": {tokenizer, "--samples", "5", "--tokenizer", tokenizer, "--users", "1"},
		"is a directory":        {t.TempDir(), "--samples", "5", "--tokenizer", tokenizer, "--users", "1"},
		"--tokenizer":           {events, "--samples", "5", "--tokenizer", events, "--users", "1"},
	} {
		s.Want(2, s.Run(append([]string{"submission", "steady"}, args...)...), want)
	}
}

// TestSteadyOfOwnRecords: our own records have the window that the client's events of the same run have.
func TestSteadyOfOwnRecords(t *testing.T) {
	s := clitest.New(t)
	var all []metrics.Request
	for i := range 40 {
		r := metrics.Request{Index: i, Row: i % 5, Sent: 1 + int64(i)*20_000_000_000, Status: metrics.OK,
			Usage: metrics.NoUsage(), Retokenized: metrics.Unknown, AskedIn: metrics.Unknown, AskedOut: metrics.Unknown}
		for k := range int64(51) {
			r.End = r.Sent + 200_000_000 + k*20_000_000
			r.Events.Add(metrics.StreamEvent{At: r.End, Kind: metrics.Content, Text: true, IDs: 1})
		}
		all = append(all, r)
	}
	var lines bytes.Buffer
	if err := requests.Write(&lines, all, metrics.FigureRules{}); err != nil {
		t.Fatal(err)
	}
	file := s.File("requests.jsonl", lines.String())
	s.Want(0, s.Run("submission", "steady", file, "--samples", "5", "--users", "16"), "status: windowable",
		"verdict: STEADY STATE", "super_pass_start: 1", "super_pass_end: 7", "n_samples: 35", "duration_s: 680.0\n")
	s.Want(0, s.Run("submission", "steady", file, "--samples", "5", "--users", "16", "--json"), `"per_user": 50`)
	s.Want(2, s.Run("submission", "steady", s.File("requests.jsonl", "{}"), "--samples", "5", "--users", "16"), "line 1")
	s.Want(2, s.Run("submission", "steady", s.File("requests.jsonl", ""), "--samples", "5", "--users", "16"),
		"it has no request that counts")
}
