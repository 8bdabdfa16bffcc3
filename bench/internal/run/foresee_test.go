package run

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/plan"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/settings"
)

const ms = time.Millisecond

// smoke returns a run with the model's smoke settings: Server at 50 queries/s with the rules' limit of 15 ms.
func smoke(t *testing.T, scenario loadgen.Scenario, rules string) plan.Run {
	t.Helper()
	s, err := settings.Load(settings.Request{
		Model: sdk.ModelInfo{Name: "resnet50", LoadGenKey: "resnet50", Smoke: []sdk.SmokeSetting{
			{Scenario: loadgen.Server, Key: "min_duration", Value: "2000"},
			{Scenario: loadgen.Server, Key: "target_qps", Value: "50"},
		}},
		Scenario: scenario, Mode: loadgen.PerformanceOnly, Profile: settings.Smoke, Rules: rules,
	})
	if err != nil {
		t.Fatal(err)
	}
	return plan.Run{Model: "resnet50", Scenario: scenario, Mode: loadgen.PerformanceOnly, Settings: s}
}

// streamed returns the record of a SingleStream run with the given latencies.
func streamed(mean, p99 time.Duration) record.Run {
	return record.Run{
		Model: "resnet50", Scenario: "SingleStream", Mode: plan.ModePerformance, Status: record.Complete,
		Performance: &record.Performance{Latency: record.Latency{
			Mean: int64(mean), Max: int64(time.Hour),
			Percentiles: []record.Percentile{
				{P: 0.5, NS: int64(mean)}, {P: 0.99, NS: int64(p99)}, {P: 0.999, NS: int64(time.Hour)},
			},
		}},
	}
}

// foreseen returns the note that a session with the given records adds to a run.
func foreseen(t *testing.T, p *plan.Plan, run *plan.Run, have ...record.Run) (note string) {
	t.Helper()
	s := &planSession{plan: p, runner: &runner{}, records: have}
	s.watch = plan.Watch{Note: func(text string) { note += text }}.Complete()
	if err := s.predictRun(run); err != nil {
		t.Fatal(err)
	}
	return note
}

func TestServerTakesItsRateFromSingleStream(t *testing.T) {
	p := &plan.Plan{Profile: settings.Smoke}
	run := smoke(t, loadgen.Server, "v6.1")
	note := foreseen(t, p, &run, streamed(7*ms, 8*ms))
	if run.Settings.ServerTargetQPS != 11.9 || len(run.Outlook) != 1 || run.Outlook[0].About != "rate" ||
		note != run.Outlook[0].Text+"\n" {
		t.Errorf("target_qps %v, %q, %q", run.Settings.ServerTargetQPS, run.Outlook, note)
	}
	rec := (&runner{}).newRecord(p, run)
	at := slices.IndexFunc(rec.Settings, func(s record.Setting) bool { return s.Key == "target_qps" })
	if at < 0 || rec.Settings[at].Value != "11.9" ||
		!strings.HasPrefix(rec.Settings[at].Origin, "SingleStream of the same command: 8 % of the 143 samples/s") {
		t.Errorf("result.json has %+v", rec.Settings)
	}
	if !slices.Contains(rec.Notes, run.Outlook[0]) {
		t.Errorf("notes %v", rec.Notes)
	}
	alone := smoke(t, loadgen.Server, "v6.1")
	if !sameSettings(rec.Settings, (&runner{}).newRecord(p, alone).Settings) {
		t.Error("a finished run is made again, for the rate that was measured")
	}
}

// TestWhatSingleStreamLeavesAlone checks that other runs keep their settings and get no note.
func TestWhatSingleStreamLeavesAlone(t *testing.T) {
	slow := streamed(7*ms, 8*ms)
	otherModel, accuracy, failed, audited := slow, slow, slow, slow
	otherModel.Model, accuracy.Mode, failed.Status, audited.Test = "mobilenet", plan.ModeAccuracy, record.Failed, "TEST01"
	server := loadgen.Server
	for name, c := range map[string]struct {
		scenario loadgen.Scenario
		have     record.Run
		change   func(*plan.Plan, *plan.Run)
	}{
		"nothing before":  {server, record.Run{}, nil},
		"another model":   {server, otherModel, nil},
		"an accuracy run": {server, accuracy, nil},
		"one that failed": {server, failed, nil},
		"an audit's run":  {server, audited, nil},
		"no limit":        {loadgen.MultiStream, slow, nil},
		"Offline":         {loadgen.Offline, slow, nil},
		"official":        {server, slow, func(p *plan.Plan, _ *plan.Run) { p.Profile = settings.Official }},
		"user.conf":       {server, slow, func(_ *plan.Plan, r *plan.Run) { r.Settings.Profile = settings.Custom }},
		"an audit":        {server, slow, func(p *plan.Plan, _ *plan.Run) { p.Audit = "audit.config" }},
		"for a test":      {server, slow, func(_ *plan.Plan, r *plan.Run) { r.Test = "TEST01" }},
		"its accuracy":    {server, slow, func(_ *plan.Plan, r *plan.Run) { r.Mode = loadgen.AccuracyOnly }},
		"the peak":        {server, slow, func(_ *plan.Plan, r *plan.Run) { r.Mode = loadgen.FindPeakPerformance }},
		"a tuned rate":    {server, slow, func(_ *plan.Plan, r *plan.Run) { r.TunedRate = true }},
		"a closed loop":   {server, slow, func(_ *plan.Plan, r *plan.Run) { r.Users = 1 }},
		"quick enough":    {server, streamed(ms, 2*ms), nil},
	} {
		p, run := &plan.Plan{Profile: settings.Smoke}, smoke(t, c.scenario, "v6.1")
		if c.change != nil {
			c.change(p, &run)
		}
		before := run.Settings.TestSettings
		if note := foreseen(t, p, &run, c.have); note != "" || run.Settings.TestSettings != before {
			t.Errorf("%s: %q, target_qps %v", name, note, run.Settings.ServerTargetQPS)
		}
	}
}

