package power

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbline-ml/plumbline/internal/power/spl"
)

// samples reads the samples of a recording.
func samples(t *testing.T, text []byte) []spl.Sample {
	t.Helper()
	var all []spl.Sample
	for r := spl.NewSampleReader(strings.NewReader(string(text))); ; {
		s, err := r.Next()
		if err != nil {
			return all
		}
		all = append(all, s)
	}
}

// powercapRoot is a folder in Linux's form. A test sets its counters.
type powercapRoot struct {
	testing.TB
	dir string
}

func newPowercap(t testing.TB) powercapRoot {
	p := powercapRoot{t, t.TempDir()}
	p.domain("intel-rapl:0", "package-0", 100)
	p.domain("intel-rapl:1", "package-1", 100)
	p.domain("intel-rapl:2", "psys", 0)
	p.domain("intel-rapl:0:0", "core", 0)
	p.domain("intel-rapl-mmio:0", "package-0", 0)
	p.put("dtpm/enabled", "1")
	return p
}

// domain adds a counter with a range of one joule. Its value is in millijoules.
func (p powercapRoot) domain(folder, name string, value int) {
	p.put(folder+"/name", name+"\n")
	p.put(folder+"/max_energy_range_uj", strconv.Itoa(1000*1000)+"\n")
	p.set(folder, value)
}

func (p powercapRoot) set(folder string, millijoules int) {
	p.put(folder+"/energy_uj", strconv.Itoa(millijoules*1000)+"\n")
}

// put replaces a file in one step, so that readers never see a part of it.
func (p powercapRoot) put(name, text string) {
	p.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		p.Fatal(err)
	}
}

func (p powercapRoot) meter() *Meter {
	p.Helper()
	m, err := New("rapl:"+p.dir, 0)
	if err != nil {
		p.Fatal(err)
	}
	return m
}

func TestRAPLAddsPackagesAndKnowsThatCountersStartOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cap := newPowercap(t)
		m := cap.meter()
		if m.String() != "rapl (package-0, package-1)" {
			t.Errorf("the meter is %q", m)
		}
		time.AfterFunc(500*time.Millisecond, func() { cap.set("intel-rapl:0", 600); cap.set("intel-rapl:1", 350) })
		r, err := m.Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		cap.set("intel-rapl:0", 50) // 450 mJ: beyond the range of 1000
		cap.set("intel-rapl:1", 400)
		time.Sleep(time.Second)
		synctest.Wait()
		cap.set("intel-rapl:0", 90) // the other counter does not change
		time.Sleep(time.Second)
		synctest.Wait()
		text, err := r.Finish(t.Context(), spl.Window{Begin: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		got := samples(t, text)
		if want := []float64{0.75, 0.5, 0}; len(got) != 3 || got[0].Watts != want[0] || got[1].Watts != want[1] ||
			got[2].Watts != want[2] {
			t.Errorf("got %+v, want %v W", got, want)
		}
		if !strings.HasSuffix(got[0].Line, ",Mark,"+Mark) || !got[2].Time.Equal(time.Now()) {
			t.Errorf("the last line is %s at %v", got[0].Line, time.Now())
		}
	})
}

func TestRAPLOfAPackageThatVanishes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cap := newPowercap(t)
		r, err := cap.meter().Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Join(cap.dir, "intel-rapl:1")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		text, err := r.Finish(t.Context(), spl.Window{Begin: time.Now()})
		if err == nil || !strings.Contains(err.Error(), "package-1") || len(samples(t, text)) != 1 {
			t.Errorf("got %v, %s", err, text)
		}
	})
}

func TestRAPLThatCannotBeRead(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(p powercapRoot)
		want  string
	}{
		"none":     {func(p powercapRoot) { _ = os.RemoveAll(p.dir) }, "virtual machines"},
		"psys":     {func(p powercapRoot) { p.put("intel-rapl:0/name", "x"); p.put("intel-rapl:1/name", "y") }, "package-N"},
		"text":     {func(p powercapRoot) { p.put("intel-rapl:1/energy_uj", "many") }, "want microjoules"},
		"no range": {func(p powercapRoot) { _ = os.Remove(p.dir + "/intel-rapl:1/max_energy_range_uj") }, "energy_range"},
		"folder": {func(p powercapRoot) {
			_ = os.Remove(p.dir + "/intel-rapl:1/energy_uj")
			_ = os.Mkdir(p.dir+"/intel-rapl:1/energy_uj", 0o755)
		}, "energy_uj"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPowercap(t)
			c.spoil(p)
			if m, err := New("rapl:"+p.dir, 0); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, %v, want an error with %q", m, err, c.want)
			}
		})
	}
}

