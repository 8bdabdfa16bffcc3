package serving_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
)

// peersPython names an interpreter with aiperf and guidellm.
const peersPython = "PLUMBLINE_PEERS_PYTHON"

// What each tool asks of the same server: so many requests by so many users, of so many tokens.
const (
	peersRequests, peersUsers   = 60, 4
	peersPrompts, peersAnswered = 64, 16
)

// tokenizer writes a tokenizer of one token for each word, which the tools want and the server does not.
const tokenizer = `
import json, sys
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast
words = ["<unk>"] + [f"w{i}" for i in range(4000)]
t = Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="<unk>"))
t.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
fast = PreTrainedTokenizerFast(tokenizer_object=t, unk_token="<unk>", eos_token="<unk>", pad_token="<unk>")
fast.save_pretrained(sys.argv[1])
json.dump({"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"]}, open(sys.argv[1] + "/config.json", "w"))
from importlib.metadata import version
print("aiperf", version("aiperf") + ", guidellm", version("guidellm"))
`

// reported is what a tool says of a run, or what the server's log says of it. Times are means, in milliseconds.
type reported struct {
	Requests, Tokens, TTFT, TPOT float64
}

// TestServingPeers: AIPerf and GuideLLM ask the same server as harness bench, and each says what the server's own log
// says: as many requests and tokens, and no token before it was sent.
func TestServingPeers(t *testing.T) {
	python := os.Getenv(peersPython)
	if python == "" {
		t.Skip(peersPython + " names no interpreter with aiperf and guidellm")
	}
	dir := t.TempDir()
	versions, err := exec.Command(python, "-c", tokenizer, filepath.Join(dir, "tok")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, versions)
	}
	lines := strings.Split(strings.TrimSpace(string(versions)), "\n")
	t.Log(lines[len(lines)-1])
	var aiperf, guidellm strings.Builder
	for i := range peersRequests {
		words := make([]string, peersPrompts)
		for k := range words {
			words[k] = fmt.Sprintf("w%d", (i*67+k*13)%4000)
		}
		fmt.Fprintf(&aiperf, "{\"text\": %q, \"output_length\": %d}\n", strings.Join(words, " "), peersAnswered)
		fmt.Fprintf(&guidellm, "{\"prompt\": %q, \"output_tokens_count\": %d}\n", strings.Join(words, " "), peersAnswered)
	}
	write(t, filepath.Join(dir, "aiperf.jsonl"), aiperf.String())
	write(t, filepath.Join(dir, "guidellm.jsonl"), guidellm.String())
	for _, p := range []struct {
		name string
		run  func(t *testing.T, dir, url string) reported
	}{{"harness bench", byHarness}, {"AIPerf", byAIPerf}, {"GuideLLM", byGuideLLM}} {
		log := &strings.Builder{} // the server writes one line at a time
		url := serve(t, openaitest.Options{
			Owner: "vllm", IDs: true, First: 100 * time.Millisecond, Step: 20 * time.Millisecond, Log: log,
		})
		said, logged := p.run(t, dir, url), byLog(t, log.String())
		t.Logf("%-13s  TTFT %.2f ms, %.2f by the server's log; TPOT %.3f ms, %.3f by the log; %g requests, %g tokens", p.name,
			said.TTFT, logged.TTFT, said.TPOT, logged.TPOT, said.Requests, said.Tokens)
		if said.Requests != peersRequests || said.Tokens != peersRequests*peersAnswered {
			t.Errorf("%s: %g requests and %g tokens, want %d and %d", p.name, said.Requests, said.Tokens, peersRequests,
				peersRequests*peersAnswered)
		}
		if said.TTFT < logged.TTFT || math.IsNaN(said.TPOT) || said.TPOT <= 0 {
			t.Errorf("%s: %+v, and the server's log has %+v", p.name, said, logged)
		}
	}
}

