package spl

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// tenMinutes is a file around a run from 08:46 to 08:56. Samples at and outside its ends have 999 W.
const tenMinutes = `Time,11-22-2026 08:45:59.000,Watts,999.0,Volts,230.0,Amps,1.0,PF,1.0,Mark,run_1
Time,11-22-2026 08:46:00.000,Watts,999.0,Volts,230.0,Amps,1.0,PF,1.0,Mark,run_1
Time,11-22-2026 08:47:00.000,Watts,100.0,Volts,230.0,Amps,1.0,PF,1.0,Mark,run_1
a remark
Time,11-22-2026 08:50:00.000,Watts,110.0,Volts,230.0,Amps,1.0,PF,1.0,Mark,run_1
Time,11-22-2026 08:51:00.000,Watts,-1.0,Volts,230.0,Amps,1.0,PF,1.0,Mark,run_1
Time,11-22-2026 08:52:00.000,Watts,0.0,Volts,230.0,Amps,1.0,PF,1.0,Mark,run_1
Time,11-22-2026 08:55:59.999,Watts,120.0,Volts,230.0,Amps,1.0,PF,1.0,Mark,run_1
Time,11-22-2026 08:56:00.000,Watts,999.0,Volts,230.0,Amps,1.0,PF,1.0,Mark,run_1
`

func window(t *testing.T) Window {
	t.Helper()
	w, err := ParseWindow("11-22-2026 08:46:00.000", "11-22-2026 08:56:00.000")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func average(t *testing.T, text string) Average {
	t.Helper()
	a, err := window(t).Average(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAverageCountsWhatIsStrictlyWithinAndAboveZero(t *testing.T) {
	a := average(t, tenMinutes)
	if a.Watts != 110 || a.Samples != 3 || a.ZeroSamples != 2 || len(a.Faults) != 0 {
		t.Errorf("got %+v", a)
	}
	if want := 5*time.Minute + 59*time.Second + 999*time.Millisecond; a.Gap != want {
		t.Errorf("the longest gap is %v, want %v", a.Gap, want)
	}
	if got := average(t, "").Gap; got != 10*time.Minute {
		t.Errorf("the gap of no samples is %v", got)
	}
}

func TestAverageNamesBadLines(t *testing.T) {
	bad := []string{
		"Time,11-22-2026 08:47:00.000,Watts,much,Volts,1,Amps,1,PF,1,Mark,x",
		"Time,11-22-2026 09:47:00.000,Watts,much,Volts,1,Amps,1,PF,1,Mark,x", // outside the window
		"Time,11-22-2026 09:47:00.000",                                       // the line end belongs to the time
		"Time,22-11-2026 08:47:00.000,Watts,1",
		"Time,11-22-2026 08:47:00,Watts,1",
		"Time,11-22-2026 08:47:00.1234567,Watts,1",
		"Timely",
		"Time,11-22-2026 08:47:00.0,Watts",
		"Time,2-30-2026 08:47:00.0,Watts,1",
	}
	a := average(t, strings.Join(bad, "\n"))
	var at []int
	for _, f := range a.Faults {
		if at = append(at, f.Line); !errors.Is(f, mllog.ErrFormat) {
			t.Errorf("%v", f)
		}
	}
	if !slices.Equal(at, []int{1, 3, 4, 5, 6, 7, 8, 9}) || a.Samples != 0 {
		t.Fatalf("got faults in the lines %v, %d samples", at, a.Samples)
	}
	if n := len(average(t, strings.Repeat("Time\n", 1000)).Faults); n != maxFaults {
		t.Errorf("%d faults are kept", n)
	}
	if _, err := window(t).Average(strings.NewReader(strings.Repeat("x", maxLine+1))); !errors.Is(err, mllog.ErrFormat) {
		t.Errorf("a line without an end gives %v", err)
	}
}

func TestMetric(t *testing.T) {
	a := average(t, tenMinutes)
	for name, c := range map[string]struct {
		run  MeasuredRun
		want PowerResult
	}{
		"offline":     {MeasuredRun{"Offline", "Offline", 1, 440}, PowerResult{110, Watts, 4}},
		"interactive": {MeasuredRun{"interactive", "Server", 9, 440}, PowerResult{110, Watts, 4}},
		"single":      {MeasuredRun{"SingleStream", "SingleStream", 8250, 0}, PowerResult{8000, Millijoules, 0.125}},
		"multi":       {MeasuredRun{"MultiStream", "MultiStream", 8250, 0}, PowerResult{8000, Millijoules, 1}},
		"inferred":    {MeasuredRun{"multistream", "SingleStream", 8250, 0}, PowerResult{64000, Millijoules, 0.125}},
	} {
		if got, err := a.Metric(c.run); err != nil || got != c.want {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, c.want)
		}
	}
	for name, c := range map[string]struct {
		of  Average
		run MeasuredRun
	}{
		"no samples": {average(t, ""), MeasuredRun{"Offline", "Offline", 1, 440}},
		"no queries": {a, MeasuredRun{"SingleStream", "SingleStream", 0, 0}},
		"scenario":   {a, MeasuredRun{"Online", "Offline", 1, 440}},
		"no time":    {Average{Watts: 1, Samples: 1}, MeasuredRun{"SingleStream", "SingleStream", 1, 0}},
	} {
		if got, err := c.of.Metric(c.run); err == nil {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func TestWindowNamesTheKey(t *testing.T) {
	_, err := ParseWindow("", "11-22-2026")
	if err == nil || !strings.Contains(err.Error(), "power_begin") || !strings.Contains(err.Error(), "power_end") {
		t.Errorf("got %v", err)
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	want := Sample{Time: time.Date(2026, 11, 22, 8, 46, 1, 250_000_000, time.UTC), Watts: 55.25}
	text := AppendSample(nil, want, "run")
	got, err := NewSampleReader(strings.NewReader(string(text))).Next()
	if err != nil || !got.Time.Equal(want.Time) || got.Watts != want.Watts {
		t.Errorf("%s is read as %+v, %v", text, got, err)
	}
}

// FuzzReader reads any text, writes the samples, and reads them again.
func FuzzReader(f *testing.F) {
	f.Add(tenMinutes)
	f.Add("Time,1-2-2026 3:4:5.6,Watts,nan,,,,,PF,inf\r\nTime")
	f.Fuzz(func(t *testing.T, text string) {
		samples := read(text)
		var again []byte
		for _, s := range samples {
			again = AppendSample(again, s, "x")
		}
		same := func(a, b Sample) bool { return a.Time.Truncate(time.Millisecond).Equal(b.Time) }
		if back := read(string(again)); !slices.EqualFunc(samples, back, same) {
			t.Errorf("%q: %d samples, then %d", text, len(samples), len(back))
		}
	})
}

func read(text string) []Sample {
	var all []Sample
	r := NewSampleReader(strings.NewReader(text))
	for {
		s, err := r.Next()
		if errors.Is(err, io.EOF) || err != nil && !errors.Is(err, mllog.ErrFormat) {
			return all
		}
		if _, bad := errors.AsType[*mllog.LineError](err); err != nil && !bad {
			return all
		}
		if err == nil {
			all = append(all, s)
		}
	}
}
