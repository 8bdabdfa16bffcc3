package drive_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/drive"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/plan"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// rows is how many samples the performance set of these tests has.
const rows = 12

// trial is a curve of a small set whose least times are milliseconds.
type trial struct {
	drive.Options
	said []string
}

func newTrial(t *testing.T, url string) *trial {
	t.Helper()
	rules := endpoints.NewestRules()
	p, err := plan.ChoosePlan(plan.Options{Model: "llama3_1-8b", CMax: 40, Offline: plan.Elected}, rules)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var set strings.Builder
	for i := range rows {
		fmt.Fprintf(&set, `{"prompt":"summarise the %dth story of the day, please","output_tokens":8,`+
			`"highlights":"the %dth"}`+"\n", i, i)
	}
	p.Client = plan.ClientSettings{Endpoint: url, PerformanceSet: filepath.Join(dir, "performance.jsonl")}
	write(t, p.Client.PerformanceSet, set.String())
	tr := &trial{}
	tr.Options = drive.Options{Plan: p, Rules: rules, Out: filepath.Join(dir, "curve"), TimeDivisor: 10_000,
		ReportInterval: time.Millisecond, Say: func(line string) { tr.said = append(tr.said, line) },
		Client: &drive.OwnClient{Endpoint: url, Prompts: prompts.PromptOptions{File: p.Client.PerformanceSet},
			Accuracy: drive.AccuracyFileOf(p, rules), Rules: rules, Version: "1"}}
	return tr
}

func (tr *trial) wantSaid(t *testing.T, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !slices.ContainsFunc(tr.said, func(line string) bool { return strings.Contains(line, part) }) {
			t.Errorf("nobody says %q:\n%s", part, strings.Join(tr.said, "\n"))
		}
	}
	tr.said = nil
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// TestRun measures a curve, and goes on after an interrupt: what was measured is not measured again, unless its files
// or its plan have changed.
func TestRun(t *testing.T) {
	mock := openaitest.New(openaitest.Options{Owner: "vllm", Version: "0.33", IDs: true, Step: time.Millisecond})
	var asked, salts atomic.Int64
	salted := regexp.MustCompile(`"\[[0-9a-f]{16}\] summarise the`)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	kept := ""
	tr := newTrial(t, serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			asked.Add(1)
			body, err := io.ReadAll(r.Body)
			if err == nil && salted.Match(body) {
				salts.Add(1)
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			if _, err := os.Stat(kept); err == nil { // the second point
				stop()
			}
		}
		mock.ServeHTTP(w, r)
	})))
	kept = filepath.Join(tr.Out, drive.CurveFile)
	curve, err := drive.RunCurve(ctx, tr.Options)
	if !errors.Is(err, context.Canceled) || len(curve.Points) != 1 || curve.Points[0].Accuracy != nil {
		t.Fatalf("%d points before the interrupt, want one without its accuracy run: %v", len(curve.Points), err)
	}
	tr.wantSaid(t, "mock at "+tr.Plan.Client.Endpoint, "r1: 1 users, at least 5 super-passes")
	curve, err = drive.RunCurve(t.Context(), tr.Options)
	if err != nil || len(curve.Points) != 7 || !curve.Rehearsal {
		t.Fatalf("%+v, %v", curve, err)
	}
	tr.wantSaid(t, "r1 is there, and not measured again, but for its accuracy run", "r40: done, ",
		"r1: accuracy: cnn_dailymail::llama3_8b: 12 answers in ")
	for _, k := range curve.Points {
		if k.Issued%rows != 0 || k.Issued < 5*rows || k.Steady == nil {
			t.Errorf("%s: %d requests, want a multiple of %d; steady state %v", k.Point.Name(), k.Issued, rows, k.Steady)
		}
		if (k.Accuracy != nil) != k.Point.Accuracy || k.Accuracy != nil && len(k.Accuracy.Scores) != 1 {
			t.Errorf("%s: accuracy run %+v, want one: %t", k.Point.Name(), k.Accuracy, k.Point.Accuracy)
		}
		checkFolder(t, filepath.Join(tr.Out, k.Point.Name()), k)
	}
	sent := int64(0)
	for _, k := range curve.Points {
		sent += int64(k.Issued)
	}
	if n := salts.Load(); n < sent || n > sent+int64(len(curve.Points))+1 {
		t.Errorf("%d requests were salted, want all %d that count and none of accuracy runs", n, sent)
	}
	before := asked.Load()
	if curve, err = drive.RunCurve(t.Context(), tr.Options); err != nil || len(curve.Points) != 7 ||
		asked.Load() != before {
		t.Errorf("a curve that is whole: %d more requests, %v", asked.Load()-before, err)
	}
	write(t, filepath.Join(tr.Out, "r1", drive.PointFile), "concurrency: 2\n")
	tr.Plan.Points[1].Passes = 6
	tr.said = nil
	if curve, err = drive.RunCurve(t.Context(), tr.Options); err != nil || len(curve.Points) != 7 {
		t.Errorf("%d points, %v", len(curve.Points), err)
	}
	name := tr.Plan.Points[1].Name()
	tr.wantSaid(t, "r1 is measured again: r1/point.yaml has", name+" is measured again: the plan has changed")
	if _, err := os.Stat(filepath.Join(tr.Out, "replaced", name, "performance", "result_summary.json")); err != nil {
		t.Errorf("what was measured before is gone: %v", err)
	}
	tr.Plan.CMax++
	_, err = drive.RunCurve(t.Context(), tr.Options)
	if err == nil || !strings.Contains(err.Error(), "its c_max is 40, not 41") {
		t.Errorf("another curve in the folder: %v", err)
	}
}