// byLog is what the server's log says: of a first request that was tried, and of those that warmed up, too.
func byLog(t *testing.T, log string) (r reported) {
	t.Helper()
	for line := range strings.Lines(log) {
		var e struct {
			Received, First, Last int64
			Tokens                float64
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Tokens < 2 {
			continue
		}
		r.Requests++
		r.Tokens += e.Tokens
		r.TTFT += float64(e.First-e.Received) / 1e6
		r.TPOT += float64(e.Last-e.First) / 1e6 / (e.Tokens - 1)
	}
	r.TTFT, r.TPOT = r.TTFT/r.Requests, r.TPOT/r.Requests
	return r
}

// byHarness measures by harness bench, without warm-up. TTFT is that from sending, which is the others' TTFT.
func byHarness(t *testing.T, dir, url string) reported {
	t.Helper()
	out := filepath.Join(dir, "bench")
	s := clitest.New(t)
	s.Want(0, s.Run("bench", url, "--api", "completions", "--data", filepath.Join(dir, "guidellm.jsonl"), "--column",
		"output=output_tokens_count", "--concurrency", fmt.Sprint(peersUsers), "--requests", fmt.Sprint(peersRequests),
		"--warmup", "0", "--window", "all", "--out", out, "--quiet"))
	f := readSweep(t, out).Points[0].Serving.Figures
	return reported{float64(f.OK), float64(f.Out.N) * f.Out.Mean, f.TTFTSent.Mean / 1e6, f.TPOT.Mean / 1e6}
}

// tool runs a tool of the interpreter's folder in a folder.
func tool(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(filepath.Dir(os.Getenv(peersPython)), name), args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// byAIPerf measures by AIPerf, whose inter-token latency is TPOT.
func byAIPerf(t *testing.T, dir, url string) reported {
	t.Helper()
	tool(t, dir, "aiperf", "profile", "-m", "mock", "--url", url, "--endpoint-type", "completions", "--streaming",
		"--concurrency", fmt.Sprint(peersUsers), "--request-count", fmt.Sprint(peersRequests), "--tokenizer", "./tok",
		"--use-server-token-count", "--input-file", filepath.Join(dir, "aiperf.jsonl"), "--custom-dataset-type",
		"single_turn", "--extra-inputs", fmt.Sprintf("max_tokens:%d", peersAnswered), "--extra-inputs", "ignore_eos:true",
		"--extra-inputs", fmt.Sprintf("min_tokens:%d", peersAnswered), "--output-artifact-dir", "aiperf", "--ui", "none",
		"--no-gpu-telemetry", "--no-server-metrics")
	type figure struct{ Avg float64 }
	var f struct {
		Count  figure `json:"request_count"`
		Tokens figure `json:"total_output_tokens"`
		TTFT   figure `json:"time_to_first_token"`
		ITL    figure `json:"inter_token_latency"`
	}
	readJSON(t, filepath.Join(dir, "aiperf", "profile_export_aiperf.json"), &f)
	return reported{f.Count.Avg, f.Tokens.Avg, f.TTFT.Avg, f.ITL.Avg}
}

// byGuideLLM measures by GuideLLM, whose inter-token latency is TPOT.
func byGuideLLM(t *testing.T, dir, url string) reported {
	t.Helper()
	tool(t, dir, "guidellm", "run", "--backend", "kind=openai_http,target="+url+
		",model=mock,validate_backend=false,request_format=/v1/completions", "--profile", fmt.Sprintf(
		"kind=concurrent,streams=%d", peersUsers), "--constraint", fmt.Sprintf("kind=max_requests,count=%d", peersRequests),
		"--tokenizer", "kind=hf_auto,model="+filepath.Join(dir, "tok"), "--data", "kind=json_file,path="+
			filepath.Join(dir, "guidellm.jsonl"), "--output", "kind=json,path="+filepath.Join(dir, "guidellm.json"),
		"--disable-console")
	type figure struct{ Successful struct{ Mean float64 } }
	var f struct {
		Benchmarks []struct {
			Metrics struct {
				Totals struct{ Successful float64 } `json:"request_totals"`
				Tokens figure                       `json:"output_token_count"`
				TTFT   figure                       `json:"time_to_first_token_ms"`
				ITL    figure                       `json:"inter_token_latency_ms"`
			}
		}
	}
	readJSON(t, filepath.Join(dir, "guidellm.json"), &f)
	m := f.Benchmarks[0].Metrics
	return reported{m.Totals.Successful, m.Totals.Successful * m.Tokens.Successful.Mean, m.TTFT.Successful.Mean,
		m.ITL.Successful.Mean}
}

func readJSON(t *testing.T, path string, to any) {
	t.Helper()
	if err := json.Unmarshal([]byte(file(t, path)), to); err != nil {
		t.Fatal(err)
	}
}