func TestRAPLWithoutPermissionSaysWhatToDo(t *testing.T) {
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("root may read everything")
	}
	p := newPowercap(t)
	if err := os.Chmod(filepath.Join(p.dir, "intel-rapl:0", "energy_uj"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := New("rapl:"+p.dir, 0); err == nil || !strings.Contains(err.Error(), "chmod a+r") {
		t.Errorf("got %v", err)
	}
}

func TestNewNamesWhatItWants(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.txt")
	for description, want := range map[string]string{
		"":                    "want rapl, cmd:COMMAND or file:SPL",
		"cmd:":                "want rapl",
		"rapl:":               "want rapl",
		"ipmi":                "want rapl",
		"file:" + missing:     "no such file",
		"file:" + t.TempDir(): "want the file",
	} {
		if runtime.GOOS == "windows" && want == "no such file" {
			continue
		}
		if _, err := New(description, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", description, err, want)
		}
	}
	for _, interval := range []time.Duration{-1, time.Millisecond, time.Minute} {
		if _, err := New("cmd:true", interval); err == nil || !strings.Contains(err.Error(), "10ms to 10s") {
			t.Errorf("%v: got %v", interval, err)
		}
	}
}

// file returns a meter of an spl.txt with a reading for each of seconds, and one unreadable line.
func fileMeter(t *testing.T, start time.Time, seconds int) *Meter {
	t.Helper()
	text := []byte("a header\nTime,when,Watts,1\n")
	for i := range seconds {
		text = spl.AppendSample(text, spl.Sample{Time: start.Add(time.Duration(i) * time.Second), Watts: float64(i)}, "x")
	}
	path := filepath.Join(t.TempDir(), "ptd.txt")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := New("file:"+path, 0)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestFileGivesTheLinesAroundTheRun(t *testing.T) {
	start := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	m := fileMeter(t, start, 600)
	r, err := m.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w := spl.Window{Begin: start.Add(200 * time.Second), End: start.Add(300 * time.Second)}
	text, err := r.Finish(t.Context(), w)
	if got := samples(t, text); err != nil || len(got) != 0 { // the unreadable line comes first
		t.Errorf("got %v, %v", got, err)
	}
	a, err := w.Average(strings.NewReader(string(text)))
	if err != nil || a.Samples != 99 || a.Watts != 250 || strings.Count(string(text), "\n") != 1+219 {
		t.Errorf("got %+v, %v of %d lines", a, err, strings.Count(string(text), "\n"))
	}
	if faults := m.Judge(a); len(faults) != 1 || !strings.Contains(faults[0], "line 1") {
		t.Errorf("faults %q", faults)
	}
}

func TestFileThatDoesNotCoverTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
		for name, c := range map[string]struct {
			seconds int
			want    string
		}{"ends before": {60, "ends at 2026-11-22 08:00:59"}, "has none": {0, "has no readings"}} {
			m := fileMeter(t, start, c.seconds)
			r, err := m.Start(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			w := spl.Window{Begin: start.Add(20 * time.Second), End: start.Add(80 * time.Second)}
			text, err := r.Finish(t.Context(), w)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v", name, err)
			}
			a, _ := w.Average(strings.NewReader(string(text)))
			if faults := strings.Join(m.Judge(a), "\n"); !strings.Contains(faults, "no reading above zero for") {
				t.Errorf("%s: got %q", name, faults)
			}
		}
	})
}

// A run that did not finish has no window.
func TestFileOfARunWithoutAnEnd(t *testing.T) {
	m := fileMeter(t, time.Now().UTC().Add(-time.Hour), 3600+30)
	r, err := m.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text, err := r.Finish(t.Context(), spl.Window{})
	if n := strings.Count(string(text), "\n"); err != nil || n < 25 || n > 32 {
		t.Errorf("%v, %d lines", err, n)
	}
}

// TestTheMachinesClockIsSet checks that readings follow one another even if the machine's clock is set in between.
func TestTheMachinesClockIsSet(t *testing.T) {
	began := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	for name, step := range map[string]time.Duration{"back": -time.Hour, "forward": time.Hour} {
		t.Run(name, func(t *testing.T) {
			m, err := New("cmd:printf '1\\n2\\n3\\n'; exec sleep 600", 0)
			if err != nil {
				t.Skip("no shell: ", err)
			}
			var asked, given time.Duration
			third := make(chan struct{})
			m.wall = func() time.Time { asked++; return began.Add((asked - 1) * step) }
			m.since = func(time.Time) time.Duration {
				m.wall() // a different time for each reading
				if given++; given == 3 {
					close(third)
				}
				return given * time.Second
			}
			r, err := m.Start(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			<-third
			text, err := r.Finish(t.Context(), spl.Window{})
			if err != nil {
				t.Fatal(err)
			}
			for i, s := range samples(t, text) {
				if want := began.Add(time.Duration(i+1) * time.Second); !s.Time.Equal(want) || s.Watts != float64(i+1) {
					t.Errorf("reading %d is %v W at %v, want %v", i+1, s.Watts, s.Time, want)
				}
			}
		})
	}
}

func TestJudge(t *testing.T) {
	m := &Meter{source: meterCommand{"x"}, interval: time.Second}
	for want, a := range map[string]spl.Average{
		"all 3 readings are zero or less": {ZeroSamples: 3},
		"for 10.001s of the run":          {Samples: 1, Gap: 10001 * time.Millisecond},
	} {
		if got := m.Judge(a); len(got) != 1 || !strings.Contains(got[0], want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := m.Judge(spl.Average{Samples: 1, Gap: 10 * time.Second}); len(got) != 0 {
		t.Errorf("got %q", got)
	}
	if slow := (&Meter{interval: MaxInterval}).MaxGap(); slow != 100*time.Second {
		t.Errorf("with the longest interval the gap may be %v", slow)
	}
}

func ExampleMeter() {
	m, err := New("cmd:echo 42.5", 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m, m.Interval())
	// Output: cmd echo 42.5 1s
}

// BenchmarkReading measures the harness's cost of one reading of two packages, which it makes once per interval.
func BenchmarkReading(b *testing.B) {
	r := newPowercap(b).meter().source.(*raplSource)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.readAll(); err != nil {
			b.Fatal(err)
		}
	}
}
