package runs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/faulty"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// powerResult is the part of result.json about power.
type powerResult struct {
	Runs []struct {
		Mode, Verdict string
		Reasons       []struct{ Rule, Measured string }
		Power         *struct {
			Source, Note, Fault string
			Samples             int
			Average, Efficiency struct {
				Unit  string
				Value float64
			}
			Energy *struct{ Unit string } `json:"energy_per_query"`
		}
	}
}

// TestPowerByRAPL measures with counters that the test makes, because virtual machines have none.
func TestPowerByRAPL(t *testing.T) {
	root, out := drawPower(t), t.TempDir()
	r := harness.Finish(t, leisurely(t, "10ms", "--out", out, "--power", "rapl:"+root, "--power-interval", "100ms",
		"--power-ranging")).WantCode(t, 0)
	var doc powerResult
	testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
	if len(doc.Runs) != 2 || doc.Runs[0].Mode != "ranging" || doc.Runs[1].Mode != "performance" {
		t.Fatalf("the runs are %+v", doc.Runs)
	}
	for _, run := range doc.Runs {
		p := run.Power
		if p == nil || p.Source != "rapl (package-0)" || p.Samples == 0 || p.Average.Value <= 0 || p.Average.Unit != "W" ||
			p.Efficiency.Unit != "samples/J" || p.Energy == nil || p.Energy.Unit != "mJ" {
			t.Errorf("%s: %+v", run.Mode, p)
		}
	}
	if !strings.Contains(r.Stdout, " W on average, ") || !strings.Contains(r.Stdout, "official power tools") {
		t.Errorf("it printed:\n%s", r.Stdout)
	}
	for _, dir := range []string{"run_1", "ranging"} {
		text, err := os.ReadFile(filepath.Join(out, "honest", "SingleStream", "performance", dir, "spl.txt"))
		if err != nil || !strings.HasPrefix(string(text), "Time,") || !strings.Contains(string(text), ",Watts,") {
			t.Errorf("%s: %v, %.200s", dir, err, text)
		}
	}
	if _, err := os.Stat(filepath.Join(out, "honest", "SingleStream", "performance", "power")); err == nil {
		t.Error("there is a folder of an official power meter")
	}
}

// leisurely prepares a run of SingleStream with 200 slow samples.
func leisurely(t *testing.T, takes string, args ...string) *exec.Cmd {
	t.Helper()
	dir := built.Cheater()
	cmd := harness.Command(t, built.Harness(), append([]string{"run", "honest", "--plugin-dir", dir, "--scenario",
		"SingleStream",
		"--mode", "performance", "--force"}, args...)...)
	cmd.Env = append(os.Environ(), "PLUMBLINE_CHEATER_TAKES="+takes)
	return cmd
}

// drawPower returns a folder of energy counters, which count 100 W until the test ends.
func drawPower(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	domain := filepath.Join(root, "intel-rapl:0")
	if err := os.Mkdir(domain, 0o755); err != nil {
		t.Fatal(err)
	}
	start, stop := time.Now(), make(chan struct{})
	put := func(name, text string) {
		path := filepath.Join(domain, name)
		_ = os.WriteFile(path+".new", []byte(text), 0o600)
		_ = os.Rename(path+".new", path)
	}
	count := func() { put("energy_uj", strconv.FormatInt(time.Since(start).Microseconds()*100%5_000_000, 10)) }
	put("name", "package-0")
	put("max_energy_range_uj", "5000000")
	count()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
				count()
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-done })
	return root
}

// TestPowerCommandDies: a run whose meter failed keeps its performance, and reports what is missing.
func TestPowerCommandDies(t *testing.T) {
	pid, unplug := filepath.Join(t.TempDir(), "pid"), filepath.Join(t.TempDir(), "unplug")
	h := faulty.Hold(t, "--power", fmt.Sprintf("cmd:echo 50; echo unplugged >&2; echo $$ > %s; "+
		"while [ ! -e %s ]; do sleep 0.01; done; exit 4", pid, unplug))
	meter := startedAs(t, pid)
	testfile.Write(t, unplug, "")
	until(t, "the harness knows that the command has ended", func() bool { return syscall.Kill(meter, 0) != nil })
	if code := h.LetGo(t); code != 3 {
		t.Errorf("exit code %d, want 3; it printed:\n%s", code, h.Said)
	}
	var doc powerResult
	testfile.ReadJSON(t, filepath.Join(h.Out, "result.json"), &doc)
	run := doc.Runs[0]
	if run.Power == nil || !strings.Contains(run.Power.Fault, "exit status 4; it said: unplugged") ||
		len(run.Reasons) != 1 || run.Reasons[0].Rule != "power" || !strings.HasPrefix(run.Verdict, "INVALID") {
		t.Errorf("%+v\n%s", run, h.Said)
	}
}

// TestPowerCommandEndsWithTheHarness kills the harness: its meter command ends, as its plugin does.
func TestPowerCommandEndsWithTheHarness(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells a child that its parent has died")
	}
	pid := filepath.Join(t.TempDir(), "pid")
	meter := fmt.Sprintf("cmd:echo $$ > %s; while true; do echo 5; sleep 0.1; done", pid)
	cmd := leisurely(t, "1m", "--out", t.TempDir(), "--power", meter)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	child := startedAs(t, pid)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	until(t, "the command has ended", func() bool { return syscall.Kill(child, 0) != nil })
}

// startedAs waits for a command to write its process id to a file.
func startedAs(t *testing.T, path string) (pid int) {
	t.Helper()
	until(t, "the command has started", func() bool {
		text, _ := os.ReadFile(path)
		pid, _ = strconv.Atoi(strings.TrimSpace(string(text)))
		return pid > 0
	})
	return pid
}

// until waits for a state.
func until(t *testing.T, what string, state func() bool) {
	t.Helper()
	for end := time.Now().Add(harness.Patience); !state(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("still not: " + what)
		}
	}
}

// TestPowerFaults are reported before anything runs.
func TestPowerFaults(t *testing.T) {
	for meter, want := range map[string]string{
		"rapl:" + t.TempDir(): "found no energy counter",
		"file:/no/such/file":  "no such file",
		"cmd:echo none":       `printed "none"`,
		"volts":               "want rapl, cmd:COMMAND or file:SPL",
	} {
		r := harness.Run(t, "run", "null", "--scenario", "SingleStream", "--mode", "performance", "--out", t.TempDir(),
			"--force",
			"--power", meter).WantCode(t, 2)
		if !strings.Contains(r.Stderr, want) {
			t.Errorf("%s: %s", meter, r.Stderr)
		}
	}
}
