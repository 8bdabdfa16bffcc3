package shell

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestASignalSentTwiceIsOne(t *testing.T) {
	for _, c := range []struct {
		name        string
		first, next os.Signal
		after       time.Duration
		want        bool
	}{
		{"as timeout sends it", syscall.SIGTERM, syscall.SIGTERM, time.Millisecond, true},
		{"a second wish", syscall.SIGTERM, syscall.SIGTERM, maxEchoDelay, false},
		{"another one", os.Interrupt, syscall.SIGTERM, time.Millisecond, false},
	} {
		if got := isEcho(c.first, c.next, c.after); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestPatienceWithSignals: a command is given up where it pays no heed to a signal, and never while it ends in order.
func TestPatienceWithSignals(t *testing.T) {
	kill := func() {}
	signal := time.Now()
	for _, c := range []struct {
		about    string
		App      *App
		after    time.Duration
		unheeded bool
	}{
		{"reads, no plugin runs", &App{}, waitWithoutPlugin, true},
		{"reads, but not for long", &App{}, waitWithoutPlugin / 2, false},
		{"a plugin opens", &App{kill: kill}, waitWithoutPlugin, false},
		{"a plugin opens for ever", &App{kill: kill}, waitWithPlugin, true},
		{"runs", &App{kill: kill, endsInOrder: true}, time.Hour, false},
		{"writes between runs", &App{severalRuns: 1}, time.Hour, false},
		{"a plugin opens for ever, of the second run", &App{kill: kill, severalRuns: 1}, waitWithPlugin, true},
		{"its run has just ended", &App{changed: signal.Add(2 * time.Second)}, 2*time.Second + waitWithoutPlugin/4, false},
		{"its run ended long ago", &App{changed: signal.Add(2 * time.Second)}, 2*time.Second + waitWithoutPlugin, true},
	} {
		if got := c.App.ignoresSignal(signal, signal.Add(c.after)); got != c.unheeded {
			t.Errorf("%s, %v after a signal: unheeded %v", c.about, c.after, got)
		}
	}
}

// TestTooManyOpenFiles: whoever meets the limit, the message says how to raise it, once.
func TestTooManyOpenFiles(t *testing.T) {
	for _, c := range []struct {
		err  error
		says string // empty: nothing is added
	}{
		{fmt.Errorf("read the data set: %w", &fs.PathError{Op: "open", Path: "x", Err: syscall.EMFILE}), "ulimit -n"},
		{errors.New("plugin vl: open: open /x: too many open files"), "ulimit -n"},
		{&os.SyscallError{Syscall: "socket", Err: syscall.ENFILE}, "fs.file-max"},
		{errors.New("plugin vl: open /x: too many open files in system"), "fs.file-max"},
		{errors.New("it needs more open files than its limit files=9: open x: too many open files"), ""},
		{fmt.Errorf("allow more, as with ulimit -n 9: %w", syscall.EMFILE), ""},
		{errors.New("no such file"), ""},
		{syscall.ENOSPC, ""},
	} {
		hint := filesHint(c.err)
		if (hint == "") != (c.says == "") || !strings.Contains(hint, c.says) {
			t.Errorf("%v: %q, want %q", c.err, hint, c.says)
		}
		if text := errorMessage(c.err); strings.Count(text, hint) == 0 || errors.Is(c.err, syscall.EMFILE) &&
			strings.Contains(text, "an internal error") {
			t.Errorf("%v: %q", c.err, text)
		}
	}
}
