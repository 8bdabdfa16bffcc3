package conformance

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/sdk"
)

// subject is this test binary as a plugin with a fault.
func subject(t *testing.T, fault string) Subject {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(brokenEnv, fault)
	t.Setenv(lockEnv, filepath.Join(t.TempDir(), "device.lock"))
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	return Subject{Binary: path, Queries: 3000, Patience: 3 * time.Second}
}

func TestASoundPluginPasses(t *testing.T) {
	s := subject(t, "none")
	s.Reference = &Reference{}
	var names []string
	for _, r := range Run(t.Context(), s, func(r Result) { names = append(names, r.Name) }) {
		if r.Outcome != Pass {
			t.Errorf("%s: %s: %s", r.Name, r.Outcome, r.Detail)
		}
		if r.Detail == "" || r.About == "" {
			t.Errorf("%s: about %q, detail %q", r.Name, r.About, r.Detail)
		}
	}
	if !slices.Equal(names, Names()) {
		t.Errorf("reported %v, want %v", names, Names())
	}
}

// TestEachCheckCanFail has a broken plugin for each check.
func TestEachCheckCanFail(t *testing.T) {
	cases := []struct{ check, fault, want string }{
		{"by-hand", "silent by hand", "exit status that is not 0"},
		{"description", "describes itself differently", "different plugins"},
		{"reality", "size", "the description says 200"},
		{"modes", "by scenario", "payloads differ"},
		{"determinism", "by process", "payloads differ"},
		{"order", "by position", "payloads differ"},
		{"batch", "by batch", "payloads differ"},
		{"accuracy", "wrong", "the description says 100"},
		{"back-pressure", "hoards", "the process grew"},
		{"cancellation", "never closes", "Close takes more than"},
		{"kill", "locks", "in use by another process"},
		{"memory", "leaks", "the process grew"},
		{"caching", "caches", "answers seem to be kept"},
		{"leftovers", "litters", "files are left"},
		{"leftovers", "daemon", "processes are left"},
	}
	tested := map[string]bool{"handshake": true, "scenarios": true, "loading": true, "errors": true, "reference": true} // below
	for _, c := range cases {
		tested[c.check] = true
		t.Run(c.check+", "+c.fault, func(t *testing.T) {
			wantFailure(t, c.check, subject(t, c.fault), c.want)
		})
	}
	for _, name := range Names() {
		if !tested[name] {
			t.Errorf("check %s has no broken plugin", name)
		}
	}
}

// wantFailure makes one check, which must fail for the right reason.
func wantFailure(t *testing.T, name string, s Subject, want string) {
	t.Helper()
	s.Only = []string{name}
	results := Run(t.Context(), s, nil)
	if len(results) != 1 || results[0].Outcome != Fail || !strings.Contains(results[0].Detail, want) {
		t.Errorf("got %+v, want a failure with %q", results, want)
	}
}

// TestFaultsOfTheWire runs plugins that the sdk cannot make.
func TestFaultsOfTheWire(t *testing.T) {
	binary := buildFaulty(t)
	for _, c := range []struct{ check, fault, want string }{
		{"handshake", "print-before-handshake", "Hello from a C library"},
		{"handshake", "old-version", "version"},
		{"scenarios", "twice", "twice"},
		{"scenarios", "drop", "not answered"},
		{"loading", "none-raw", "sample 1024 of 1024 was loaded"},
		{"errors", "none-raw", "unknown model"},
	} {
		t.Run(c.check+", "+c.fault, func(t *testing.T) {
			wantFailure(t, c.check, Subject{Binary: binary, Env: []string{"PLUMBLINE_FAULT=" + c.fault}, Patience: 3 * time.Second}, c.want)
		})
	}
}

func TestReferenceOfAnotherBackend(t *testing.T) {
	s := subject(t, "none")
	s.Open.Backend = "other"
	s.Reference = &Reference{Open: sdk.Options{Backend: "null"}}
	wantFailure(t, "reference", s, "payloads differ")
}

func TestNothingIsTriedAfterAFailedStart(t *testing.T) {
	results := Run(t.Context(), Subject{Binary: "/no/such/plugin"}, nil)
	if Failed(results) != 1 || results[0].Name != "handshake" || results[1].Outcome != Skip {
		t.Errorf("%+v", results)
	}
}

func TestCalledOff(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, r := range Run(ctx, Subject{Binary: "/no/such/plugin"}, nil) {
		if r.Outcome != Skip || r.Detail != "called off" {
			t.Errorf("%+v", r)
		}
	}
}

func TestCompare(t *testing.T) {
	one, two, text := []byte{0, 0, 0x80, 0x3f}, []byte{0, 0, 0, 0x40}, []byte("abc")
	cases := []struct {
		a, b [][]byte
		want string
	}{
		{[][]byte{one, text}, [][]byte{one, text}, "2 payloads are equal, byte for byte"},
		{[][]byte{text, one}, [][]byte{text, two}, "1 of 2 payloads differ, the first of them that of sample 1, float32 values by up to 1"},
		{[][]byte{text}, [][]byte{one}, "1 of 1 payloads differ, the first of them that of sample 0"},
		{[][]byte{{1, 0, 0, 0}}, [][]byte{{2, 0, 0, 0}}, "1 of 1 payloads differ, the first of them that of sample 0"},
	}
	for _, c := range cases {
		if got := compare(c.a, c.b).String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
