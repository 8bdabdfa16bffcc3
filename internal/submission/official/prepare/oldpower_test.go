package prepare

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// record is a line of a detail log.
func record(key, value string) string {
	return `:::MLLOG {"key": "` + key + `", "value": "` + value + `", "time_ms": 0.1, "namespace": "mlperf::logging", ` +
		`"event_type": "POINT_IN_TIME", "metadata": {"is_error": false, "is_warning": false, "file": "x", "line_no": 1, ` +
		`"pid": 1, "tid": 1}}` + "\n"
}

// meter makes the folders of a power measurement.
func meter(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	object := `{"sources": 1, "uuid": 1, "phases": 1, "session_name": 1, "messages": 1, "results": 1, "timezone": 1, ` +
		`"ptd_config": 1, "ptd_messages": 1}`
	detail := record("power_begin", "01-02-2026 10:00:00.000") + record("power_end", "01-02-2026 10:10:00.000")
	for name, text := range map[string]string{
		"power/client.json": object, "power/server.json": object, "power/client.log": "", "power/server.log": "",
		"power/ptd_logs.txt": "", "run_1/mlperf_log_detail.txt": detail, "ranging/mlperf_log_detail.txt": detail,
		"run_1/mlperf_log_summary.txt": "", "ranging/mlperf_log_summary.txt": "", "ranging/spl.txt": "",
		"run_1/spl.txt": "Time,01-02-2026 10:05:00.000,Watts,100.0\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestOldPower(t *testing.T) {
	judge := func(dir string) bool {
		return oldJudge{}.judgePower(filepath.Join(dir, "power"), filepath.Join(dir, "ranging"), filepath.Join(dir, "run_1"))
	}
	if !judge(meter(t)) {
		t.Error("a good measurement is not valid")
	}
	for name, text := range map[string]string{
		"power/client.json": "{}", "power/server.json": "no object", "power/more.txt": "",
		"run_1/spl.txt":                "Time,01-02-2026 10:15:00.000,Watts,100.0\n",
		"run_1/mlperf_log_detail.txt":  record("power_begin", "soon"),
		"ranging/mlperf_log_trace.txt": "",
	} {
		dir := meter(t)
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if judge(dir) {
			t.Errorf("%s = %q: valid", name, strings.TrimSpace(text))
		}
	}
	dir := meter(t)
	if err := os.Remove(filepath.Join(dir, "ranging", "spl.txt")); err != nil {
		t.Fatal(err)
	}
	if judge(dir) {
		t.Error("without ranging/spl.txt: valid")
	}
}
