package e2e

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// labelled is the part of result.json that says what division a run is of.
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

// oipMock and openaiMock build servers without a model, once.
var (
	oipMock    = sync.OnceValues(func() (string, error) { return buildMock("backends/kserve/cmd/oip-mock") })
	openaiMock = sync.OnceValues(func() (string, error) { return buildMock("backends/openai/cmd/openai-mock") })
)

func buildMock(pkg string) (string, error) {
	path := filepath.Join(built.dir, filepath.Base(pkg))
	return path, goTool(built.root, nil, "build", "-o", path, "./"+pkg)
}

// startMock starts a server, after the command prefix where there is one, and returns the address that it prints.
func startMock(t *testing.T, build func() (string, error), prefix []string, args ...string) string {
	t.Helper()
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	line := append(append(slices.Clone(prefix), binary), args...)
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%v printed no address: %v", line, err)
	}
	return strings.TrimSpace(address)
}

// classifier are the options of a server that has resnet50's tensors.
func classifier(name, listen string) []string {
	return []string{"-listen", listen, "-name", name, "-model", "resnet50", "-in", "input_tensor:0=FP32[-1,3,224,224]",
		"-out", "ArgMax:0=INT64[-1]"}
}

// networkRun are the options of a short run of resnet50 at servers.
func networkRun(urls string, more ...string) []string {
	return append([]string{
		"run", "resnet50", "--division", "network", "--backend", "kserve", "--backend-opt", "url=" + urls,
		"--backend-opt", "model=resnet50",
		"--mode", "performance", "--set", "performance_sample_count_override=8", "--set", "min_duration=0", "--set",
		"min_query_count=32", "--force", "--quiet",
	}, more...)
}

func TestNetworkDivisionOnOneMachine(t *testing.T) {
	a := startMock(t, oipMock, nil, classifier("node-a", "127.0.0.1:0")...)
	b := startMock(t, oipMock, nil, classifier("node-b", "127.0.0.1:0")...)
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
			r := harness(t, networkRun(a+","+b, append(c.args, "--out", out)...)...)
			var doc labelled
			readJSON(t, filepath.Join(out, "result.json"), &doc)
			if len(doc.Runs) != 1 || doc.Runs[0].Network == nil {
				t.Fatalf("result.json: %+v; it printed:\n%s", doc, r.both())
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
			if !strings.Contains(r.stdout, "open division: "+here[0]) ||
				!strings.Contains(r.stdout, "node-a ("+a+"), round trip") {
				t.Errorf("it printed:\n%s", r.stdout)
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
	a := startMock(t, oipMock, nil, classifier("triton", "127.0.0.1:0")...)
	b := startMock(t, oipMock, nil, classifier("triton", "127.0.0.1:0")...)
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
			r := harness(t, c.args...).wantCode(t, c.code)
			for _, part := range c.want {
				if !strings.Contains(r.stderr, part) {
					t.Errorf("standard error %q, want it to hold %q", r.stderr, part)
				}
			}
		})
	}
}

func TestNetworkDivisionWithAServerOfTokens(t *testing.T) {
	url := startMock(t, openaiMock, nil, "-listen", "127.0.0.1:0", "-model", "m", "-alias", "node-a",
		"-vocabulary", "1000")
	for name, c := range map[string]struct{ args, reasons []string }{
		"token ids": {nil, []string{"is this machine"}},
		"text":      {[]string{"--param", "tokenizer=server"}, []string{"is this machine", "prompts are sent as text"}},
		"text back": {[]string{"--backend-opt", "count=usage"}, []string{"is this machine", "answers that come as text"}},
	} {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			r := harness(t, append([]string{
				"run", "llm", "--division", "network", "--backend", "openai", "--backend-opt", "url=" + url, "--backend-opt",
				"model=m", "--param", "eos=1400",
				"--scenario", "Offline", "--mode", "performance", "--set", "min_query_count=16", "--out", out, "--quiet",
			}, c.args...)...)
			var doc labelled
			readJSON(t, filepath.Join(out, "result.json"), &doc)
			if r.code != 0 || len(doc.Runs) != 1 {
				t.Fatalf("exit code %d; it printed:\n%s", r.code, r.both())
			}
			wantReasons(t, doc.Runs[0].Reasons, c.reasons)
			if want := "Network SUT Plumbline llama3.1-8b (openai): node-a"; doc.Runs[0].Workload.SUT != want {
				t.Errorf("SUT name %q, want %q", doc.Runs[0].Workload.SUT, want)
			}
		})
	}
}

// namespaces makes the client's network and one for each node, joined by links of their own, and returns the command
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
	a := startMock(t, oipMock, servers[0], classifier("node-a", "10.77.0.2:8001")...)
	b := startMock(t, oipMock, servers[1], classifier("node-b", "10.77.1.2:8001")...)
	run := func(out string, more ...string) labelled {
		args := append(append(slices.Clone(client[1:]), harnessBinary()),
			networkRun(a+","+b, append(more, "--out", out)...)...)
		r := finish(t, command(t, client[0], args...))
		var doc labelled
		readJSON(t, filepath.Join(out, "result.json"), &doc)
		if r.code != 0 {
			t.Fatalf("exit code %d; it printed:\n%s", r.code, r.both())
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
	// The same, with the class looked for at the client.
	doc = run(t.TempDir(), "--scenario", "Offline")
	wantReasons(t, doc.Runs[0].Reasons, []string{"1 is subtracted"})
}
