package serving

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
)

// inferenceServer is one of examples/servers.
type inferenceServer struct {
	name, script, requirements string
	python                     string // the variable of make test-extra OF=servers that names its interpreter
	imports                    string
	streams                    []string // values of option stream that it accepts
	endpoints                  int
}

func inferenceServers() []inferenceServer {
	return []inferenceServer{
		{"MLServer", "serve_mlserver.py", "requirements-mlserver.txt", "MLSERVER_PYTHON",
			"mlserver, onnxruntime", []string{"off"}, 1},
		{"Triton", "serve_triton.py", "requirements-triton.txt", "TRITON_PYTHON",
			"pytriton, onnxruntime", []string{"on", "off"}, 1},
		{"Ray", "serve_ray.py", "requirements-ray.txt", "RAY_PYTHON",
			"ray.serve, grpc_tools, onnxruntime", []string{"off"}, 2},
	}
}

// TestServers benchmarks the embedded model at real servers: each answers as the plugin's own backend does.
func TestServers(t *testing.T) {
	if !slices.ContainsFunc(inferenceServers(), func(s inferenceServer) bool {
		return os.Getenv("PLUMBLINE_"+s.python) != ""
	}) {
		t.Skip("no interpreter is named: make test-extra OF=servers runs this")
	}
	dir := t.TempDir()
	harness.Run(t, "run", "resnet50", "--mode", "accuracy", "--scenario", "Offline", "--out", dir, "--force").WantCode(t,
		0)
	want := results.LoggedEntries(t, filepath.Join(dir, "resnet50", "Offline", "accuracy", "mlperf_log_accuracy.json"))
	for _, s := range inferenceServers() {
		t.Run(s.name, func(t *testing.T) {
			url := s.start(t)
			if n := strings.Count(url, ",") + 1; n != s.endpoints {
				t.Errorf("endpoints %s, want %d", url, s.endpoints)
			}
			for _, stream := range s.streams {
				t.Run("stream="+stream, func(t *testing.T) { benchmarkAt(t, url, stream, want) })
			}
		})
	}
}

// benchmarkAt runs Offline, Server and accuracy. It does not judge the server's speed, and so not Server's limit
// either.
func benchmarkAt(t *testing.T, url, stream string, want map[int]results.Entry) {
	out := t.TempDir()
	r := harness.Run(t, "run", "resnet50", "--scenario", "Offline,Server", "--set", "Server.target_qps=100", "--backend",
		"kserve", "--backend-opt", "url="+url,
		"--backend-opt", "model=resnet50", "--backend-opt", "stream="+stream, "--out", out, "--force", "--quiet")
	if r.Code != 0 && r.Code != 3 { // 3: INVALID
		t.Fatalf("exit code %d:\n%s", r.Code, r.Both())
	}
	t.Log("\n" + r.Stdout)
	for _, line := range []string{`Offline +performance +VALID`, `Server +performance +(IN)?VALID`,
		`Offline +accuracy +PASS`} {
		if !regexp.MustCompile(line).MatchString(r.Stdout) {
			t.Errorf("no %q in\n%s", line, r.Both())
		}
	}
	got := results.LoggedEntries(t, filepath.Join(out, "resnet50", "Offline", "accuracy", "mlperf_log_accuracy.json"))
	if len(want) != 1000 || !maps.Equal(got, want) {
		t.Errorf("%d predictions, not all those of the plugin's own backend, of which there are %d", len(got), len(want))
	}
	for _, scenario := range []string{"Offline", "Server"} {
		wantShares(t, filepath.Join(out, "resnet50", scenario, "result.json"), url)
	}
}

