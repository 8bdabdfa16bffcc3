package host_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// interrupted is a SUT whose test ends with its first query.
type interrupted struct {
	loadgen.SUT
	end func()
}

func (s interrupted) IssueQuery(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
	defer s.end()
	return s.SUT.IssueQuery(ctx, q, r)
}

func TestInterruptedRun(t *testing.T) {
	p := launch(t)
	for _, s := range loadgen.Scenarios() {
		t.Run(s.String(), func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			w, err := openCount(t.Context(), p, s, 1000)
			if err != nil {
				t.Fatal(err)
			}
			long := settings(s)
			long.MinDuration = time.Second
			r, err := loadgen.StartTest(ctx, interrupted{w.SUT(), cancel}, w.QSL(), long, loadgen.LogSettings{})
			if err == nil || r == nil || r.Aborted == nil {
				t.Errorf("error %v, want an aborted run", err)
			}
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	if _, err := startTest(t, p, loadgen.Offline); err != nil {
		t.Errorf("the plugin is fit for the next run: %v", err)
	}
}

// When the workload is closed, the plugin's queue contains half an hour of work.
func TestCloseDoesNotWaitForTheQueue(t *testing.T) {
	p, err := launchFaulty(t, "slow-batches")
	if err != nil {
		t.Fatal(err)
	}
	w, err := p.Open(t.Context(), sdk.Options{Scenario: loadgen.Offline, Count: 10, Batch: 1, Sessions: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.QSL().LoadSamplesToRAM(t.Context(), []loadgen.SampleIndex{0}); err != nil {
		t.Fatal(err)
	}
	q := loadgen.Query{Samples: make([]loadgen.QuerySample, 1<<20)}
	for i := range q.Samples {
		q.Samples[i].ID = loadgen.ResponseID(i)
	}
	ctx, cancel := p.Context(t.Context())
	defer cancel()
	if err := w.SUT().IssueQuery(ctx, q, newCounter(1<<30)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if ctx.Err() != nil {
		t.Fatal(context.Cause(ctx))
	}
	if w, err = p.Open(t.Context(), sdk.Options{Scenario: loadgen.Server, Count: 10}); err != nil {
		t.Fatal(err)
	}
	if _, err := loadgen.StartTest(ctx, w.SUT(), w.QSL(), settings(loadgen.Server), loadgen.LogSettings{}); err != nil {
		t.Errorf("what was under way disturbs the next workload: %v", err)
	}
}

func TestClosedPlugin(t *testing.T) {
	p := launch(t)
	w, err := openCount(t.Context(), p, loadgen.Server, 10)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := p.Context(t.Context())
	defer cancel()
	for range 2 {
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-ctx.Done():
	case <-time.After(patience):
		t.Error("the plugin's context did not end")
	}
	if _, err := p.Describe(t.Context()); err == nil {
		t.Error("a closed plugin answers")
	}
	q := loadgen.Query{Samples: []loadgen.QuerySample{{}}}
	if err := w.SUT().IssueQuery(t.Context(), q, newCounter(1)); err == nil {
		t.Error("a closed plugin takes queries")
	}
	_ = w.Close() // returns
}

func TestKill(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	p, err := launchFaulty(t, "stop")
	if err != nil {
		t.Fatal(err)
	}
	p.Kill()
	awaitNothing(t, func() []string { return group(t, p.PID()) })
	awaitNothing(t, func() []string {
		left, _ := filepath.Glob(filepath.Join(os.TempDir(), "plumbline-*"))
		return left
	})
}

// A plugin's failure ends contexts with the failure as their cause. The end of a parent context keeps its own cause.
func TestContext(t *testing.T) {
	p, err := launchFaulty(t, "die-load")
	if err != nil {
		t.Fatal(err)
	}
	ours := errors.New("ours")
	parent, stop := context.WithCancelCause(t.Context())
	first, cancelFirst := p.Context(parent)
	defer cancelFirst()
	stop(ours)
	<-first.Done()
	if !errors.Is(context.Cause(first), ours) {
		t.Errorf("cause %v, want the parent's", context.Cause(first))
	}
	ctx, cancel := p.Context(t.Context())
	defer cancel()
	w, err := openCount(ctx, p, loadgen.Server, 10)
	if err != nil {
		t.Fatal(err)
	}
	wantFailure(t, w.QSL().LoadSamplesToRAM(ctx, []loadgen.SampleIndex{1}), host.KindDied)
	<-ctx.Done()
	wantFailure(t, context.Cause(ctx), host.KindDied, "signal 9")
}

func TestOneWorkloadAtATime(t *testing.T) {
	p := launch(t)
	w, err := openCount(t.Context(), p, loadgen.Server, 10)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openCount(t.Context(), p, loadgen.Server, 10); err == nil {
		t.Error("a second workload opened")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := openCount(t.Context(), p, loadgen.Server, 10); err != nil {
		t.Errorf("after Close: %v", err)
	}
}

// The socket is in a private folder, which is also the plugin's temporary directory.
func TestSocketsArePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes and no sockets on this system")
	}
	tmp, err := os.MkdirTemp("/tmp", "private-") // short enough for sockets
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(tmp)
	t.Setenv("TMPDIR", tmp)
	p := launch(t)
	folders, err := filepath.Glob(filepath.Join(tmp, "*"))
	if err != nil || len(folders) != 1 {
		t.Fatalf("%q, %v: want one folder", folders, err)
	}
	if info, err := os.Stat(folders[0]); err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v: want a folder of mode 0700", info, err)
	}
	sockets, err := filepath.Glob(filepath.Join(folders[0], "*", "plugin*"))
	if err != nil || len(sockets) != 1 {
		t.Errorf("sockets %q, %v", sockets, err)
	}
	if environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.PID())); err == nil &&
		!strings.Contains(string(environ), "TMPDIR="+folders[0]+"\x00") {
		t.Error("the plugin's temporary directory is another one")
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// Variables of the harness's environment that plugins do not need are not passed on.
func TestSecretsStayInTheHarness(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("environments of processes are read from the proc file system")
	}
	t.Setenv("ACME_TOKEN", "for the harness alone")
	t.Setenv("PLUMBLINE_TEST_NOTE", "for plugins too")
	p := launch(t)
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.PID()))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(environ); strings.Contains(text, "ACME_TOKEN") || !strings.Contains(text, "PLUMBLINE_TEST_NOTE") {
		t.Errorf("the plugin's environment:\n%s", strings.ReplaceAll(text, "\x00", "\n"))
	}
	asked := launchOwn(t, host.LaunchOptions{Inherit: []string{"ACME_TOKEN"}})
	if environ, err = os.ReadFile(fmt.Sprintf("/proc/%d/environ", asked.PID())); err != nil ||
		!strings.Contains(string(environ), "ACME_TOKEN=for the harness alone") {
		t.Errorf("a variable that the launch names is not inherited: %v", err)
	}
}
