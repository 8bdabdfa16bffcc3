package audit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// scoreKeys are the entries that hold scores since v2.1.
var scoreKeys = map[string]string{"Offline": "result_samples_per_second", "SingleStream": "early_stopping_latency_ss",
	"MultiStream": "early_stopping_latency_ms", "Server": "result_completed_samples_per_sec"}

// modelOf is a model of the newest rules for each test.
var modelOf = map[string]string{"TEST01": "resnet", "TEST04": "resnet", "TEST06": "llama3.1-8b",
	"TEST07": "gpt-oss-120b", "TEST08": "dlrm-v3", "TEST09": "gpt-oss-120b"}

// scored is a request's scorer with an answer of its own.
func scored(score float64) func(context.Context, string) (Score, error) {
	return func(context.Context, string) (Score, error) {
		metrics := map[string]float64{"exact_match": score}
		return Score{Text: fmt.Sprintf("{'exact_match': %g}\n", score), Metrics: metrics}, nil
	}
}

// good makes logs of a test that passes, whatever its counts are.
func good(t *testing.T, test, scenario string) *made {
	t.Helper()
	m := makeAudit(t, test, modelOf[test], scenario)
	if test == "TEST07" {
		m.request.Score = scored(62.15)
	}
	if test == "TEST07" || test == "TEST09" {
		m.everySample()
	}
	return m
}

// everySample makes the audit's log as long as the whole data set.
func (m *made) everySample() {
	n := m.audit.detail["requested_min_query_count"].(uint64)
	m.audit.answers = nil
	data := tokens(make([]int32, 1278)...)
	if m.request.Test == "TEST07" {
		data = data[:4]
	}
	for i := range n {
		m.audit.answers = append(m.audit.answers, mllog.AccuracyEntry{SeqID: i, QSLIndex: i, Data: data, TokenCount: -1})
	}
	m.audit.detail["effective_min_sample_count"] = n
	m.audit.detail["effective_samples_per_query"] = n
}

func TestPasses(t *testing.T) {
	for test, scenarios := range map[string][]string{
		"TEST01": {"SingleStream", "MultiStream", "Server", "Offline"},
		"TEST04": {"SingleStream", "MultiStream", "Server", "Offline"},
		"TEST06": {"Server", "Offline"}, "TEST07": {"Offline"}, "TEST08": {"Offline", "Server"}, "TEST09": {"Offline"},
	} {
		for _, scenario := range scenarios {
			t.Run(test+scenario, func(t *testing.T) {
				v := good(t, test, scenario).verify(t)
				if !v.Pass || len(v.Reasons) > 0 || v.LacksLog() {
					t.Errorf("%v", v.Reasons)
				}
				for name, text := range v.Texts {
					if !strings.Contains(text, evidence.Pass) && !strings.Contains(text, "verification complete") {
						t.Errorf("%s:\n%s", name, text)
					}
				}
			})
		}
	}
}

// TestPadding: MultiStream's last query may have samples that the accuracy log has already, fewer than a query has.
func TestPadding(t *testing.T) {
	for again, pass := range map[int]bool{0: true, 7: true, 8: false} {
		m := good(t, "TEST01", "MultiStream")
		m.performance.detail["effective_samples_per_query"] = uint64(8)
		m.accuracy.answers = append(m.accuracy.answers, m.accuracy.answers[:again]...)
		if v := m.verify(t); v.Pass != pass {
			t.Errorf("%d samples again: pass %v, %v", again, v.Pass, v.Reasons)
		}
	}
}

