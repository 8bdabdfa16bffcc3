//go:build unix

package power

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/power/spl"
)

// commandMeter returns a meter of a shell's command line.
func commandMeter(t *testing.T, line string, args ...any) *Meter {
	t.Helper()
	m, err := New("cmd:"+fmt.Sprintf(line, args...), MinInterval)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// until waits for a state.
func until(t *testing.T, what string, state func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Minute); !state(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("still not: " + what)
		}
	}
}

// gone reports whether the process with the id in a file has ended.
func gone(t *testing.T, file string) bool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

func TestCommandThatRunsOn(t *testing.T) {
	dir := t.TempDir()
	pid := filepath.Join(dir, "pid")
	m := commandMeter(t, "sleep 1000 & echo $! > %s.new; mv %[1]s.new %[1]s; echo 50.5 W; echo; echo 49.5; wait", pid)
	r, err := m.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text, err := r.Finish(t.Context(), spl.Window{Begin: time.Now()})
	if got := samples(t, text); err != nil || len(got) < 1 || got[0].Watts != 50.5 {
		t.Errorf("got %+v, %v", got, err)
	}
	until(t, "the child of the command has ended", func() bool { return gone(t, pid) })
}

func TestCommandThatDoesNotEndWhenItIsTold(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	m := commandMeter(t, "trap '' TERM; echo $$ > %s; echo 5; while true; do sleep 1; done", pid)
	r, err := m.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Finish(t.Context(), spl.Window{Begin: time.Now()}); err != nil {
		t.Error(err)
	}
	until(t, "the command has ended", func() bool { return gone(t, pid) })
}

func TestCommandThatPrintsOnceIsRunAgain(t *testing.T) {
	count := filepath.Join(t.TempDir(), "count")
	r, err := commandMeter(t, "echo 7; echo x >> %s", count).Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	until(t, "three runs", func() bool {
		text, _ := os.ReadFile(count)
		return len(text) >= 6
	})
	text, err := r.Finish(t.Context(), spl.Window{Begin: time.Now()})
	if got := samples(t, text); err != nil || len(got) < 3 || got[2].Watts != 7 {
		t.Errorf("got %+v, %v", got, err)
	}
}

// A command that fails during the run has a beginning that counts, and a reason.
func TestCommandThatFailsInMidRun(t *testing.T) {
	for name, c := range map[string]struct{ line, want string }{
		"dies":          {"echo 5; %s; echo no device >&2; exit 3", "exit status 3; it said: no device"},
		"is killed":     {"echo 5; %s; kill -9 $$", "signal: killed"},
		"prints text":   {"echo 5; %s; echo N/A; sleep 1000", `printed "N/A" on line 2`},
		"prints no sum": {"echo 5; %s; echo inf; sleep 1000", `printed "inf" on line 2`},
	} {
		t.Run(name, func(t *testing.T) {
			gate := filepath.Join(t.TempDir(), "gate")
			await := "while [ ! -e " + gate + " ]; do sleep 0.01; done"
			r, err := commandMeter(t, c.line, await).Start(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(gate, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			<-r.done
			text, err := r.Finish(t.Context(), spl.Window{Begin: time.Now()})
			if err == nil || !strings.Contains(err.Error(), c.want) || len(samples(t, text)) != 1 {
				t.Errorf("got %v, %s, want %q", err, text, c.want)
			}
		})
	}
}

func TestCommandThatDoesNotBegin(t *testing.T) {
	for name, c := range map[string]struct{ line, want string }{
		"text":    {"echo fifty", `printed "fifty" on line 1`},
		"nothing": {"true", "printed nothing"},
		"fails":   {"echo broken >&2; exit 1", "exit status 1; it said: broken"},
		"unknown": {"plumbline-no-such-meter", "exit status 127"},
		"hangs":   {"sleep 1000", "no reading within"},
	} {
		t.Run(name, func(t *testing.T) {
			m := commandMeter(t, "%s", c.line)
			if name == "hangs" {
				m.startTimeout = 50 * time.Millisecond
			}
			if _, err := m.Start(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestStartThatIsCalledOff(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("called off"))
	if _, err := commandMeter(t, "sleep 1000").Start(ctx); err == nil || !strings.Contains(err.Error(), "called off") {
		t.Errorf("got %v", err)
	}
}