// TestLimitBeyondReachIsSaid checks the note on limits that SingleStream's latencies exceed, including those of
// MultiStream at an interval.
func TestLimitBeyondReachIsSaid(t *testing.T) {
	for _, c := range []struct {
		scenario loadgen.Scenario
		rules    string
		p99      time.Duration
		says     string
	}{
		{loadgen.Server, "v6.1", 16 * ms, "Server can hardly be VALID on this machine: its limit for an answer is 15 ms, " +
			"and 99 % of SingleStream's samples took up to 16 ms, one sample at a time.\n"},
		{loadgen.Server, "v6.1", 15 * ms, "Server is asked at "},
		{loadgen.MultiStream, "v1.0", 51 * ms, "MultiStream can hardly be VALID on this machine: its limit for an"},
		{loadgen.MultiStream, "v1.0", 50 * ms, ""},
	} {
		run := smoke(t, c.scenario, c.rules)
		note := foreseen(t, &plan.Plan{Profile: settings.Smoke}, &run, streamed(5*ms, c.p99))
		if !strings.HasPrefix(note, c.says) || (c.says == "") != (note == "") {
			t.Errorf("%v of %s at %v: %q, want %q", c.scenario, c.rules, c.p99, note, c.says)
		}
	}
}

// model answers each sample after a given time, and samples of a list before others.
type model struct {
	takes  []time.Duration // of the requested samples; the last one also applies to later samples
	fails  error
	warm   int
	asked  []loadgen.SampleIndex
	silent bool
}

func (m *model) Name() string                       { return "a model" }
func (m *model) WarmUp(context.Context) error       { m.warm++; return nil }
func (m *model) FlushQueries(context.Context) error { return nil }

func (m *model) IssueQuery(_ context.Context, q loadgen.Query, r loadgen.Responder) error {
	takes := m.takes[min(len(m.asked), len(m.takes)-1)]
	m.asked = append(m.asked, q.Samples[0].Index)
	id := q.Samples[0].ID
	if !m.silent {
		go func() {
			time.Sleep(takes)
			r.QuerySamplesComplete([]loadgen.QuerySampleResponse{{ID: id}})
			r.QuerySamplesComplete([]loadgen.QuerySampleResponse{{ID: id}}) // a violation that the run detects
		}()
	}
	return m.fails
}

// library contains samples 5 to 9.
type library struct{ loadgen.QSL }

func (library) LoadSamplesToRAM(context.Context, []loadgen.SampleIndex) error { return nil }

// probing returns a probe of a model, with its samples loaded, and the text that it reports.
func probing(t *testing.T, m *model, said *string) *sampleProbe {
	q := &sampleProbe{SUT: m, beyond: smoke(t, loadgen.Server, "v6.1").Settings.Beyond,
		report: func(text string) { *said += text }}
	err := probedQSL{library{}, q}.LoadSamplesToRAM(t.Context(), []loadgen.SampleIndex{5, 6, 7, 8, 9})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestProbeSaysWhatNoRateKeeps(t *testing.T) {
	for name, c := range map[string]struct {
		takes []time.Duration
		asked int
		says  string
	}{
		"in time":           {[]time.Duration{15 * ms}, 1, ""},
		"a slow first one":  {[]time.Duration{time.Second, 14 * ms}, 2, ""},
		"slow at first":     {[]time.Duration{time.Second, 20 * ms, 30 * ms, 14 * ms}, 4, ""},
		"slow":              {[]time.Duration{20 * ms}, 4, "the quickest of 4 samples before it took 20 ms, one sample at"},
		"the quickest says": {[]time.Duration{90 * ms, 18 * ms, 50 * ms}, 4, "took 18 ms"},
	} {
		synctest.Test(t, func(t *testing.T) {
			said, m := "", &model{takes: c.takes}
			q := probing(t, m, &said)
			for range 2 { // a test may load and warm up several times
				if err := q.WarmUp(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if len(m.asked) != c.asked || m.asked[0] != 5 || m.warm != 2 ||
				(said == "") != (c.says == "") || !strings.Contains(said, c.says) {
				t.Errorf("%s: asked for %v, warmed up %d times, said %q", name, m.asked, m.warm, said)
			}
		})
	}
}

func TestProbeEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		said, m := "", &model{takes: []time.Duration{0}, silent: true}
		q := probing(t, m, &said)
		died := errors.New("the plugin died")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Minute, func() { cancel(died) })
		if err := q.WarmUp(ctx); !errors.Is(err, died) || said != "" {
			t.Errorf("%v, %q", err, said)
		}
		broken := errors.New("the stream is broken")
		m = &model{takes: []time.Duration{0}, fails: broken}
		if err := probing(t, m, &said).WarmUp(t.Context()); !errors.Is(err, broken) || said != "" {
			t.Errorf("%v, %q", err, said)
		}
	})
}
