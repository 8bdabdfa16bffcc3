package bench_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/power"
	"github.com/plumbline-ml/plumbline/internal/power/spl"
	"github.com/plumbline-ml/plumbline/internal/testkit/plugintest"
)

// meterFile creates a file with 100 W every hundredth of a second for five minutes from a given time.
func meterFile(t *testing.T, start time.Time) string {
	t.Helper()
	var text []byte
	for i := range 30_000 {
		at := start.Add(time.Duration(i) * 10 * time.Millisecond)
		text = spl.AppendSample(text, spl.Sample{Time: at, Watts: 100}, "x")
	}
	path := filepath.Join(t.TempDir(), "meter.txt")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// measured makes runs with a meter that last long enough for a reading.
func measured(t *testing.T, meter string, change func(*bench.Request)) record.Document {
	t.Helper()
	f := plugintest.Classifier()
	f.IssueTime = func(samples int) time.Duration { return time.Duration(min(samples, 10)) * 5 * time.Millisecond }
	r := request(t, f)
	r.Power.Meter, r.Load.Mode, r.Rules.Set = meter, bench.ModePerformance, []string{"SingleStream.min_query_count=100"}
	change(&r)
	d, err := bench.Run(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range d.Runs {
		_, err := os.Stat(filepath.Join(r.Output.Dir, run.Dir, spl.FileName))
		if timed := run.Mode != bench.ModeAccuracy; (err == nil) != timed {
			t.Errorf("%v: %s: %v", run, spl.FileName, err)
		}
	}
	return d
}

func TestRunWithPower(t *testing.T) {
	d := measured(t, "file:"+meterFile(t, time.Now().Add(-time.Minute)), func(r *bench.Request) {
		r.Load.Scenarios, r.Load.Mode, r.Power.Ranging = []string{"SingleStream", "Offline"}, bench.ModeSubmission, true
	})
	var modes, texts []string
	for _, run := range d.Runs {
		var b strings.Builder
		if err := record.WriteRow(&b, run); err != nil {
			t.Fatal(err)
		}
		modes, texts = append(modes, run.Scenario+" "+run.Mode+" "+filepath.Base(run.Dir)), append(texts, b.String())
	}
	want := []string{"SingleStream ranging ranging", "SingleStream performance run_1", "SingleStream accuracy accuracy",
		"Offline ranging ranging", "Offline performance run_1", "Offline accuracy accuracy"}
	if !slices.Equal(modes, want) {
		t.Fatalf("the runs are %q", modes)
	}
	stream, offline := d.Runs[1], d.Runs[4]
	checkPower(t, stream, "samples/J")
	checkPower(t, offline, "samples/J")
	if d.Runs[2].Power != nil || offline.Power.Energy != nil {
		t.Errorf("power of %+v, %+v", d.Runs[2].Power, offline.Power.Energy)
	}
	energy := 100 * stream.Power.End.Sub(stream.Power.Begin).Seconds() * 1000 / float64(stream.Performance.Queries)
	if got := stream.Power.Energy; got.Unit != "mJ" || math.Abs(float64(got.Value)-energy) > 1e-9*energy {
		t.Errorf("got %v, want %v mJ", got, energy)
	}
	if got, want := offline.Power.Efficiency.Value, offline.Performance.Metric.Value/100; got != want {
		t.Errorf("Offline has %v samples/J, want %v", got, want)
	}
	if !strings.Contains(texts[1], "power: 100.00 W on average, ") || !strings.Contains(texts[1], record.PowerNote) {
		t.Errorf("the text is\n%s", texts[1])
	}
}

func checkPower(t *testing.T, run record.Run, perJoule string) {
	t.Helper()
	p := run.Power
	if p == nil || p.Fault != "" || p.Average == nil || p.Average.Value != 100 || p.Efficiency.Unit != perJoule ||
		p.Samples == 0 || p.Note != record.PowerNote || !p.End.After(p.Begin) || run.ExitCode != 0 {
		t.Errorf("%v: power %+v", run, p)
	}
}

// If the power of a run could not be measured, its performance stays, but it is not the requested run.
func TestRunWhosePowerIsNotMeasured(t *testing.T) {
	d := measured(t, "file:"+meterFile(t, time.Now().Add(time.Hour)), func(r *bench.Request) {
		r.Load.Scenarios, r.Rules.Set = []string{"Offline"}, nil
	})
	run := d.Runs[0]
	if run.ExitCode != int(exitcode.Invalid) || run.Power.Fault == "" || run.Power.Average != nil ||
		!run.Performance.Valid || !strings.HasPrefix(run.Verdict, "INVALID") {
		t.Errorf("%v, power %+v", run, run.Power)
	}
	if len(run.Reasons) != 1 || run.Reasons[0].Rule != "power" || run.Reasons[0].Measured != run.Power.Fault {
		t.Errorf("the reasons are %+v", run.Reasons)
	}
}

func TestPowerFaultsOfARequest(t *testing.T) {
	file := meterFile(t, time.Now())
	for want, change := range map[string]func(*bench.Request){
		"want rapl, cmd:COMMAND or file:SPL": func(r *bench.Request) { r.Power.Meter = "watts" },
		"10ms to 10s": func(r *bench.Request) {
			r.Power.Meter, r.Power.Interval = "file:"+file,
				time.Hour
		},
		"belong to --power METER: add it": func(r *bench.Request) { r.Power.Ranging = true },
		"this plan has none": func(r *bench.Request) {
			r.Power.Meter, r.Load.Mode = "file:"+file,
				bench.ModeAccuracy
		},
	} {
		r := request(t, plugintest.Classifier())
		change(&r)
		_, err := bench.NewPlan(t.Context(), r)
		if exitcode.Of(err) != exitcode.Usage || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// A meter that does not start ends the session before the first query.
func TestPowerThatDoesNotBegin(t *testing.T) {
	r := request(t, plugintest.Classifier())
	r.Power.Meter, r.Load.Mode, r.Load.Scenarios = "cmd:exit 7", bench.ModePerformance, []string{"Offline", "SingleStream"}
	d, err := bench.Run(t.Context(), r)
	if exitcode.Of(err) != exitcode.Usage || !strings.Contains(err.Error(), "exit status 7") {
		t.Errorf("got %v", err)
	}
	if got := statuses(d); !slices.Equal(got, []record.Status{record.Failed, record.NotRun}) {
		t.Errorf("the runs are %v", got)
	}
}

// sessionLogs creates a folder in the form of the official power tools.
func sessionLogs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range power.SessionFiles() {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("of "+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestPowerLogsAreTakenAsTheyAre(t *testing.T) {
	r := request(t, plugintest.Classifier())
	r.Power.Meter, r.Load.Scenarios, r.Power.Logs = "file:"+meterFile(t, time.Now()), []string{"SingleStream"},
		sessionLogs(t)
	for _, force := range []bool{false, true} {
		r.Output.Force = force
		if _, err := bench.Run(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		for _, name := range power.SessionFiles() {
			text, err := os.ReadFile(filepath.Join(r.Output.Dir, "resnet50", "SingleStream", "performance", "power", name))
			if err != nil || string(text) != "of "+name {
				t.Errorf("%s: %q, %v", name, text, err)
			}
		}
	}
	if err := os.Remove(filepath.Join(r.Power.Logs, "client.log")); err != nil {
		t.Fatal(err)
	}
	r.Load.Scenarios, r.Load.Mode = nil, bench.ModePerformance
	_, err := bench.NewPlan(t.Context(), r)
	for _, want := range []string{"client.log", "give one --scenario"} {
		if exitcode.Of(err) != exitcode.Usage || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
