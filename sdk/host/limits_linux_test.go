package host

import (
	"os"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	const line = "42 (a) (b) S 1 7 7 0 -1 4194304 100 0 0 0 30 20 5 5 20 0 9 0 100 1000 12 18446744073709551615 1 1 0 0\n"
	s, ok := parseStat([]byte(line))
	if want := (procStat{'S', 7, 600 * time.Millisecond, 12}); !ok || s != want {
		t.Errorf("%+v, %v, want %+v", s, ok, want)
	}
	for _, bad := range []string{"", "1 (x", "1 (x) S 1 2", "1 (x) S 1 y 7 0 -1 4194304 100 0 0 0 30 20 5 5 20 0 9 0 " +
		"100 1000 12 1"} {
		if s, ok := parseStat([]byte(bad)); ok {
			t.Errorf("%q: %+v", bad, s)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	own, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		f.Skip(err)
	}
	f.Add(own)
	f.Add([]byte("1 (x) S"))
	f.Fuzz(func(_ *testing.T, text []byte) { _, _ = parseStat(text) })
}

func TestMeterReadsThisProcess(t *testing.T) {
	text, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		t.Fatal(err)
	}
	own, ok := parseStat(text)
	if !ok {
		t.Fatalf("%s cannot be read", text)
	}
	m := usageMeter{group: own.group}
	for range 2 * checksPerListing {
		if u := m.readUsage(); u.processes < 1 || u.memory < 1<<20 {
			t.Errorf("%+v, want this process at least", u)
		}
	}
}

func BenchmarkMeter(b *testing.B) {
	b.ReportAllocs()
	m := usageMeter{group: os.Getpid()}
	for b.Loop() {
		m.readUsage()
	}
}
