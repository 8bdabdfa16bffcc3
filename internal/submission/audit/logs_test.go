package audit

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// madeRun is a run of nobody: the logs that it leaves.
type madeRun struct {
	scenario string
	detail   map[string]any
	errors   int      // entries marked is_error
	tail     string   // behind the detail log
	text     bool     // the detail log has the text form of v0.5 and v0.7
	summary  []string // lines of the summary log; nil: those that agree with the detail log
	answers  []mllog.AccuracyEntry
	rawLog   string // in place of answers
}

// made are the logs of an audit: the submission's two runs, and the audit's.
type made struct {
	performance, accuracy, audit *madeRun
	request                      Request
}

const samplesMade = 40

// makeAudit makes logs of a test that passes.
func makeAudit(t *testing.T, test, model, scenario string) *made {
	t.Helper()
	rules := rulesOf(t, "")
	config, err := ConfigOf(rules, test, model)
	if err != nil {
		t.Fatal(err)
	}
	m := &made{performance: performed(scenario), accuracy: performed(scenario), audit: performed(scenario)}
	m.request = Request{Test: test, Model: model, DType: map[string]string{"TEST01": "float32"}[test]}
	m.audit.detail["warning_generic_message"] = evidence.AuditMark + " (audit.config). Overriding TestSettings."
	s, err := loadgen.ParseScenario(scenario)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range config.SettingsFor(s) {
		m.audit.detail["requested_"+o.Key] = number0(o.Value)
		if o.Key == "accuracy_log_sampling_target" {
			m.audit.detail["effective_"+o.Key] = number0(o.Value)
		}
	}
	m.accuracy.detail["effective_test_mode"] = "AccuracyOnly"
	m.answer(test)
	return m
}

func number0(text string) (n uint64) { fmt.Sscan(text, &n); return n }

func performed(scenario string) *madeRun {
	each, queries := 1, samplesMade
	if scenario == "Offline" {
		each, queries = samplesMade, 1
	}
	seeds := [3]uint64{2085463073848966840, 2747215439041700203, 16159082839903944936}
	return &madeRun{scenario: scenario, detail: map[string]any{
		"effective_scenario": scenario, "effective_test_mode": "PerformanceOnly", "result_validity": "VALID",
		"num_errors": uint64(0), scoreKeys[scenario]: 1000.0, "effective_target_latency_ns": uint64(15000000),
		"effective_qsl_rng_seed": seeds[0], "effective_sample_index_rng_seed": seeds[1],
		"effective_schedule_rng_seed": seeds[2], "result_query_count": queries, "effective_samples_per_query": each,
		"effective_target_qps": 1, "effective_min_duration_ms": 0, "effective_min_query_count": 1,
		"effective_min_sample_count": samplesMade,
	}}
}

// answer fills the accuracy logs as the test wants them.
func (m *made) answer(test string) {
	for i := range uint64(samplesMade) {
		e := mllog.AccuracyEntry{SeqID: i, QSLIndex: (i * 7) % samplesMade, TokenCount: -1}
		reference := e
		switch test {
		case "TEST01":
			e.Data = floats(float32(e.QSLIndex) / 4)
			reference.Data = e.Data
		case "TEST08":
			e.Data = floats(float32(i), 1, 0.5, 0.25)
			reference.Data = floats(float32(i), 1, 0.5, 0.25, 1, 0, 1, 1, 2)
		case "TEST06":
			e.Data, e.TokenData, e.TokenCount = tokens(5, 6, 2), tokens(5), 3
		default:
			e.Data = tokens(make([]int32, 1278)...)
		}
		m.audit.answers = append(m.audit.answers, e)
		m.accuracy.answers = append(m.accuracy.answers, reference)
	}
}

func floats(values ...float32) (data []byte) {
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return data
}

func tokens(values ...int32) (data []byte) {
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, uint32(v))
	}
	return data
}

// verify writes the logs and judges them.
func (m *made) verify(t *testing.T) Verdict {
	t.Helper()
	v, err := Verify(context.Background(), m.written(t))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// written writes the logs to folders with blanks in their names.
func (m *made) written(t *testing.T) Request {
	t.Helper()
	dir := t.TempDir()
	r := m.request
	r.Reference, r.Run = ResultLogs(filepath.Join(dir, "my results")), logsIn(filepath.Join(dir, "my run"))
	m.performance.write(t, Logs{Detail: r.Reference.Detail, Summary: r.Reference.Summary})
	m.accuracy.write(t, Logs{Accuracy: r.Reference.Accuracy})
	m.audit.write(t, r.Run)
	return r
}

func (r *madeRun) write(t *testing.T, logs Logs) {
	t.Helper()
	put := func(path, text string) {
		if path == "" || text == absentLog {
			return
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(logs.Accuracy, r.accuracyLog(t))
	put(logs.Detail, r.detailLog()+r.tail)
	put(logs.Summary, r.summaryLog())
}

// absentLog is the text of a log that is not there.
const absentLog = "absent"

func (r *madeRun) accuracyLog(t *testing.T) string {
	t.Helper()
	if r.rawLog != "" {
		return r.rawLog
	}
	var b bytes.Buffer
	w := mllog.NewAccuracyWriter(&b)
	for _, e := range r.answers {
		if err := w.WriteEntry(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func (r *madeRun) detailLog() string {
	if r.text {
		return textLog(r.detail)
	}
	var b []byte
	for _, key := range slices.Sorted(maps.Keys(r.detail)) {
		b = mllog.AppendDetail(b, mllog.DetailEntry{Key: key, Value: r.detail[key], Error: len(b) == 0 && r.errors > 0})
	}
	return string(b)
}

func (r *madeRun) summaryLog() string {
	if r.summary != nil {
		return strings.Join(r.summary, "\n") + "\n"
	}
	score := fmt.Sprint(r.detail[scoreKeys[r.scenario]])
	s := mllog.Summary{SUTName: "made", Scenario: r.scenario, Mode: "PerformanceOnly",
		Result: fmt.Sprint(r.detail["result_validity"]), Stats: [][]mllog.Field{{{Label: "x", Value: "1"}}}}
	switch r.scenario {
	case "Offline":
		s.Headline = []mllog.Field{{Label: "Samples per second", Value: score}}
	case "Server":
		s.Headline = []mllog.Field{{Label: "Completed samples per second    ", Value: score}}
	default:
		percentile := map[string]string{"SingleStream": "90.0", "MultiStream": "99.0"}[r.scenario]
		s.EarlyStopping = []mllog.Field{{Label: "Early Stopping Result",
			Value: " * Early stopping " + percentile + "th percentile estimate: " + score}}
	}
	var b bytes.Buffer
	if err := mllog.WriteSummary(&b, &s); err != nil {
		panic(err)
	}
	return b.String()
}
