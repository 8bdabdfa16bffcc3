package host_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"
	"github.com/plumbline-ml/plumbline/sdk/internal/handshake"
	"github.com/plumbline-ml/plumbline/sdk/sdktest/null"
)

// faultyEnv tells tests where TestMain built the faulty plugin.
const faultyEnv = "PLUMBLINE_TEST_FAULTY"

// TestMain makes the test binary the null plugin where a harness starts it, and a harness where a test asks for one. Else it builds the faulty plugin and runs
// the tests.
func TestMain(m *testing.M) {
	if os.Getenv(handshake.CookieKey) == handshake.CookieValue {
		sdk.Main(null.Benchmark{}, sdk.WithBackend("null", null.Backend{}))
	}
	if os.Getenv(harnessEnv) != "" {
		fmt.Fprintln(os.Stderr, playHarness())
		os.Exit(1)
	}
	os.Exit(withFaulty(m.Run))
}

func withFaulty(run func() int) int {
	dir, err := os.MkdirTemp("", "plumbline-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, host.BinaryPrefix+"faulty")
	build := exec.Command("go", "build", "-o", path, "github.com/plumbline-ml/plumbline/sdk/internal/faultyplugin")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the faulty plugin: %v\n%s", err, out)
		return 1
	}
	os.Setenv(faultyEnv, path)
	return run()
}

// launch starts the null plugin.
func launch(tb testing.TB) *host.Plugin {
	tb.Helper()
	path, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	p, err := host.Launch(tb.Context(), path, host.LaunchOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	closeAfter(tb, p)
	return p
}

// launchFaulty starts the faulty plugin with a heartbeat limit that is short enough for a test.
func launchFaulty(tb testing.TB, fault string) (*host.Plugin, error) {
	tb.Helper()
	p, err := host.Launch(tb.Context(), os.Getenv(faultyEnv), host.LaunchOptions{
		Env: []string{"PLUMBLINE_FAULT=" + fault}, HeartbeatTimeout: time.Second, CloseTimeout: time.Second,
		StartTimeout: 2 * time.Second,
	})
	if err == nil {
		closeAfter(tb, p)
	}
	return p, err
}

// closeAfter closes p at the end of the test, and checks that nothing of it is left.
func closeAfter(tb testing.TB, p *host.Plugin) {
	tb.Cleanup(func() {
		if err := p.Close(); err != nil {
			tb.Error(err)
		}
		if tail := strings.Join(p.StderrTail(), "\n"); strings.Contains(tail, "DATA RACE") {
			tb.Errorf("the plugin has a data race:\n%s", tail)
		}
		if left := group(tb, p.PID()); len(left) > 0 {
			tb.Errorf("processes of the plugin are left: %v", left)
		}
	})
}
