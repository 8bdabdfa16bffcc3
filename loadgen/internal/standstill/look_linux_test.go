package standstill

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestWaitedOf(t *testing.T) {
	for text, want := range map[string]time.Duration{"813696 2306037 3\n": 2306037, "1 0 0": 0} {
		if got, ok := parseQueueTime([]byte(text)); !ok || got != want {
			t.Errorf("%q: %v, %v; want %v", text, got, ok, want)
		}
	}
}

// TestWaited compares the sum with that of the threads' files, read in the usual way, and checks that reading allocates
// no memory.
func TestWaited(t *testing.T) {
	for range 8 { // threads that wait
		go func() {
			runtime.LockOSThread()
			<-t.Context().Done()
			runtime.UnlockOSThread() // otherwise the thread would end and its time would be lost
		}()
	}
	plainly := func() (sum time.Duration) {
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			t.Fatal(err)
		}
		for _, thread := range threads {
			text, err := os.ReadFile("/proc/self/task/" + thread.Name() + "/schedstat")
			if err != nil {
				continue // it has ended
			}
			ns, err := time.ParseDuration(strings.Fields(string(text))[1] + "ns")
			if err != nil {
				t.Fatal(err)
			}
			sum += ns
		}
		return sum
	}
	before := plainly()
	got := queueWait()
	if after := plainly(); got < before || got > after {
		t.Errorf("waited %v, want from %v to %v", got, before, after)
	}
	if n := testing.AllocsPerRun(100, func() { queueWait() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestFirstEntry(t *testing.T) {
	entry := append(make([]byte, 19), "12\x00\x00\x00"...)
	entry[16] = byte(len(entry))
	name, rest := firstEntry(append(entry, "next"...))
	if string(name) != "12" || string(rest) != "next" {
		t.Errorf("%q, %q", name, rest)
	}
	for _, bad := range [][]byte{nil, entry[:18], entry[:20], make([]byte, 24)} {
		if name, rest := firstEntry(bad); name != nil || rest != nil {
			t.Errorf("%q: %q, %q", bad, name, rest)
		}
	}
}

func FuzzWaitedOf(f *testing.F) {
	for _, text := range []string{"813696 2306037 3\n", "1", "1 x", "", "1 -1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if ns, ok := parseQueueTime([]byte(text)); !ok && ns != 0 {
			t.Errorf("%q: %v of what cannot be read", text, ns)
		}
	})
}
