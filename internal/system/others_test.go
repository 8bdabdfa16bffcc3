package system

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// machineAt returns the file system of a machine with two processors after a number of ticks. Process 10 is this
// process, 11 its child, 12 its grandchild with a name that looks like fields, and 20 another program.
func machineAt(busy, idle, steal, own, child, grandchild int, waited float64) fstest.MapFS {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	stat := func(pid int, name string, parent, utime, cutime int) *fstest.MapFile {
		return file(fmt.Sprintf("%d (%s) S %d 1 1 0 -1 0 0 0 0 0 %d 0 %d 0 20 0 1 0 5 0 0\n", pid, name, parent, utime,
			cutime))
	}
	m := fstest.MapFS{
		"proc/stat": file(fmt.Sprintf("cpu  %d 0 0 %d 0 0 0 %d 0 0\ncpu0 1 0 0 1\ncpu1 1 0 0 1\nintr 5\n", busy, idle,
			steal)),
		"proc/10/stat":  stat(10, "harness", 1, own, 0),
		"proc/11/stat":  stat(11, "plugin", 10, child, 0),
		"proc/12/stat":  stat(12, "a) S 1 (b", 11, 0, grandchild), // it had children that have ended
		"proc/20/stat":  stat(20, "other", 1, 999_999, 0),
		"proc/self/x":   file(""),
		"proc/uptime":   file("1 1\n"),
		"proc/30/other": file(""),
	}
	if waited >= 0 {
		m["proc/pressure/cpu"] = file(fmt.Sprintf("some avg10=0.00 avg60=0.00 avg300=0.00 total=%.0f\nfull avg10=0 total=0\n",
			waited))
	}
	return m
}

func TestOthers(t *testing.T) {
	before := machineAt(1000, 1000, 0, 100, 50, 20, 5e6)
	for name, c := range map[string]struct {
		after                  fstest.MapFS
		share, stolen, waiting float64
	}{
		"idle":             {machineAt(1000, 3000, 0, 100, 50, 20, 5e6), 0, 0, 0},
		"ours alone":       {machineAt(2000, 2000, 0, 600, 350, 220, 6e6), 0, 0, 0.1},
		"half is others'":  {machineAt(2000, 2000, 0, 100, 50, 20, 10e6), 0.5, 0, 0.5},
		"all is others'":   {machineAt(3000, 1000, 0, 100, 50, 20, 15e6), 1, 0, 1},
		"a part of theirs": {machineAt(2000, 2000, 0, 500, 150, 120, -1), 0.2, 0, -1},
		"the host's":       {machineAt(1000, 2500, 500, 100, 50, 20, 5e6), 0, 0.25, 0},
		// the process's ticks exceed the machine's
		"ticks are coarse": {machineAt(1990, 2010, 0, 600, 350, 220, 5e6), 0, 0, 0},
	} {
		b, ok1 := ReadProcessors(before, 10)
		a, ok2 := ReadProcessors(c.after, 10)
		o, ok := a.Since(b)
		close := func(x, y float64) bool { return math.Abs(x-y) < 1e-9 }
		if !ok1 || !ok2 || !ok || !close(o.Share, c.share) || !close(o.Stolen, c.stolen) || !close(o.Waiting, c.waiting) ||
			!close(o.Seconds, 10) {
			t.Errorf("%s: %+v, want %+v", name, o, c)
		}
	}
}

// TestOthersAreUnknown checks that unreported values are unknown, and not 0.
func TestOthersAreUnknown(t *testing.T) {
	without := func(name string) fstest.MapFS {
		m := machineAt(1, 1, 1, 1, 1, 1, 1)
		delete(m, name)
		return m
	}
	with := func(name, text string) fstest.MapFS {
		m := machineAt(1, 1, 1, 1, 1, 1, 1)
		m[name] = &fstest.MapFile{Data: []byte(text)}
		return m
	}
	for name, m := range map[string]fstest.MapFS{
		"no /proc": {}, "no stat": without("proc/stat"), "no process": without("proc/10/stat"),
		"an empty stat": with("proc/stat", ""), "no total": with("proc/stat", "cpu0 1 2 3 4\n"),
		"no numbers": with("proc/stat", "cpu a b c d\ncpu0 1\n"), "no processors": with("proc/stat", "cpu 1 2 3 4\n"),
		"a cut process": with("proc/10/stat", "10 (harness) S 1"), "a wrong one": with("proc/10/stat", "10 harness"),
	} {
		if p, ok := ReadProcessors(m, 10); ok {
			t.Errorf("%s: %+v", name, p)
		}
	}
	p, ok := ReadProcessors(machineAt(1000, 1000, 0, 1, 1, 1, 1), 10)
	if !ok {
		t.Fatal("not read")
	}
	later, _ := ReadProcessors(machineAt(1050, 1040, 0, 1, 1, 1, 1), 10)
	if o, ok := later.Since(p); ok {
		t.Errorf("of too short a time: %+v", o)
	}
	if o, ok := p.Since(ProcessorTimes{}); ok {
		t.Errorf("without a beginning: %+v", o)
	}
}

// TestThisMachine reads /proc if it exists.
func TestThisMachine(t *testing.T) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil || !strings.HasPrefix(string(text), "cpu") {
		t.Skip("no /proc here")
	}
	if _, ok := ReadProcessors(os.DirFS("/"), os.Getpid()); !ok {
		t.Error("it does not tell")
	}
}