// TestRefused: what the official scripts let pass, and what they refuse, has each its reason.
func TestRefused(t *testing.T) {
	const zero = uint64(0)
	for _, c := range []struct {
		test, scenario string
		change         func(*made)
		want           []string // checks
	}{
		{"TEST01", "SingleStream", func(m *made) { m.audit.answers[3].Data = floats(99) }, []string{"answers"}},
		{"TEST01", "SingleStream", func(m *made) { m.accuracy.answers = m.accuracy.answers[:20] }, []string{"unmatched"}},
		{"TEST01", "SingleStream", func(m *made) { m.accuracy.answers = nil }, []string{"log-empty"}},
		{"TEST01", "SingleStream", func(m *made) { m.audit.answers = nil }, []string{"log-empty"}},
		{"TEST01", "SingleStream", func(m *made) { m.audit.answers = m.audit.answers[:30] }, []string{"entries"}},
		{"TEST01", "SingleStream", func(m *made) { m.request.DType = "int64" }, []string{"dtype", "dtype"}},
		{"TEST01", "SingleStream", func(m *made) { m.request.DType = "" }, []string{"dtype", "dtype"}},
		{"TEST01", "SingleStream", func(m *made) { m.audit.answers[0].Data = []byte{} },
			[]string{"payload-empty", "answers"}},
		{"TEST01", "SingleStream", func(m *made) {
			m.audit.answers[0].Data = floats(float32(math.NaN()))
			m.accuracy.answers[0].Data = m.audit.answers[0].Data
		}, []string{"nan", "nan", "answers"}},
		{"TEST01", "SingleStream", func(m *made) { m.accuracy.answers = append(m.accuracy.answers, m.accuracy.answers[0]) },
			[]string{"sample-twice"}},
		{"TEST01", "SingleStream", func(m *made) { delete(m.audit.detail, "warning_generic_message") },
			[]string{"audit-marker"}},
		{"TEST01", "Server", func(m *made) { m.audit.detail["effective_target_latency_ns"] = uint64(99) },
			[]string{"target-latency"}},
		{"TEST01", "SingleStream", func(m *made) {
			m.audit.detail[scoreKeys["SingleStream"]], m.performance.detail[scoreKeys["SingleStream"]] = zero, zero
		}, []string{"score", "score"}},
		{"TEST01", "Offline", func(m *made) { m.audit.detail[scoreKeys["Offline"]] = math.NaN() },
			[]string{"log-format", "score"}},
		{"TEST01", "Offline", func(m *made) { m.audit.detail[scoreKeys["Offline"]] = 899.9 }, []string{"score-band"}},
		{"TEST01", "Offline", func(m *made) { m.audit.detail["result_validity"] = "INVALID" }, []string{"validity"}},
		{"TEST01", "Offline", func(m *made) { m.performance.detail["result_validity"] = "INVALID" }, []string{"validity"}},
		{"TEST01", "Offline", func(m *made) { m.audit.detail["requested_accuracy_log_rng_seed"] = uint64(1) },
			[]string{"audit-setting"}},
		{"TEST01", "Offline", func(m *made) { delete(m.audit.detail, "requested_accuracy_log_sampling_target") },
			[]string{"audit-setting"}},
		{"TEST01", "Offline", func(m *made) { m.audit.detail["effective_qsl_rng_seed"] = uint64(1) }, []string{"seed"}},
		{"TEST01", "Offline", func(m *made) { m.audit.detail["effective_test_mode"] = "AccuracyOnly" }, []string{"mode"}},
		{"TEST01", "Offline", func(m *made) { m.audit.detail["num_errors"] = uint64(2) }, []string{"errors"}},
		{"TEST01", "Offline", func(m *made) { m.audit.errors = 1 }, []string{"errors"}},
		{"TEST01", "Offline", func(m *made) { m.performance.detail["warning_generic_message"] = evidence.AuditMark },
			[]string{"audit-as-result"}},
		{"TEST01", "Offline", func(m *made) { m.performance.detail["effective_scenario"] = "Server" },
			[]string{"scenario"}},
		{"TEST01", "Offline", func(m *made) { m.audit.tail = "not a line of a log\n" }, []string{"log-format"}},
		{"TEST01", "Offline", func(m *made) { m.audit.tail = mllog.DetailPrefix + `{"key": "cut` }, []string{"log-format"}},
		{"TEST01", "Offline", func(m *made) {
			m.audit.tail = string(mllog.AppendDetail(nil, mllog.DetailEntry{Key: "result_validity", Value: "VALID"}))
		}, []string{"entry-twice"}},
		{"TEST04", "Offline", func(m *made) { m.audit.detail[scoreKeys["Offline"]] = 1100.0 }, []string{"score-band"}},
		{"TEST04", "Server", func(m *made) { m.audit.detail["effective_target_latency_ns"] = uint64(99) },
			[]string{"target-latency"}},
		{"TEST04", "Offline", func(m *made) { m.audit.detail["requested_performance_issue_same"] = zero },
			[]string{"audit-setting"}},
		{"TEST04", "SingleStream", func(m *made) { m.audit.summary = strings.Split("Scenario : SingleStream", "\n") },
			[]string{"log-format"}},
		{"TEST04", "Offline", func(m *made) {
			m.audit.summary = strings.Split(strings.Replace(m.audit.summaryLog(), ": 1000", ": 900", 1), "\n")
		}, []string{"summary"}},
		{"TEST06", "Server", func(m *made) { m.audit.answers[1].Data = tokens(5, 2, 2) }, []string{"eos"}},
		{"TEST06", "Server", func(m *made) {
			m.audit.answers[1].Data, m.audit.answers[1].TokenData, m.audit.answers[1].TokenCount = tokens(2, 2), tokens(2), 2
		}, []string{"eos"}},
		{"TEST06", "Server", func(m *made) { m.audit.answers[1].TokenData = tokens(9) }, []string{"first-token"}},
		{"TEST06", "Server", func(m *made) { m.audit.answers[1].TokenData = nil }, []string{"first-token"}},
		{"TEST06", "Offline", func(m *made) { m.audit.answers[1].TokenCount = 9 }, []string{"token-count"}},
		{"TEST06", "Offline", func(m *made) { m.audit.answers = nil }, []string{"log-empty"}},
		{"TEST06", "Server", func(m *made) { m.request.Scenario = "Offline" }, []string{"scenario"}},
		{"TEST07", "Offline", func(m *made) { m.request.Score = scored(60.6) }, []string{"threshold"}},
		{"TEST07", "Offline", func(m *made) { m.request.Score = scored(600) }, []string{"scorer"}},
		{"TEST07", "Offline", func(m *made) { m.request.Score = scored(math.NaN()) }, []string{"threshold"}},
		{"TEST07", "Offline", func(m *made) { v := 50.0; m.request.Threshold = &v }, []string{"threshold"}},
		{"TEST07", "Offline", func(m *made) { m.audit.answers = m.audit.answers[:900] }, []string{"entries", "entries"}},
		{"TEST07", "Offline", func(m *made) { m.request.Score, m.request.Command = nil, "echo nothing" }, []string{"scorer"}},
		{"TEST07", "Offline", func(m *made) { m.request.Score, m.request.Command = nil, "exit 4" },
			[]string{"scorer"}},
		{"TEST08", "Offline", func(m *made) { m.audit.answers[1].Data = floats(1, 1, 0.9, 0.9) }, []string{"answers"}},
		{"TEST08", "Offline", func(m *made) { m.audit.answers[1].Data = floats(1, 1, float32(math.NaN()), 0.25) },
			[]string{"nan"}},
		{"TEST08", "Offline", func(m *made) { m.audit.answers[1].Data = floats(1, 1, 0.1, 0.2, 0.3) },
			[]string{"candidates"}},
		{"TEST08", "Offline", func(m *made) { m.accuracy.answers = m.accuracy.answers[1:] }, []string{"unmatched"}},
		{"TEST08", "Offline", func(m *made) { m.accuracy.answers[0].Data = floats(1, 1, 7) },
			[]string{"candidates", "unmatched"}},
		{"TEST08", "Offline", func(m *made) { v := 0.5; m.request.Tolerance = &v }, []string{"tolerance"}},
		{"TEST09", "Offline", func(m *made) { m.audit.answers[0].Data = nil }, []string{"payload-empty"}},
		{"TEST09", "Offline", func(m *made) { v := 1.0; m.request.MinTokens = &v }, []string{"bounds"}},
		{"TEST09", "Offline", func(m *made) {
			for i := range m.audit.answers {
				m.audit.answers[i].Data = m.audit.answers[i].Data[:4000]
			}
		}, []string{"length"}},
	} {
		t.Run(c.test+c.scenario+strings.Join(c.want, ","), func(t *testing.T) {
			m := good(t, c.test, c.scenario)
			c.change(m)
			v := m.verify(t)
			var got []string
			for _, r := range v.Reasons {
				got = append(got, r.Check)
				if r.Found == "" || r.Want == "" || r.Advice == "" || r.Rule == "" {
					t.Errorf("a reason that does not say all: %+v", r)
				}
			}
			if !slices.Equal(got, c.want) || v.Pass {
				t.Errorf("%v, want %v:\n%v", got, c.want, v.Reasons)
			}
			v.wantNoPass(t)
		})
	}
}

