package page

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/bench/tune"
)

// profile is one whose texts are as hostile as they may be.
func profile(requests bool) Tuned {
	p := tune.Profile{
		For: tune.Key{Model: "m" + evil, Precision: "FP32", Backend: "ort"}, Machine: tune.Machine{CPU: evil, Cores: 2},
		Measured: time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC),
		Offline: &tune.Offline{SamplesPerSecond: 120, Points: []tune.Point{
			{Setting: tune.Setting{}, SamplesPerSecond: 80, Tests: 3, Final: true},
			{Setting: tune.Setting{Batch: 64}, Fault: "no room: " + evil},
		}},
		Server: &tune.Server{Setting: tune.Setting{Batch: 4}, TargetQPS: 60,
			Limits: tune.Limits{Percentile: .99, LatencyNS: 15e6}, Trials: []tune.Trial{
				{Setting: tune.Setting{Batch: 4}, TargetQPS: 50, Valid: true, LatencyMS: 9},
				{Setting: tune.Setting{Batch: 4}, TargetQPS: 70, Reason: evil, LatencyMS: 30},
				{Setting: tune.Setting{Batch: 1}, TargetQPS: 40, Reason: "it ended before an answer"},
			}},
	}
	for i, n := range []int{1, 4, 16} {
		s := tune.Setting{Batch: n, Sessions: 2, Threads: 1}
		if requests {
			s = tune.Setting{Requests: n}
		}
		p.Offline.Points = append(p.Offline.Points, tune.Point{
			Setting: s, SamplesPerSecond: float64(100 + 10*i), Tests: 2, Final: i == 2, Spread: .02,
		})
	}
	return Tuned{"profile.json", p}
}

// TestTuned: a profile has its searches as curves, with every setting and rate that was tried, on the page, as text and
// as plots of their own.
func TestTuned(t *testing.T) {
	r := Report{Tuned: []Tuned{profile(false), profile(true)}, Version: "1"}
	var page, text bytes.Buffer
	if err := r.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`id="profile-1-settings"`, `id="profile-1-search"`, `id="profile-2-settings"`, "2 profiles of harness tune",
		"3 settings reach 100 to 120 samples/s; the fastest: batch 16, 2 sessions, 1 thread", "samples in a batch",
		"requests in flight", "1 of 2 trials meet the limit", "limit 15.0 ms", "without a setting 80", "not certain",
		"the plugin&#39;s own choice", "no room: ",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if strings.Contains(page.String(), "<script>") || strings.Contains(text.String(), "\x1b[31m") {
		t.Error("a text of the profile is taken for more")
	}
	for _, want := range []string{"3 settings reach", "TARGET", "batch 4", "INVALID", "Offline: 120.00 samples/s"} {
		if !strings.Contains(strings.ReplaceAll(text.String(), "target_qps", "TARGET"), want) {
			t.Errorf("the text has no %s:\n%s", want, text.String())
		}
	}
	plots := r.Plots()
	if len(plots) != 4 || plots[0].ID != "settings" || plots[3].File != "profile-2-search" {
		t.Errorf("%d plots", len(plots))
	}
	empty := Report{Tuned: []Tuned{{"x", tune.Profile{}}}}
	if err := empty.WriteHTML(&page); err != nil || len(empty.Plots()) != 0 {
		t.Errorf("a profile without anything: %v", err)
	}
}
