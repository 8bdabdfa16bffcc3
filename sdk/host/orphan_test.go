package host_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// harnessEnv is the variable that makes the test binary a harness that runs until it is killed.
const harnessEnv = "PLUMBLINE_TEST_HARNESS"

// playHarness launches the faulty plugin, prints the id of its process and runs it without end.
func playHarness() error {
	ctx := context.Background()
	p, err := host.Launch(ctx, os.Getenv(faultyEnv), host.LaunchOptions{StartTimeout: patience,
		HeartbeatTimeout: patience})
	if err != nil {
		return err
	}
	w, err := openCount(ctx, p, loadgen.Server, 100)
	if err != nil {
		return err
	}
	s := settings(loadgen.Server)
	s.MinDuration = time.Hour
	s.ServerTargetQPS = 1000
	fmt.Println(p.PID())
	_, err = loadgen.StartTest(ctx, w.SUT(), w.QSL(), s, loadgen.LogSettings{})
	return err
}

func TestNoOrphanWhenTheHarnessIsKilled(t *testing.T) {
	for _, fault := range []string{"", "child", "slow-open", "none-raw"} {
		t.Run("plugin "+fault, func(t *testing.T) {
			t.Parallel()
			tmp := t.TempDir()
			harness := exec.Command(os.Args[0])
			harness.Env = append(os.Environ(), harnessEnv+"=1", faultyEnv+"="+faulty(t), "PLUMBLINE_FAULT="+fault, "TMPDIR="+tmp)
			out, err := harness.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := harness.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(line))
			if err != nil {
				t.Fatal(err)
			}
			if len(group(t, pid)) == 0 {
				t.Fatal("the plugin is not running")
			}
			if err := harness.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = harness.Wait()
			awaitNothing(t, func() []string { return group(t, pid) })
			awaitNothing(t, func() []string {
				left, _ := filepath.Glob(filepath.Join(tmp, "plumbline-*"))
				return left
			})
		})
	}
}

// awaitNothing waits until list is empty, because a killed process needs a processor to end.
func awaitNothing(tb testing.TB, list func() []string) {
	tb.Helper()
	left := list()
	for start := time.Now(); len(left) > 0 && time.Since(start) < patience; left = list() {
		time.Sleep(20 * time.Millisecond)
	}
	if len(left) > 0 {
		tb.Errorf("left behind: %v", left)
	}
}
