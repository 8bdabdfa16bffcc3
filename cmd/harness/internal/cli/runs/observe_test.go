package runs_test

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/feed"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
)

// eventsOf reads lines of events.
func eventsOf(t *testing.T, text string) []feed.Event {
	t.Helper()
	var all []feed.Event
	for line := range strings.Lines(text) {
		var e feed.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		all = append(all, e)
	}
	return all
}

// wantWhole wants the events of a command from beginning to end, with a number of results.
func wantWhole(t *testing.T, all []feed.Event, code, results int) {
	t.Helper()
	if len(all) < 2 || all[0].Begin == nil || all[len(all)-1].End == nil || all[len(all)-1].End.ExitCode != code {
		t.Fatalf("%d events, the last %+v, want all from begin to end with %d", len(all), all[len(all)-1].End, code)
	}
	n := 0
	for _, e := range all {
		if e.Result != nil {
			n++
		}
	}
	if n != results {
		t.Errorf("%d results, want %d", n, results)
	}
}

// TestObserversSeeRuns lets everybody see all runs of a model, and wants nothing to be left of them.
func TestObserversSeeRuns(t *testing.T) {
	var sent atomic.Int32
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { sent.Add(1) }))
	defer receiver.Close()
	s := clitest.New(t)
	before := runtime.NumGoroutine()
	s.Want(0, s.Run("run", "resnet50", "--out", s.Out(), "--events", s.Out("..", "e.jsonl"), "--metrics", "0",
		"--web", "0", "--otlp", receiver.URL), "Server        performance  VALID (smoke)")
	text, err := os.ReadFile(s.Out("..", "e.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	wantWhole(t, eventsOf(t, string(text)), 0, 5)
	if sent.Load() == 0 {
		t.Error("nothing was sent")
	}
	places := regexp.MustCompile(`(?m)^(?:metrics|page) at (http://127\.0\.0\.1:\d+)/`).
		FindAllStringSubmatch(s.Stderr.String(), -1)
	if len(places) != 2 {
		t.Errorf("no two addresses in:\n%s", s.Stderr.String())
	}
	for _, p := range places {
		if r, err := http.Get(p[1]); err == nil {
			r.Body.Close()
			t.Errorf("%s is still served", p[1])
		}
	}
	receiver.Close()
	http.DefaultClient.CloseIdleConnections()
	for end := time.Now().Add(10 * time.Minute); runtime.NumGoroutine() > before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(),
				stacks[:runtime.Stack(stacks, true)])
		}
	}
}

func TestEventsOnStandardOutput(t *testing.T) {
	s := clitest.New(t)
	s.Want(0, s.Run("run", "resnet50", "--scenario", "Server", "--mode", "performance", "--out", s.Out(), "--events", "-"))
	wantWhole(t, eventsOf(t, s.Stdout.String()), 0, 1)
	if !strings.Contains(s.Stderr.String(), "Server        performance  VALID (smoke)") {
		t.Errorf("the report is not on standard error:\n%s", s.Stderr.String())
	}
}

func TestEventsOfAudits(t *testing.T) {
	s := clitest.New(t)
	code := s.Run("audit", "seeds", "resnet50", "--seeds", "1,2,3", "--scenario", "Offline", "--out", s.Out(),
		"--events", "-") // 3 where the machine was busy with other work in one of the runs
	wantWhole(t, eventsOf(t, s.Stdout.String()), code, 2)
}

// TestEventsFollowNoLinks replaces a link that somebody has put under the file's name; with and without text in what
// the link names, which stays as it is.
func TestEventsFollowNoLinks(t *testing.T) {
	s := clitest.New(t)
	for name, text := range map[string]string{"empty": "", "precious": "precious", "missing": ""} {
		target, link := s.Out("..", name), s.Out("..", name+".jsonl")
		if name != "missing" {
			s.File(name, text)
		}
		if err := os.Symlink(target, link); err != nil {
			t.Skip(err)
		}
		s.Want(0, s.Run("run", "resnet50", "--scenario", "Server", "--mode", "performance", "--out", s.Out(), "--force",
			"--events", link))
		if info, err := os.Lstat(link); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
			t.Errorf("%s: %v, %v: want a file of its own", name, info, err)
		}
		if got, err := os.ReadFile(target); string(got) != text || (err != nil) != (name == "missing") {
			t.Errorf("%s: what the link names holds %q, %v", name, got, err)
		}
	}
}

