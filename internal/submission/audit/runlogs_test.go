package audit

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRunLogs: the detail log says which folder is the run's, wherever else a log lies.
func TestRunLogs(t *testing.T) {
	const (
		detail, accuracy, summary = "mlperf_log_detail.txt", "mlperf_log_accuracy.json", "mlperf_log_summary.txt"
		run, outputs              = "performance/run_1/", "accuracy/"
	)
	placed := Logs{Detail: run + detail, Summary: run + summary, Accuracy: outputs + accuracy}
	plain := Logs{Detail: detail, Summary: summary, Accuracy: accuracy}
	for name, c := range map[string]struct {
		files []string
		want  Logs
	}{
		"nothing":                     {nil, plain},
		"a run's folder":              {[]string{detail, accuracy, summary}, plain},
		"a run's folder, detail log":  {[]string{detail}, plain},
		"accuracy log alone":          {[]string{accuracy}, plain},
		"a submission's":              {[]string{run + detail, run + summary, outputs + accuracy}, placed},
		"a submission's of TEST06":    {[]string{outputs + accuracy}, placed},
		"of TEST06, stray log beside": {[]string{outputs + accuracy, accuracy}, placed},
		"stray log beside":            {[]string{run + detail, run + summary, outputs + accuracy, accuracy}, placed},
		"stray summary beside": {[]string{run + detail, outputs + accuracy, summary},
			Logs{Detail: run + detail, Summary: summary, Accuracy: outputs + accuracy}},
		"a run, its outputs apart": {[]string{detail, summary, outputs + accuracy},
			Logs{Detail: detail, Summary: summary, Accuracy: outputs + accuracy}},
		"outputs above the run": {[]string{run + detail, run + summary, accuracy},
			Logs{Detail: run + detail, Summary: run + summary, Accuracy: accuracy}},
		"both": {[]string{detail, summary, accuracy, run + detail, run + summary, outputs + accuracy}, plain},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, file := range c.files {
				full := filepath.Join(dir, filepath.FromSlash(file))
				if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(full, nil, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want := Logs{Detail: filepath.Join(dir, c.want.Detail), Summary: filepath.Join(dir, c.want.Summary),
				Accuracy: filepath.Join(dir, c.want.Accuracy)}
			if got := RunLogs(dir); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}