// wantNoPass: the half that failed does not say that it passed.
func (v Verdict) wantNoPass(t *testing.T) {
	t.Helper()
	all := strings.Builder{}
	for _, text := range v.Texts {
		all.WriteString(text)
	}
	said := all.String()
	if len(v.Texts) == 1 && (strings.Contains(said, evidence.Pass) || strings.Contains(said, "pass: Skipped")) {
		t.Errorf("passes in its text:\n%s", all.String())
	}
}

// TestLogsMissing: logs that are not there or not whole are reasons of their own kind, all of them at once.
func TestLogsMissing(t *testing.T) {
	for name, c := range map[string]struct {
		change func(t *testing.T, r Request)
		want   string
	}{
		"detail gone": {func(t *testing.T, r Request) { remove(t, r.Run.Detail) },
			"there is no detail log of the audit's run"},
		"detail empty":  {func(t *testing.T, r Request) { put(t, r.Run.Detail, "") }, "the log is empty"},
		"detail cut":    {func(t *testing.T, r Request) { half(t, r.Run.Detail) }, ""},
		"accuracy gone": {func(t *testing.T, r Request) { remove(t, r.Reference.Accuracy) }, "there is no accuracy log"},
		"accuracy cut":  {func(t *testing.T, r Request) { half(t, r.Run.Accuracy) }, "the log ends here, without ]"},
		"accuracy BOM": {func(t *testing.T, r Request) { prepend(t, r.Run.Accuracy, "\xef\xbb\xbf") },
			"want [ at the start"},
		"accuracy a folder": {func(t *testing.T, r Request) { remove(t, r.Run.Accuracy); mkdir(t, r.Run.Accuracy) },
			"not a regular file"},
		"accuracy shortened": {func(t *testing.T, r Request) {
			put(t, r.Run.Accuracy, "[\n{ \"seq_id\" : 0, \"qsl_idx\" : 3, \"data\" : \"0000\n\n...\n\n0000\" }\n]\n")
		}, "was shortened for a submission"},
	} {
		t.Run(name, func(t *testing.T) {
			r := good(t, "TEST01", "Offline").written(t)
			c.change(t, r)
			v, err := Verify(context.Background(), r)
			if err != nil || v.Pass || !v.LacksLog() && name != "detail cut" {
				t.Errorf("%v, %+v", err, v)
			}
			if !strings.Contains(fmt.Sprint(v.Reasons), c.want) {
				t.Errorf("%v, want %q", v.Reasons, c.want)
			}
		})
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func change(t *testing.T, path string, how func(string) string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, path, how(string(text)))
}

func half(t *testing.T, path string) {
	t.Helper()
	change(t, path, func(s string) string { return s[:len(s)/2] })
}

func prepend(t *testing.T, path, text string) {
	t.Helper()
	change(t, path, func(s string) string { return text + s })
}

func TestRequests(t *testing.T) {
	for _, r := range []Request{
		{Test: "TEST02"}, {Test: "TEST01", DType: "float64"}, {Test: "TEST06", EOS: "x"}, {Test: "TEST07"},
		{Test: "TEST07", Command: "true"}, {Test: "TEST09"}, {Test: "TEST06"},
		{Test: "TEST09", AuditConfig: t.TempDir() + "/none"},
	} {
		if _, err := Verify(context.Background(), r); !errors.Is(err, ErrRequest) {
			t.Errorf("%+v: %v", r, err)
		}
	}
}
