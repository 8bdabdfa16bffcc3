package host_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/host"
)

// copied copies the faulty plugin, for a test that changes it.
func copied(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), host.BinaryPrefix+"faulty")
	program, err := os.ReadFile(faulty(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, program, 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// other writes a program that leaves a trace, and returns both paths.
func other(t *testing.T) (path, trace string) {
	t.Helper()
	path, trace = filepath.Join(t.TempDir(), host.BinaryPrefix+"other"), filepath.Join(t.TempDir(), "trace")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n: > '"+trace+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path, trace
}

func TestRefusedBinariesAreNotStarted(t *testing.T) {
	path, trace := other(t)
	refusal := errors.New("not this one")
	_, err := host.Launch(t.Context(), path, host.LaunchOptions{Approve: func(*os.File) error { return refusal }})
	if !errors.Is(err, refusal) {
		t.Errorf("error %v", err)
	}
	wantFailure(t, err, host.KindStart, "not this one")
	if _, err := os.Stat(trace); err == nil {
		t.Error("it was started")
	}
	_, err = host.Launch(t.Context(), filepath.Join(t.TempDir(), "none"),
		host.LaunchOptions{Approve: func(*os.File) error { return nil }})
	wantFailure(t, err, host.KindStart, "does not exist")
}

// Another program replaces the one that was just approved.
func TestTheApprovedFileIsExecuted(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("an open file can be executed on Linux")
	}
	path := copied(t)
	evil, trace := other(t)
	var read int64
	p, err := host.Launch(t.Context(), path, host.LaunchOptions{StartTimeout: patience,
		Approve: func(f *os.File) (err error) {
			if read, err = io.Copy(io.Discard, f); err != nil {
				return err
			}
			awaitTick(t, f)
			return os.Rename(evil, path)
		}})
	// The file that lost its name has a new change time. It is the approved one, but it was changed.
	wantFailure(t, err, host.KindStart, "was changed while it was started")
	if p != nil || read < 1<<20 {
		t.Errorf("%d bytes were read", read)
	}
	if _, err := os.Stat(trace); err == nil {
		t.Error("the other program was started")
	}
}

// awaitTick waits until a change gets a later time than the last change of f. File systems take the time from a clock
// that ticks every few milliseconds.
func awaitTick(t *testing.T, f *os.File) {
	t.Helper()
	last, err := f.Stat()
	now := last
	for other := filepath.Join(t.TempDir(), "tick"); err == nil && !now.ModTime().After(last.ModTime()); {
		if err = os.WriteFile(other, nil, 0o600); err == nil {
			err = os.Remove(other)
		}
		if err == nil {
			now, err = os.Stat(filepath.Dir(other))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestChangedWhileItStarts(t *testing.T) {
	script, _ := other(t)
	for name, path := range map[string]string{"binary": copied(t), "script": script} {
		t.Run(name, func(t *testing.T) {
			_, err := host.Launch(t.Context(), path, host.LaunchOptions{StartTimeout: patience, Approve: func(f *os.File) error {
				w, err := os.OpenFile(f.Name(), os.O_WRONLY|os.O_APPEND, 0)
				if err != nil {
					return err
				}
				_, err = w.WriteString("\n# one line more\n")
				return errors.Join(err, w.Close())
			}})
			if name == "script" { // it ends before the handshake
				wantFailure(t, err, host.KindStart)
				return
			}
			wantFailure(t, err, host.KindStart, "was changed while it was started")
		})
	}
}

func TestApprovedBinaryRuns(t *testing.T) {
	p, err := launchWith(t, "", host.LaunchOptions{Approve: func(*os.File) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Describe(t.Context()); err != nil {
		t.Error(err)
	}
}
