package plan

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench/tune"
)

// profiled returns the plan of a request with a profile that was measured with the request's own limits.
func profiled(t *testing.T, r Request, change func(*tune.Profile)) *Plan {
	t.Helper()
	p := planned(t, r)
	f := &tune.Profile{
		Offline: &tune.Offline{Setting: tune.Setting{Batch: 16, Sessions: 2, Threads: 1}, SamplesPerSecond: 1e9},
		Server:  &tune.Server{Setting: tune.Setting{Batch: 4}, TargetQPS: 800.5},
	}
	for _, run := range planned(t, Request{}).Runs {
		if run.Scenario == loadgen.Server {
			f.Server.Limits, f.Server.MinDurationMS = tune.LimitsOf(run.Settings.TestSettings),
				run.Settings.MinDuration.Milliseconds()
		}
	}
	if change != nil {
		change(f)
	}
	if err := p.applyProfile("x.json", f, true); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestTuneUncertain checks that an uncertain setting is not used although its rate determines the size of Offline's
// query, because a run on a fast machine would otherwise end before min_duration.
func TestTuneUncertain(t *testing.T) {
	p := planned(t, Request{Load: Load{Scenarios: []string{"Offline"}, Mode: ModePerformance}})
	f := &tune.Profile{Offline: &tune.Offline{Setting: tune.Setting{Batch: 16}, SamplesPerSecond: 1e9}}
	if err := p.applyProfile("x.json", f, false); err != nil {
		t.Fatal(err)
	}
	if r := p.Runs[0]; r.Tuned != nil || r.Settings.OfflineExpectedQPS != 1.2e9 || p.OptionsOf(r).Batch != 0 {
		t.Errorf("%+v, %v", r.Tuned, r.Settings.OfflineExpectedQPS)
	}
}

func TestTune(t *testing.T) {
	p := profiled(t, Request{}, nil)
	for _, r := range p.Runs {
		o := p.OptionsOf(r)
		switch r.Scenario {
		case loadgen.Offline:
			if r.Settings.OfflineExpectedQPS != 1.2e9 || o.Batch != 16 || o.Sessions != 2 ||
				o.BackendOptions["threads"] != "1" || !r.TunedRate {
				t.Errorf("%v: %v, %+v", r.Scenario, r.Settings.OfflineExpectedQPS, o)
			}
		case loadgen.Server:
			if r.Settings.ServerTargetQPS != 800.5 || o.Batch != 4 || o.Sessions != 0 || !r.TunedRate {
				t.Errorf("%v: %v, %+v", r.Scenario, r.Settings.ServerTargetQPS, o)
			}
		default:
			if r.Tuned != nil || r.TunedRate || o.Batch != 0 {
				t.Errorf("%v is tuned: %+v", r.Scenario, o)
			}
		}
		if o.Scenario != r.Scenario {
			t.Errorf("options of %v are for %v", r.Scenario, o.Scenario)
		}
	}
	want := "Server batch 4, target_qps 800.50; Offline batch 16, 2 sessions, 1 thread, target_qps 1200000000 (x.json)"
	if got := p.TuningText(); got != want || p.Tuning.File != "x.json" {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTuneInPart(t *testing.T) {
	cases := []struct {
		name    string
		request Request
		change  func(*tune.Profile)
		qps     float64
		text    string
	}{
		{"another setting", Request{Model: Model{Batch: 3}}, nil, 0, "Server batch 3 (x.json)"},
		{"another limit", Request{}, func(f *tune.Profile) { f.Server.Limits.LatencyNS++ }, 0,
			"Server batch 4; target_qps 800.50 is not used: it was found for"},
		{"a longer run", Request{Rules: Rules{Official: true, Set: []string{"Server.target_latency=60000"}}}, nil, 0,
			"and this one takes 10 min"},
		{"a shorter run", Request{}, func(f *tune.Profile) { f.Server.MinDurationMS *= 2 }, 800.5,
			"target_qps 800.50 (x.json)"},
		{"the user's rate", Request{Rules: Rules{Set: []string{"Server.target_qps=7"}}}, nil, 7, "target_qps 7.0000"},
	}
	for _, c := range cases {
		c.request.Load.Scenarios, c.request.Load.Mode = []string{"Server"}, ModePerformance
		p := profiled(t, c.request, c.change)
		if text := p.TuningText(); !strings.Contains(text, c.text) {
			t.Errorf("%s: %q, want %q", c.name, text, c.text)
		}
		if qps := p.Runs[0].Settings.ServerTargetQPS; (qps == 800.5) != (c.qps == 800.5) || c.qps == 7 && qps != 7 {
			t.Errorf("%s: target_qps %v, want %v", c.name, qps, c.qps)
		}
	}
}

// TestTuneStreams checks that streams expect a lower latency if Offline was faster than the expected latency implies,
// so that LoadGen generates enough queries for min_duration. A user's value and the value of a slow model stay.
func TestTuneStreams(t *testing.T) {
	for _, c := range []struct {
		name             string
		samplesPerSecond float64
		set              []string
		single, multi    time.Duration
		text             string
	}{
		{
			"quick", 2000, nil, 500 * time.Microsecond, 4 * time.Millisecond,
			"SingleStream target_latency 0.5 ms; MultiStream target_latency 4 ms (x.json)",
		},
		{"quicker than any", 1e9, nil, minExpected, minExpected, "SingleStream target_latency 0.1 ms"},
		{"slow", 199, nil, 10 * time.Millisecond, 80 * time.Millisecond, ""},
		{
			"the user's", 2000, []string{"SingleStream.target_latency=3"}, 3 * time.Millisecond, 4 * time.Millisecond,
			"MultiStream target_latency 4 ms (x.json)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := planned(t, Request{
				Load:  Load{Scenarios: []string{"SingleStream", "MultiStream", "Server"}, Mode: ModePerformance},
				Rules: Rules{Official: true, Set: c.set},
			})
			f := &tune.Profile{Offline: &tune.Offline{SamplesPerSecond: c.samplesPerSecond}}
			if err := p.applyProfile("x.json", f, false); err != nil {
				t.Fatal(err)
			}
			if got := expectedLatency(&p.Runs[0]); got != c.single {
				t.Errorf("SingleStream expects %v, want %v", got, c.single)
			}
			if got := expectedLatency(&p.Runs[1]); got != c.multi {
				t.Errorf("MultiStream expects %v, want %v", got, c.multi)
			}
			if text := p.TuningText(); !strings.HasPrefix(text, c.text) || (text == "") != (c.text == "") {
				t.Errorf("%q, want %q", text, c.text)
			}
		})
	}
}

