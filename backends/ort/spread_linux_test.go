package ort

import (
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"
)

func TestSpread(t *testing.T) {
	two, err := parseCores("3+7")
	if err != nil {
		t.Fatal(err)
	}
	base := ortSettings{bind: true, interOp: 1, provider: defaultProvider, device: deviceName{cores: two}}
	with := func(change func(*ortSettings)) ortSettings {
		s := base
		change(&s)
		return s
	}
	for name, c := range map[string]struct {
		s              ortSettings
		threads, count int
		want           []int
	}{
		"a thread for each core":  {base, 2, 1, []int{3, 7}},
		"a core is left":          {base, 1, 1, nil},
		"more threads than cores": {base, 3, 1, nil},
		"two runs at a time":      {base, 2, 2, nil},
		"the user says no":        {with(func(s *ortSettings) { s.bind = false }), 2, 1, nil},
		"the user's own cores": {with(func(s *ortSettings) { s.config = map[string]string{affinitiesKey: "1"} }),
			2, 1, nil},
		"operators at the same time": {with(func(s *ortSettings) { s.interOp = 2 }), 2, 1, nil},
		"an accelerator":             {with(func(s *ortSettings) { s.provider = "cuda" }), 2, 1, nil},
	} {
		if got := c.s.spreadThreads(c.threads, c.count); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if got := affinityString([]int{3, 7}); got != "4;8" {
		t.Errorf("ONNX Runtime gets %q", got)
	}
}

// TestThreadsOfARunKeepACoreEach checks the kernel's view of the process's threads.
func TestThreadsOfARunKeepACoreEach(t *testing.T) {
	allowed, err := allowedCores()
	if err != nil {
		t.Fatal(err)
	}
	n := allowed.count()
	if n < 2 {
		t.Skipf("%d core: every thread is on it", n)
	}
	_, last := lastCore(t)
	before := len(bound(t, last))
	s := slow(t, "", strconv.Itoa(n), 1)
	// A new thread binds itself when it first runs.
	for deadline := time.Now().Add(10 * time.Minute); len(bound(t, last))-before != 1; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d threads of ONNX Runtime's are bound to core %d, want 1 of %d", len(bound(t, last))-before, last, n)
		}
	}
	where := s.(*ortSession).binding
	if where == nil || where.cores.Count() != 1 {
		t.Fatalf("the calling thread is bound by %+v, want to one core", where)
	}
	if err := where.enter(); err != nil {
		t.Fatal(err)
	}
	here, err := allowedCores()
	if where.leave(); err != nil || here.count() != 1 || here.has(last) || !allowed.has(first(here)) {
		t.Errorf("the calling thread may use %v, %v; want one core that no other thread has", here, err)
	}
	runtime.KeepAlive(s)
}

func first(c coreSet) int {
	for core := range maxCores {
		if c.has(core) {
			return core
		}
	}
	return -1
}