// wantShares fails the test unless the result of each run states how much each of several endpoints answered.
func wantShares(t *testing.T, path, url string) {
	t.Helper()
	if !strings.Contains(url, ",") {
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, endpoint := range strings.Split(url, ",") {
		share := regexp.MustCompile(`"name": "` + regexp.QuoteMeta(endpoint) + `",\s*"batches": ([1-9]\d*)`)
		found := share.FindAllStringSubmatch(string(data), -1)
		if len(found) == 0 {
			t.Errorf("%s: nothing of the share of %s", path, endpoint)
		}
		for _, f := range found {
			t.Logf("%s: endpoint %s answered %s batches", filepath.Base(filepath.Dir(path)), endpoint, f[1])
		}
	}
}

// interpreter returns the server's interpreter with all its imports, or skips the test and says what to install.
func (s inferenceServer) interpreter(t *testing.T) string {
	t.Helper()
	python := os.Getenv("PLUMBLINE_" + s.python)
	requirements, err := os.ReadFile(filepath.Join(built.Root(), "examples", "servers", s.requirements))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(python, "-c", "import "+s.imports).CombinedOutput(); err != nil {
		t.Skipf("%s=%s lacks something: %s\nInstall %s with\n  python3 -m venv VENV && VENV/bin/pip install -r "+
			"examples/servers/%s\nand name it: make test-extra OF=servers %s=VENV/bin/python",
			s.python, python, lastLine(err.Error()+"\n"+string(out)), strings.Join(strings.Fields(string(requirements)), ", "),
			s.requirements, s.python)
	}
	return python
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// start starts the server, with temporary files in its own folder, and returns its endpoints. The end of the test asks
// it to end, and fails if a process remains.
func (s inferenceServer) start(t *testing.T) (url string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "plumb") // a short path: socket paths have at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	server := exec.Command(s.interpreter(t), filepath.Join(built.Root(), "examples", "servers", s.script),
		"--model", filepath.Join(built.Root(), "plugins", "resnet50", "model", "resnet_fp32.onnx"), "--name", "resnet50")
	server.Env, server.Dir = append(os.Environ(), "TMPDIR="+dir), dir
	server.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	log := filepath.Join(dir, "log")
	output, err := os.Create(log)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = output.Close() }()
	server.Stdout, server.Stderr = output, output
	input, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	t.Cleanup(func() {
		_ = input.Close()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the server ended with %v:\n%s", err, tail(log))
			}
		case <-time.After(harness.Patience):
			t.Errorf("the server does not end:\n%s", tail(log))
		}
		wantNoneWith(t, "TMPDIR="+dir)
		if t.Failed() {
			t.Logf("the server's log ends in\n%s", tail(log))
		}
	})
	return awaitReady(t, log, ended)
}

// awaitReady waits for the line of a server's log that names its endpoints.
func awaitReady(t *testing.T, log string, ended chan error) string {
	t.Helper()
	ready := regexp.MustCompile(`(?m)^ready (\S+)\n`)
	deadline := time.After(harness.Patience)
	for {
		data, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		if m := ready.FindSubmatch(data); m != nil {
			return string(m[1])
		}
		select {
		case err := <-ended:
			ended <- err // for the end of the test
			t.Fatalf("the server ended before it was ready: %v\n%s", err, tail(log))
		case <-deadline:
			t.Fatalf("the server is not ready:\n%s", tail(log))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func tail(log string) string {
	data, err := os.ReadFile(log)
	if err != nil {
		return err.Error()
	}
	return string(data[max(0, len(data)-4000):])
}

// wantNoneWith fails the test if a process with a variable in its environment still exists after a generous wait. It
// kills the remaining ones.
func wantNoneWith(t *testing.T, variable string) {
	t.Helper()
	deadline := time.Now().Add(harness.Patience)
	for left := processesWith(variable); len(left) > 0; left = processesWith(variable) {
		if time.Now().After(deadline) {
			for _, pid := range left {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
			t.Errorf("processes left behind: %v", left)
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// processesWith lists the running processes with a variable in their environment.
func processesWith(variable string) (pids []int) {
	paths, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil || !slices.Contains(strings.Split(string(data), "\x00"), variable) {
			continue
		}
		var pid int
		if _, err := fmt.Sscanf(path, "/proc/%d/", &pid); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