func TestTuneOfNoRun(t *testing.T) {
	p := profiled(t, Request{Load: Load{Scenarios: []string{"SingleStream"}, Mode: ModePerformance}}, nil)
	if p.Tuning.File != "" || p.TuningText() != "" {
		t.Errorf("tuning %q of %q", p.TuningText(), p.Tuning.File)
	}
	p = profiled(t, Request{Load: Load{Mode: ModePerformance}}, func(f *tune.Profile) {
		f.Server, f.Offline.SamplesPerSecond = nil, 0.5
	})
	if text := p.TuningText(); strings.Contains(text, "Server") ||
		text != "Offline batch 16, 2 sessions, 1 thread (x.json)" {
		t.Errorf("tuning %q without a rate of Server and with a low one of Offline", text)
	}
}

func TestKey(t *testing.T) {
	own := filepath.Join(t.TempDir(), "own.onnx")
	if err := os.WriteFile(own, []byte("model"), 0o644); err != nil {
		t.Fatal(err)
	}
	plain := planned(t, Request{}).profileKey()
	same := []Request{{Model: Model{Precision: "fp32"}}, {Model: Model{Backend: "ort"}}, {Model: Model{Threads: 3}},
		{Model: Model{Batch: 2, Sessions: 3}},
		{Model: Model{Files: []string{"embedded-fp32"}}}, {Data: Data{Count: 7}}, {Rules: Rules{Official: true}}}
	for _, r := range same {
		if k := planned(t, r).profileKey(); !plain.Same(k) {
			t.Errorf("%+v: %+v, want that of a plain run, %+v", r, k, plain)
		}
	}
	others := []Request{
		{Model: Model{Precision: "int8"}}, {Model: Model{Files: []string{own}}},
		{Model: Model{BackendOptions: []string{"provider=cuda"}}},
		{Model: Model{Params: []string{"dtype=int64"}}}, {Model: Model{Devices: []string{"cpu:0"}}},
		{Data: Data{Path: t.TempDir()}},
	}
	var keys []tune.Key
	for _, r := range others {
		k := planned(t, r).profileKey()
		if plain.Same(k) || slices.ContainsFunc(keys, k.Same) {
			t.Errorf("%+v: %+v is that of other runs", r, k)
		}
		keys = append(keys, k)
	}
	if keys[1].ModelSize != 5 || !reflect.DeepEqual(keys[4].Devices, []string{"cpu:0"}) {
		t.Errorf("%+v", keys)
	}
}
