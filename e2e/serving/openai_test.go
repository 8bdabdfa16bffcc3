package serving

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestServerWithoutMinimum: llama.cpp has no field for the minimal number of tokens of an answer. It is asked with the
// same flags, and its answers are judged.
func TestServerWithoutMinimum(t *testing.T) {
	run := func(url string, more ...string) harness.Result {
		return harness.Run(t, append([]string{
			"run", "llama3.1-8b", "--backend", "openai", "--backend-opt", "url=" + url, "--scenario", "Offline",
			"--mode", "performance", "--set", "min_query_count=16", "--out", t.TempDir(), "--quiet",
		}, more...)...)
	}
	run(harness.StartMock(t, harness.MockOpenAI, nil, "-listen", "127.0.0.1:0", "-owner", "llamacpp", "-vocabulary",
		"1400")).WantCode(t, 0)
	short := harness.StartMock(t, harness.MockOpenAI, nil, "-listen", "127.0.0.1:0", "-owner", "llamacpp",
		"-vocabulary", "1400", "-tokens", "2")
	r := run(short, "--param", "min_new_tokens=3").WantCode(t, 2)
	if want := "--param min_new_tokens=2 takes such answers"; !strings.Contains(r.Stderr, want) {
		t.Errorf("it printed %q, want it to hold %q", r.Stderr, want)
	}
	run(short, "--param", "min_new_tokens=2").WantCode(t, 0)
}

// TestTokensThatNoServerCounts: a tokenizer counts them, and the run says that it is an estimate. If the server's
// counts differ from the tokenizer's, the run says so too.
func TestTokensThatNoServerCounts(t *testing.T) {
	type record struct {
		Runs []struct {
			Estimates []string
			Notes     []struct{ About, Text string }
		}
	}
	run := func(more []string, server ...string) (harness.Result, record) {
		out := t.TempDir()
		url := harness.StartMock(t, harness.MockOpenAI, nil, append(server, "-listen", "127.0.0.1:0",
			"-owner", "other", "-vocabulary", "1400", "-ids=false")...)
		r := harness.Run(t, append([]string{
			"run", "llama3.1-8b", "--backend", "openai", "--backend-opt", "url=" + url, "--scenario", "Offline",
			"--mode", "performance", "--set", "min_query_count=16", "--out", out,
		}, more...)...)
		var doc record
		if r.Code == 0 {
			testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
		}
		for i := range doc.Runs { // a busy machine adds its own note
			doc.Runs[i].Notes = slices.DeleteFunc(doc.Runs[i].Notes, func(n struct{ About, Text string }) bool {
				return n.About == "other programs"
			})
		}
		return r, doc
	}

	const estimate = "tokenizer embedded counted them in the text of"
	r, doc := run(nil, "-no-usage")
	r.WantCode(t, 0).WantOutput(t, estimate)
	if e := doc.Runs[0].Estimates; len(e) != 1 || !strings.Contains(e[0], estimate) || len(doc.Runs[0].Notes) != 0 {
		t.Errorf("the record has %+v, want an estimate", doc.Runs[0])
	}
	r.WantOutput(t, "rehearsal")

	r, doc = run(nil) // a number is several tokens of the tokenizer, and one of the server
	r.WantCode(t, 0).WantOutput(t, "note: Tokenizer embedded counts")
	if d := doc.Runs[0]; len(d.Estimates) != 0 || len(d.Notes) != 1 || d.Notes[0].About != "answers" {
		t.Errorf("the record has %+v, want a note", d)
	}

	r, _ = run([]string{"--param", "tokenizer=server"}, "-no-usage")
	harness.WantMessage(t, r.WantCode(t, 2), "the server counts no tokens", "--param tokenizer=FILE", "count=logprobs")
}

// TestAClosedLoopAtABenchmark: users instead of LoadGen's scenarios, labelled in text, JSON and page.
func TestAClosedLoopAtABenchmark(t *testing.T) {
	out := t.TempDir()
	url := harness.StartMock(t, harness.MockOpenAI, nil, "-listen", "127.0.0.1:0", "-owner", "vllm", "-vocabulary", "1400")
	args := []string{
		"run", "llama3.1-8b", "--backend", "openai", "--backend-opt", "url=" + url, "--concurrency", "3", "--out", out,
	}
	const label = "no LoadGen scenario: closed loop"
	harness.Run(t, args...).WantCode(t, 0).WantOutput(t, label+". 3 users wait for answers")
	var doc struct {
		Runs []struct {
			Mode, Scenario string
			Started        time.Time
			Performance    any
			Serving        struct {
				Label   string
				Asked   struct{ Sent int }
				Figures struct{ OK int }
			}
		}
	}
	testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
	if len(doc.Runs) != 1 || doc.Runs[0].Serving.Label != label || doc.Runs[0].Serving.Figures.OK == 0 ||
		doc.Runs[0].Performance != nil || doc.Runs[0].Mode != "serving" {
		t.Errorf("the record has %+v", doc.Runs)
	}
	page := filepath.Join(out, "page.html")
	harness.Run(t, "report", out, "--html", page).WantCode(t, 0)
	if text := testfile.Read(t, page); !strings.Contains(text, label) {
		t.Error("the page does not say what the load was")
	}
	harness.WantMessage(t, harness.Run(t, append(args, "--backend-opt", "concurrency=8")...).WantCode(t, 2),
		"a cap on the requests")

	suite := filepath.Join(t.TempDir(), "users.yaml")
	testfile.Write(t, suite, "runs:\n- {run: llama3.1-8b, backend: openai, backend-opt: {url: '"+url+"'}, requests: 9, "+
		"matrix: {concurrency: [2, 4]}}\n")
	out = t.TempDir()
	harness.Run(t, "run", suite, "--out", out).WantCode(t, 0).WantOutput(t, "llama3.1-8b concurrency=4", label)
	testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
	if len(doc.Runs) != 2 || doc.Runs[1].Serving.Asked.Sent != 9+8 || doc.Runs[1].Mode != "serving" {
		t.Errorf("the suite has %+v", doc.Runs)
	}
	began := doc.Runs[1].Started
	harness.Run(t, "run", suite, "--out", out).WantCode(t, 0)
	testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
	if !doc.Runs[1].Started.Equal(began) {
		t.Error("a finished run was made again")
	}
}
