package serving

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// labelled is the part of result.json about a run's division.
type labelled struct {
	Runs []struct {
		Scenario, Mode, Verdict string
		Division                string
		Reasons                 []string `json:"division_reasons"`
		Workload                *struct {
			SUT string `json:"sut_name"`
		}
		Network *struct {
			Nodes []struct {
				Address, Name, Peer string
				P50                 int64   `json:"round_trip_p50_ns"`
				P99                 int64   `json:"round_trip_p99_ns"`
				Bandwidth           float64 `json:"bytes_per_second"`
			}
			Work []string `json:"client_work"`
		}
	}
}

// networkRun returns the options of a short run of resnet50 at servers.
func networkRun(urls string, more ...string) []string {
	return append([]string{
		"run", "resnet50", "--division", "network", "--backend", "kserve", "--backend-opt", "url=" + urls,
		"--backend-opt", "model=resnet50",
		"--mode", "performance", "--set", "performance_sample_count_override=8", "--set", "min_duration=0", "--set",
		"min_query_count=32", "--force", "--quiet",
	}, more...)
}

func TestNetworkDivisionOnOneMachine(t *testing.T) {
	a := harness.StartMock(t, harness.MockOIP, nil, harness.MockClassifier("node-a", "127.0.0.1:0")...)
	b := harness.StartMock(t, harness.MockOIP, nil, harness.MockClassifier("node-b", "127.0.0.1:0")...)
	here := []string{"node " + a + " is this machine", "node " + b + " is this machine"}
	for name, c := range map[string]struct {
		args, reasons []string
	}{
		"no work at the client": {[]string{"--scenario", "Offline", "--param", "offset=0"}, nil},
		"an offset": {[]string{"--scenario", "Offline", "--set", "Offline.target_qps=100"},
			[]string{"1 is subtracted from each class"}},
		"batches of queries": {[]string{"--scenario", "Server", "--param", "offset=0", "--batch", "8", "--backend-opt",
			"batch=8", "--set", "target_qps=200", "--set", "target_latency=5000"},
			[]string{"batches of up to 8 samples are formed of several queries"}},
	} {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			r := harness.Run(t, networkRun(a+","+b, append(c.args, "--out", out)...)...)
			var doc labelled
			testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
			if len(doc.Runs) != 1 || doc.Runs[0].Network == nil {
				t.Fatalf("result.json: %+v; it printed:\n%s", doc, r.Both())
			}
			run := doc.Runs[0]
			wantReasons(t, run.Reasons, append(slices.Clone(here), c.reasons...))
			if run.Division != "open" || len(run.Network.Work) != len(c.reasons) {
				t.Errorf("%s division, work %q", run.Division, run.Network.Work)
			}
			if want := "Network SUT Plumbline resnet50 (kserve): node-a, node-b"; run.Workload.SUT != want {
				t.Errorf("SUT name %q, want %q", run.Workload.SUT, want)
			}
			for i, n := range run.Network.Nodes {
				if n.Name != []string{"node-a", "node-b"}[i] || n.Peer != n.Address || n.P50 <= 0 ||
					n.P99 < n.P50 || n.Bandwidth <= 0 {
					t.Errorf("node %d: %+v", i, n)
				}
			}
			if !strings.Contains(r.Stdout, "open division: "+here[0]) ||
				!strings.Contains(r.Stdout, "node-a ("+a+"), round trip") {
				t.Errorf("it printed:\n%s", r.Stdout)
			}
		})
	}
}

func wantReasons(t *testing.T, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("reasons %q, want them to be about %q", got, want)
	}
	for i := range got {
		if !strings.Contains(got[i], want[i]) {
			t.Errorf("reason %q, want it to be about %q", got[i], want[i])
		}
	}
}

func TestNetworkDivisionRefuses(t *testing.T) {
	a := harness.StartMock(t, harness.MockOIP, nil, harness.MockClassifier("triton", "127.0.0.1:0")...)
	b := harness.StartMock(t, harness.MockOIP, nil, harness.MockClassifier("triton", "127.0.0.1:0")...)
	for name, c := range map[string]struct {
		args []string
		code int
		want []string
	}{
		"two nodes of one name": {networkRun(a + "," + b), 2, []string{a, b, `both call themselves "triton"`}},
		"a node that is away": {networkRun(a+",127.0.0.1:1", "--backend-opt", "connect_timeout=3s"), 5,
			[]string{"127.0.0.1:1", "cannot be reached"}},
		"another scenario": {networkRun(a, "--scenario", "MultiStream"), 2,
			[]string{"--scenario MultiStream", "Server and Offline alone"}},
		"a backend of this host": {[]string{"run", "resnet50", "--division", "network", "--scenario", "Offline"}, 2,
			[]string{"backend ort runs the model on this machine"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := harness.Run(t, c.args...).WantCode(t, c.code)
			for _, part := range c.want {
				if !strings.Contains(r.Stderr, part) {
					t.Errorf("standard error %q, want it to hold %q", r.Stderr, part)
				}
			}
		})
	}
}

