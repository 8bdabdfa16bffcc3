package host_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/host"
	"github.com/plumbline-ml/plumbline/sdk/internal/testkit/tokens"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
	"github.com/plumbline-ml/plumbline/sdk/sdktest/null"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

// faultyEnv is the variable with the path of the faulty plugin for a harness that a test starts.
const faultyEnv = "PLUMBLINE_TEST_FAULTY"

// faultyDir is the folder of the faulty plugin. TestMain removes it.
var faultyDir string

// faultyBinary builds the faulty plugin, once.
var faultyBinary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(faultyDir, host.BinaryPrefix+"faulty")
	build := exec.Command("go", "build", "-ldflags=-w", "-o", path,
		"github.com/plumbline-ml/plumbline/sdk/internal/testkit/faultyplugin")
	if out, err := build.CombinedOutput(); err != nil {
		return path, fmt.Errorf("build the faulty plugin: %w\n%s", err, out)
	}
	return path, nil
})

func faulty(tb testing.TB) string {
	tb.Helper()
	path, err := faultyBinary()
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// tokensEnv is the variable that makes the test binary the plugin of tokens, and not the null plugin, if a harness
// starts it.
const tokensEnv = "PLUMBLINE_TEST_TOKENS"

// listensEnv is the variable that makes the test binary a process that exits with status 3 at the end of its standard
// input.
const listensEnv = "PLUMBLINE_TEST_LISTENS"

// TestMain makes the test binary the null plugin if a harness starts it, and a harness or another process if a test
// requests it.
func TestMain(m *testing.M) {
	switch {
	case os.Getenv(wire.CookieKey) == wire.CookieValue && os.Getenv(tokensEnv) != "":
		serve.Main(tokens.Benchmark{}, serve.Backend("tokens", tokens.Backend{}))
	case os.Getenv(wire.CookieKey) == wire.CookieValue && os.Getenv(datasetEnv) != "":
		serve.Main(copier{}, serve.Backend("null", null.Backend{}))
	case os.Getenv(wire.CookieKey) == wire.CookieValue:
		serve.Main(null.Benchmark{}, serve.Backend("null", null.Backend{}), serve.Backend("racks", racks{}))
	case os.Getenv(harnessEnv) != "":
		fmt.Fprintln(os.Stderr, playHarness())
		os.Exit(1)
	case os.Getenv(listensEnv) != "":
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(3)
	}
	dir, err := os.MkdirTemp("", "plumbline-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	faultyDir = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// patience is the time limit of waits for events that must occur. No machine is that slow.
const patience = 10 * time.Minute

// launch starts the null plugin, unless the variables in env ask for another.
func launch(tb testing.TB, env ...string) *host.Plugin {
	tb.Helper()
	return launchOwn(tb, host.LaunchOptions{Env: env})
}

// launchOwn starts the test binary as a plugin.
func launchOwn(tb testing.TB, o host.LaunchOptions) *host.Plugin {
	tb.Helper()
	path, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	o.StartTimeout, o.HeartbeatTimeout = patience, patience
	p, err := host.Launch(tb.Context(), path, o)
	if err != nil {
		tb.Fatal(err)
	}
	closeAfter(tb, p)
	return p
}

// failsSoon reports whether a plugin soon ends because of its fault.
func failsSoon(p *host.Plugin) bool {
	ctx, cancel := p.Context(context.Background())
	defer cancel()
	select {
	case <-ctx.Done():
		return true
	case <-time.After(patience):
		return false
	}
}

// launchFaulty starts the faulty plugin.
func launchFaulty(tb testing.TB, fault string) (*host.Plugin, error) {
	tb.Helper()
	return launchWith(tb, fault, host.LaunchOptions{})
}

// hangSoon is the limit of silence in tests of hung plugins. Others use launchWith's limit, because a plugin that gets
// no processor for that long must not make them fail.
const hangSoon = time.Second

// launchWith is like launchFaulty, with further options.
func launchWith(tb testing.TB, fault string, o host.LaunchOptions) (*host.Plugin, error) {
	tb.Helper()
	mark := fmt.Sprintf("PLUMBLINE_TEST_MARK=%s %d", tb.Name(), time.Now().UnixNano())
	tb.Cleanup(func() {
		awaitNothing(tb, func() []string { return marked(tb, mark) })
	})
	o.Env = []string{"PLUMBLINE_FAULT=" + fault, mark}
	o.StartTimeout, o.HeartbeatTimeout = cmp.Or(o.StartTimeout, patience), cmp.Or(o.HeartbeatTimeout, patience)
	o.CloseTimeout = time.Second
	p, err := host.Launch(tb.Context(), faulty(tb), o)
	if err == nil {
		closeAfter(tb, p)
		if runtime.GOOS == "linux" && len(marked(tb, mark)) == 0 && !failsSoon(p) {
			tb.Error("the plugin cannot be seen: the check for processes that are left is void")
		}
	}
	return p, err
}

// closeAfter closes p at the end of the test, and checks that nothing remains.
func closeAfter(tb testing.TB, p *host.Plugin) {
	tb.Cleanup(func() {
		if err := p.Close(); err != nil {
			tb.Error(err)
		}
		if tail := strings.Join(p.StderrTail(), "\n"); strings.Contains(tail, "DATA RACE") {
			tb.Errorf("the plugin has a data race:\n%s", tail)
		}
		awaitNothing(tb, func() []string { return group(tb, p.PID()) })
	})
}
