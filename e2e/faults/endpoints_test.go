package faults

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
)

// TestAnEndpointLostInMidRun kills one of two servers while they work: the run ends and names it, or continues with the
// other and counts each sample once.
func TestAnEndpointLostInMidRun(t *testing.T) {
	for _, c := range []struct {
		lost string
		code int
		want string // expected output, with the lost endpoint for ENDPOINT
	}{
		{"end", 5, "endpoint ENDPOINT is lost"},
		{"go-on", 0, "VALID"},
	} {
		t.Run("lost="+c.lost, func(t *testing.T) {
			t.Parallel()
			dir, out := built.Install(t, "plugins"), t.TempDir()
			kill, first := startMortal(t)
			_, second := startMortal(t)
			// Four sessions get 128 batches of 250 ms: eight seconds on any machine.
			cmd := harness.Command(t, filepath.Join(dir, "harness"), "run", "resnet50", "--mode", "performance", "--scenario",
				"Offline",
				"--set", "performance_sample_count_override=8",
				"--batch", "8", "--sessions", "4", "--set", "min_query_count=1024", "--set", "accuracy_log_sampling_target=1024",
				"--backend", "kserve", "--backend-opt", "url="+first+","+second, "--backend-opt", "model=resnet50",
				"--backend-opt", "lost="+c.lost, "--out", out)
			answers := filepath.Join(out, "resnet50", "Offline", "performance", "run_1", "mlperf_log_accuracy.json")
			r := finishAfter(t, cmd, answers, "qsl_idx", kill).WantCode(t, c.code)
			if want := strings.ReplaceAll(c.want, "ENDPOINT", first); !strings.Contains(r.Both(), want) {
				t.Errorf("no %q in\n%s", want, r.Both())
			}
			if c.code == 0 {
				wantAnswered(t, r.Stdout, filepath.Join(out, "resnet50", "Offline", "result.json"), first, second)
			}
			harness.WantNoProcess(t, dir)
		})
	}
}

// startMortal starts a server for resnet50 without a model, and returns its address and a function that kills it.
func startMortal(t *testing.T) (kill func(), address string) {
	t.Helper()
	binary := filepath.Join(built.Dir(), harness.MockOIP)
	cmd := exec.Command(binary, append(harness.MockClassifier("mortal", "127.0.0.1:0"), "-delay", "250ms")...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() { _ = cmd.Process.Kill() }
	t.Cleanup(func() {
		kill()
		_ = cmd.Wait()
	})
	if address, err = bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return kill, strings.TrimSpace(address)
}

// finishAfter runs a process to its end, and calls a function when a file contains a text. It returns all output in
// stdout.
func finishAfter(t *testing.T, cmd *exec.Cmd, path, text string, do func()) harness.Result {
	t.Helper()
	said := harness.Printed(filepath.Join(t.TempDir(), "output.txt"))
	file, err := os.Create(string(said))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cmd.Stdout, cmd.Stderr = file, file
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	harness.WaitForText(t, cmd, said, path, text)
	do()
	_ = cmd.Wait()
	return harness.Result{Stdout: said.String(), Code: cmd.ProcessState.ExitCode()}
}

// wantAnswered fails the test unless the endpoints' shares sum to the run's samples.
func wantAnswered(t *testing.T, stdout, path string, endpoints ...string) {
	t.Helper()
	m := regexp.MustCompile(`([\d,]+) samples in`).FindStringSubmatch(stdout)
	if m == nil {
		t.Fatalf("no number of samples in\n%s", stdout)
	}
	samples, err := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
	if err != nil {
		t.Fatal(err)
	}
	answered := 0
	for _, e := range endpoints {
		answered += answeredBy(t, path, e)
	}
	if answered != samples {
		t.Errorf("%d samples answered, want %d", answered, samples)
	}
}

// answeredBy returns an endpoint's share, in samples, of the only run of a result.
func answeredBy(t *testing.T, path, endpoint string) int {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	share := regexp.MustCompile(`"name": "` + regexp.QuoteMeta(endpoint) +
		`",\s*"batches": \d+,\s*"samples": (\d+)`).FindSubmatch(data)
	if share == nil {
		t.Fatalf("%s says nothing of %s", path, endpoint)
	}
	n, err := strconv.Atoi(string(share[1]))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