func TestNetworkDivisionWithAServerOfTokens(t *testing.T) {
	url := harness.StartMock(t, harness.MockOpenAI, nil, "-listen", "127.0.0.1:0", "-model", "m", "-alias", "node-a",
		"-vocabulary", "1000")
	for name, c := range map[string]struct{ args, reasons []string }{
		"token ids": {nil, []string{"is this machine"}},
		"text":      {[]string{"--param", "tokenizer=server"}, []string{"is this machine", "prompts are sent as text"}},
		"text back": {[]string{"--backend-opt", "count=usage"}, []string{"is this machine", "answers that come as text"}},
	} {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			r := harness.Run(t, append([]string{
				"run", "llm", "--division", "network", "--backend", "openai", "--backend-opt", "url=" + url, "--backend-opt",
				"model=m", "--param", "eos=1400",
				"--scenario", "Offline", "--mode", "performance", "--set", "min_query_count=16", "--out", out, "--quiet",
			}, c.args...)...)
			var doc labelled
			testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
			if r.Code != 0 || len(doc.Runs) != 1 {
				t.Fatalf("exit code %d; it printed:\n%s", r.Code, r.Both())
			}
			wantReasons(t, doc.Runs[0].Reasons, c.reasons)
			if want := "Network SUT Plumbline llama3.1-8b (openai): node-a"; doc.Runs[0].Workload.SUT != want {
				t.Errorf("SUT name %q, want %q", doc.Runs[0].Workload.SUT, want)
			}
		})
	}
}

// namespaces makes the client's network and one for each node, joined by separate links, and returns the command
// prefixes that run in them. It needs root and ip (iproute2).
func namespaces(t *testing.T, nodes int) (client []string, servers [][]string) {
	t.Helper()
	if os.Getenv("PLUMBLINE_TEST_NETNS") == "" {
		t.Skip("network namespaces: set PLUMBLINE_TEST_NETNS=1, as root, with ip (iproute2)")
	}
	ip := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
			t.Fatalf("ip %v: %v\n%s", args, err, out)
		}
	}
	add := func(name string) []string {
		name = fmt.Sprintf("plumbline%d%s", os.Getpid(), name)
		ip("netns", "add", name)
		t.Cleanup(func() { _ = exec.Command("ip", "netns", "delete", name).Run() })
		ip("-n", name, "link", "set", "lo", "up")
		return []string{"ip", "netns", "exec", name}
	}
	client = add("c")
	for i := range nodes {
		server := add(fmt.Sprint("n", i))
		here, there := client[3], server[3]
		link := fmt.Sprint("v", i)
		ip("link", "add", link, "netns", here, "type", "veth", "peer", "name", "e0", "netns", there)
		ip("-n", here, "addr", "add", fmt.Sprintf("10.77.%d.1/24", i), "dev", link)
		ip("-n", there, "addr", "add", fmt.Sprintf("10.77.%d.2/24", i), "dev", "e0")
		ip("-n", here, "link", "set", link, "up")
		ip("-n", there, "link", "set", "e0", "up")
		servers = append(servers, server)
	}
	return client, servers
}

func TestNetworkDivisionOverLinks(t *testing.T) {
	client, servers := namespaces(t, 2)
	a := harness.StartMock(t, harness.MockOIP, servers[0], harness.MockClassifier("node-a", "10.77.0.2:8001")...)
	b := harness.StartMock(t, harness.MockOIP, servers[1], harness.MockClassifier("node-b", "10.77.1.2:8001")...)
	run := func(out string, more ...string) labelled {
		args := append(append(slices.Clone(client[1:]), built.Harness()),
			networkRun(a+","+b, append(more, "--out", out)...)...)
		r := harness.Finish(t, harness.Command(t, client[0], args...))
		var doc labelled
		testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
		if r.Code != 0 {
			t.Fatalf("exit code %d; it printed:\n%s", r.Code, r.Both())
		}
		return doc
	}
	doc := run(t.TempDir(), "--param", "offset=0", "--set", "Server.target_qps=50", "--set", "Server.target_latency=5000",
		"--set", "Server.min_query_count=700")
	if len(doc.Runs) != 2 {
		t.Fatalf("%d runs, want Server and Offline", len(doc.Runs))
	}
	for _, r := range doc.Runs {
		if r.Division != "network" || len(r.Reasons) != 0 || !strings.HasPrefix(r.Verdict, "VALID") {
			t.Errorf("%s: %s division for %q, %s", r.Scenario, r.Division, r.Reasons, r.Verdict)
		}
	}
	// The same, with the class found at the client.
	doc = run(t.TempDir(), "--scenario", "Offline")
	wantReasons(t, doc.Runs[0].Reasons, []string{"1 is subtracted"})
}