// checkFolder wants the official client's files of a point.
func checkFolder(t *testing.T, dir string, k drive.MeasuredPoint) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "performance", "result_summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	var summary struct {
		Issued int `json:"n_samples_issued"`
		Failed int `json:"n_samples_failed"`
		TPOT   struct {
			Percentiles map[string]float64
		}
	}
	if err := json.Unmarshal(text, &summary); err != nil || summary.Issued != k.Issued || summary.Failed != 0 {
		t.Errorf("%s: %+v, %v", dir, summary, err)
	}
	for file, want := range map[string]string{
		"config.yaml":         fmt.Sprintf("target_concurrency: %d\n", k.Point.Concurrency),
		"events.jsonl":        `"event_type":"sample.complete"`,
		"requests.jsonl":      `"warm_up":true`,
		drive.PointFile:       "rehearsal: true\n",
		"sample_idx_map.json": "performance",
	} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s/%s has no %q: %v", dir, file, want, err)
		}
	}
}

// TestRunEndsWithTheServer: a server that has changed ends the curve, and so does one that fails; points of before
// stay.
func TestRunEndsWithTheServer(t *testing.T) {
	handlers := [...]http.Handler{openaitest.New(openaitest.Options{Owner: "vllm", Version: "1", IDs: true}),
		openaitest.New(openaitest.Options{Owner: "vllm", Version: "2", IDs: true}),
		openaitest.New(openaitest.Options{Owner: "vllm", Version: "1", IDs: true,
			Fault: func(n int64) openaitest.Fault { return openaitest.Fault{Status: 500 * int(min(n, 1))} }})}
	var at, asked atomic.Int64
	tr := newTrial(t, serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			asked.Add(1)
		}
		handlers[at.Load()].ServeHTTP(w, r)
	})))
	all := tr.Plan.Points
	tr.Plan.Points = all[:1]
	if _, err := drive.RunCurve(t.Context(), tr.Options); err != nil {
		t.Fatal(err)
	}
	tr.Plan.Points = all
	for _, c := range []struct {
		server int64
		want   string
	}{{1, "the server has changed: it was mock at"}, {2, "the server fails: http_500"}} {
		at.Store(c.server)
		curve, err := drive.RunCurve(t.Context(), tr.Options)
		if err == nil || !strings.Contains(err.Error(), c.want) || len(curve.Points) != 1 {
			t.Errorf("%d points, error %v, want one with %q", len(curve.Points), err, c.want)
		}
	}
}
