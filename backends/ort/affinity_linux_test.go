package ort

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/backends/ort/ortlib"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// lastCore returns the last core that this process may use.
func lastCore(t *testing.T) (name string, core int) {
	t.Helper()
	allowed, err := allowedCores()
	if err != nil {
		t.Fatal(err)
	}
	for core = maxCores - 1; !allowed.has(core); core-- {
	}
	return "cpu:" + strconv.Itoa(core), core
}

// slow opens the model slow, whose run takes about 2 us per iteration, on a device.
func slow(t *testing.T, device string, threads string, runs int) backend.Session {
	t.Helper()
	path, err := ortlib.FindLibrary(context.Background(), runtime.GOOS, runtime.GOARCH)
	if errors.Is(err, ortlib.ErrPlatform) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := Backend{Library: path}.Open(t.Context(), backend.Model{Path: filepath.Join("testdata", "slow.onnx")},
		backend.Config{Device: device, Concurrency: runs, Options: map[string]string{"threads": threads}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// bound lists this process's threads that may use only that core, with their processor time in clock ticks.
func bound(t *testing.T, core int) map[string]int {
	t.Helper()
	paths, err := filepath.Glob("/proc/self/task/*")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no threads: %v", err)
	}
	all := map[string]int{}
	for _, path := range paths {
		status, err := os.ReadFile(filepath.Join(path, "status"))
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(status), "Cpus_allowed_list:")
		list, _, _ := strings.Cut(rest, "\n")
		if n, lives := ticks(t, path); lives && strings.TrimSpace(list) == strconv.Itoa(core) {
			all[filepath.Base(path)] = n
		}
	}
	return all
}

// ticks returns the processor time of a thread: fields 14 and 15 of its stat. The thread may have ended.
func ticks(t *testing.T, path string) (n int, lives bool) {
	t.Helper()
	stat, err := os.ReadFile(filepath.Join(path, "stat"))
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(stat)[strings.LastIndex(string(stat), ")")+1:])
	user, err1 := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	return user + system, true
}

// TestRunsStayOnTheirCores checks the kernel's view of the process's threads while a session computes on one core: all
// of ONNX Runtime's threads and the computing thread are bound to it.
func TestRunsStayOnTheirCores(t *testing.T) {
	name, core := lastCore(t)
	if n := runtime.NumCPU(); n < 2 {
		t.Skipf("%d core: every thread is on it", n)
	}
	before := len(bound(t, core))
	s := slow(t, name, "3", 2)
	idle := bound(t, core)
	if got := len(idle) - before; got != 2 {
		t.Errorf("%d threads are bound to core %d, want the 2 of ONNX Runtime's pool", got, core)
	}
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() {
		in := []backend.Tensor{
			{DType: backend.Int64, Shape: []int64{1}, Data: backend.Bytes([]int64{1 << 40})},
			{DType: backend.Float32, Shape: []int64{16, 16}, Data: make([]byte, 4*256)},
		}
		_ = s.Run(ctx, in, make([]backend.Tensor, 1))
	})
	start := map[string]int{} // ticks of each thread when it was first seen bound
	computed := func() bool {
		for id, n := range bound(t, core) {
			if _, seen := start[id]; !seen {
				start[id] = n
			}
			if _, pool := idle[id]; !pool && n >= start[id]+5 {
				return true
			}
		}
		return false
	}
	for wait := time.Now().Add(10 * time.Minute); !computed(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(wait) {
			t.Error("no bound thread but the pool's computes: the run is elsewhere")
			break
		}
	}
	stop()
	all.Wait()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for wait := time.Now().Add(10 * time.Minute); len(bound(t, core)) != before; time.Sleep(time.Millisecond) {
		if time.Now().After(wait) {
			t.Fatalf("%d bound threads are left after Close", len(bound(t, core))-before)
		}
	}
}

// TestOtherThreadsAreFree checks that threads that Go starts while one thread is bound are not bound, and that this
// thread is released later.
func TestOtherThreadsAreFree(t *testing.T) {
	_, core := lastCore(t)
	var c coreSet
	c.add(core)
	allowed, err := allowedCores()
	if err != nil {
		t.Fatal(err)
	}
	where, err := newBinding(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := where.enter(); err != nil {
		t.Fatal(err)
	}
	mayUse(t, "the bound thread", c)
	var others sync.WaitGroup
	for range 50 { // more than there are threads
		others.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			mayUse(t, "another goroutine", allowed)
			time.Sleep(time.Millisecond)
		})
	}
	others.Wait()
	where.leave()
	mayUse(t, "the thread that is free again", allowed)
}

func mayUse(t *testing.T, who string, want coreSet) {
	t.Helper()
	if got, err := allowedCores(); err != nil || got != want {
		t.Errorf("%s may use %v, error %v, want %v", who, got, err, want)
	}
}

func TestCoresThatThereAreNot(t *testing.T) {
	name, _ := lastCore(t)
	for _, c := range []struct {
		devices []string
		want    string
	}{
		{[]string{"cpu:0-1023"}, "this process may not use the cores"},
		{[]string{name, name + "+1023"}, "may not use the cores 1023; it has "},
		{[]string{name, "cpu"}, "share cores: cpu without a list is all of them"},
	} {
		err := Backend{}.CheckDevices(c.devices, nil)
		if !errors.Is(err, backend.ErrOption) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want %q", c.devices, err, c.want)
		}
		if c.devices[0] != name { // Open says the same
			if _, err := (Backend{}).Open(t.Context(), backend.Model{Path: "testdata/linear.onnx"},
				backend.Config{Device: c.devices[0]}); !errors.Is(err, backend.ErrOption) {
				t.Errorf("%v: Open: error %v", c.devices, err)
			}
		}
	}
	if runtime.NumCPU() < 2 {
		return
	}
	both, err := allowedCores()
	if err != nil {
		t.Fatal(err)
	}
	if err := (Backend{}).CheckDevices([]string{"cpu:" + both.String(), name}, nil); err == nil ||
		!strings.Contains(err.Error(), "each core belongs to one device") {
		t.Errorf("error %v, want one about a core of two devices", err)
	}
}
