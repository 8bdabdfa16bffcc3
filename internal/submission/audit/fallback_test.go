package audit

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// TestFallback: where answers differ, the accuracies on the same samples decide.
func TestFallback(t *testing.T) {
	for _, c := range []struct {
		baseline, compliance string
		pass                 bool
	}{
		{"accuracy=76.460%", "accuracy=76.000%", true},
		{"accuracy=76.460%", "accuracy=75.000%", false},
		{"accuracy=75.24%", "accuracy=76.00%", false}, // 1.0000000000000009 % in doubles
		{"accuracy=76.00%", "accuracy=75.24%", false},
		{"accuracy=70.0%\naccuracy=76.0%", "accuracy=76.0%", true}, // the last line counts
		{"nothing", "accuracy=76.0%", false},
		{"accuracy=76.460%", "accuracy=0.0%", false},
	} {
		m := good(t, "TEST01", "Offline")
		m.audit.answers[3].Data = floats(99)
		calls := 0
		m.request.Score = func(_ context.Context, log string) (Score, error) {
			calls++
			text, err := os.ReadFile(log)
			if err != nil || strings.Count(string(text), "qsl_idx") != samplesMade {
				t.Errorf("%s: %v\n%s", log, err, text)
			}
			return Score{Text: []string{"", c.baseline, c.compliance}[calls]}, nil
		}
		v := m.verify(t)
		failed := strings.Contains(v.Texts[tree.VerifyAccuracy], evidence.Fail)
		if v.Pass != c.pass || v.Accuracy != OutcomeOf(c.pass) || !failed {
			t.Errorf("%+v: %v, %v", c, v.Pass, v.Reasons)
		}
		if v.Texts["accuracy/baseline_accuracy.txt"] != c.baseline ||
			v.Texts["accuracy/compliance_accuracy.txt"] != c.compliance {
			t.Errorf("%+v: %v", c, v.Texts)
		}
	}
}

// TestFallbackFiles: the scores may lie beside the audit's log.
func TestFallbackFiles(t *testing.T) {
	m := good(t, "TEST01", "Offline")
	m.audit.answers[3].Data = floats(99)
	r := m.written(t)
	beside := filepath.Dir(r.Run.Accuracy)
	put(t, filepath.Join(beside, tree.BaselineAccuracy), "accuracy=76.460%, good=1, total=2\nhash=1\n")
	put(t, filepath.Join(beside, tree.ComplianceAccuracy), "accuracy=76.410%, good=1, total=2\nhash=1\n")
	if v, err := Verify(context.Background(), r); err != nil || !v.Pass || len(v.Notes) != 1 {
		t.Errorf("%v, %+v", err, v)
	}
}

func TestWrite(t *testing.T) {
	m := good(t, "TEST01", "Offline")
	v := m.verify(t)
	out := t.TempDir()
	for range 2 { // a second time over the first
		if err := WriteVerdict(v, out); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{
		"verify_accuracy.txt", "verify_performance.txt", "accuracy/mlperf_log_accuracy.json",
		"performance/run_1/mlperf_log_detail.txt", "performance/run_1/mlperf_log_summary.txt",
	} {
		if info, err := os.Stat(filepath.Join(out, "TEST01", name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	v.Copies = map[string]string{"accuracy/mlperf_log_accuracy.json": filepath.Join(out, "gone")}
	if err := WriteVerdict(v, out); err == nil {
		t.Error("a log that is gone was placed")
	}
}

// TestPerformanceOnly judges a packed submission, whose accuracy logs are cut short.
func TestPerformanceOnly(t *testing.T) {
	for _, test := range []string{"TEST01", "TEST07", "TEST08", "TEST09"} {
		m := good(t, test, "Offline")
		m.audit.rawLog, m.accuracy.rawLog = absentLog, absentLog
		m.request.PerformanceOnly, m.request.Score = true, nil
		if v := m.verify(t); !v.Pass {
			t.Errorf("%s: %v", test, v.Reasons)
		}
	}
}

func TestPlaced(t *testing.T) {
	dir := t.TempDir()
	if err := WriteVerdict(good(t, "TEST01", "Offline").verify(t), dir); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "TEST01")
	if got, want := RunLogs(folder), ResultLogs(folder); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestFallbackOfWords: the accuracy of speech recognition and of translation is compared as that of all other models,
// in each round that has them; a text without it is said to have none, and is not so many percent apart.
func TestFallbackOfWords(t *testing.T) {
	for _, c := range []struct {
		round, model, baseline, compliance, reason string
	}{
		{"v4.0", "rnnt", "Word Error Rate: 7.45%, accuracy=92.55%", "Word Error Rate: 7.50%, accuracy=92.50%", ""},
		{"v0.7", "rnnt", "Word Error Rate: 7.45%, accuracy=92.55%", "Word Error Rate: 7.50%, accuracy=92.50%", ""},
		{"v1.1", "rnnt", "Word Error Rate: 7%, accuracy=93%", "Word Error Rate: 9%, accuracy=91%", "2.2 % apart"},
		{"v3.1", "rnnt", "WER=7", "Word Error Rate: 9%, accuracy=91%", "WER is missing"},
		{"v3.1", "rnnt", "Word Error Rate: 9%, accuracy=91%", "", "WER is missing"},
		{"v3.1", "rnnt", "Word Error Rate: 100%, accuracy=0.0%", "Word Error Rate: 100%, accuracy=0.0%", "WER is 0"},
		{"v0.5", "gnmt", "BLEU: 23.9", "BLEU: 23.8", ""},
		{"v0.5", "gnmt", "BLEU: 23.9", "BLEU: 22.9", "% apart"},
		{"v0.5", "gnmt", "BLEU: nan", "BLEU: nan", "bleu is missing"},
		{"v6.1", "whisper", "Word Error Rate: 7.45%, accuracy=92.55%", "Word Error Rate: 7.50%, accuracy=92.50%", ""},
	} {
		j := &auditJudge{request: Request{Test: "TEST01", Model: c.model}, rules: rulesOf(t, c.round)}
		reasons := j.compareAccuracies([2]string{c.baseline, c.compliance})
		text := ""
		for _, r := range reasons {
			text += r.String()
		}
		if (c.reason == "") != (len(reasons) == 0) || !strings.Contains(text, c.reason) || strings.Contains(text, "NaN") {
			t.Errorf("%+v: %v", c, reasons)
		}
	}
}