// TestFailureIsTheLastEvent, with why.
func TestFailureIsTheLastEvent(t *testing.T) {
	s := clitest.New(t)
	s.Fakes["resnet50"].OpenErr = errors.New("no such weights")
	code := s.Run("run", "resnet50", "--scenario", "Server", "--out", s.Out(), "--events", "-")
	all := eventsOf(t, s.Stdout.String())
	wantWhole(t, all, code, 2)
	if end := all[len(all)-1].End; code == 0 || !strings.Contains(end.Error, "no such weights") {
		t.Errorf("code %d, end %+v", code, end)
	}
}

func TestWrongPlacesForObservers(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	s := clitest.New(t)
	there := s.File("there.jsonl", "{}\n")
	for _, c := range []struct {
		args  []string
		texts []string
	}{
		{[]string{"--metrics", taken.Addr().String()}, []string{"--metrics: 127.0.0.1:", "in use by another program"}},
		{[]string{"--web", taken.Addr().String()}, []string{"--web: 127.0.0.1:", "in use by another program"}},
		{[]string{"--web", "nowhere"}, []string{"--web:", "no address"}},
		{[]string{"--otlp", "localhost:4318"}, []string{"--otlp:", "no URL of a receiver"}},
		{[]string{"--otlp", "http://u:hunter2@h"}, []string{"--otlp:", "OTEL_EXPORTER_OTLP_HEADERS"}},
		{[]string{"--events", there}, []string{"--events", "file already exists", "--force"}},
		{[]string{"--events", s.Out("no", "such", "folder")}, []string{"--events", "no such file or directory"}},
		{[]string{"--events", "-", "--json"}, []string{"--json and --events - exclude each other"}},
		{[]string{"--metrics", "x", "--web", "y", "--otlp", "z"}, []string{"--metrics:", "--web:", "--otlp:"}},
	} {
		s.Want(2, s.Run(append([]string{"run", "resnet50", "--out", s.Out()}, c.args...)...), c.texts...)
		if _, err := os.Stat(s.Out()); err == nil || len(s.Fakes["resnet50"].Opened()) != 0 {
			t.Errorf("%v: a run has begun", c.args)
		}
		if strings.Contains(s.Stderr.String(), "hunter2") {
			t.Errorf("the password is shown:\n%s", s.Stderr.String())
		}
	}
	s.Want(0, s.Run("run", "resnet50", "--dry-run", "--metrics", taken.Addr().String()))
}

// TestReaderOfEventsGoes: the run goes on, and in the end says what is lost.
func TestReaderOfEventsGoes(t *testing.T) {
	s := clitest.New(t)
	s.Redirect = failing{errors.New("broken pipe")}
	s.Want(2, s.Run("run", "resnet50", "--scenario", "Server", "--mode", "performance", "--out", s.Out(), "--events", "-"),
		"VALID (smoke)", "--events -: events are lost: broken pipe")
	if run := s.Result().Runs[0]; run.Performance == nil || !run.Performance.Valid {
		t.Errorf("the run is lost: %+v", run)
	}
}

// failing writes nothing.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestReceiverThatFails changes nothing of the run, and is said in the end.
func TestReceiverThatFails(t *testing.T) {
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
	}))
	defer receiver.Close()
	s := clitest.New(t)
	s.Want(0, s.Run("run", "resnet50", "--scenario", "Server", "--mode", "performance", "--out", s.Out(),
		"--otlp", receiver.URL), "VALID (smoke)", "times the receiver did not take the metrics")
}

func TestOtherMachinesMayReachIt(t *testing.T) {
	s := clitest.New(t)
	s.Want(0, s.Run("run", "resnet50", "--scenario", "Server", "--mode", "performance", "--out", s.Out(),
		"--metrics", "0.0.0.0:0"), "other machines can reach it")
}
