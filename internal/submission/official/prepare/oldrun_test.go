package prepare

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOldRunStops: the old checker stops at records that it looks at and that have no value, at logs of others, and at
// texts where it compares numbers.
func TestOldRunStops(t *testing.T) {
	rules, err := openOldRules(officialRounds()[len(officialRounds())-1])
	if err != nil {
		t.Fatal(err)
	}
	offline, valid := record("effective_scenario", "Offline"), record("result_validity", "VALID")
	for _, c := range []struct{ log, want string }{
		{offline + strings.Replace(valid, `, "value": "VALID"`, "", 1), "result_validity has no value"},
		{strings.Replace(offline, `, "value": "Offline"`, "", 1) + valid, "effective_scenario has no value"},
		{strings.ReplaceAll(offline+valid, ":::MLLOG", ":::ENDPTS"), "does not begin with :::MLLOG"},
		{offline + valid + record("result_samples_per_second", "5"), "no number result_samples_per_second"},
		{offline + valid + ":::MLLOG {", "line 3"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "mlperf_log_detail.txt"), []byte(c.log), 0o644); err != nil {
			t.Fatal(err)
		}
		good, err := oldJudge{rules: rules}.judgePerformance("resnet", "Offline", dir)
		if good || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n%t, %v; want an error with %q", c.log, good, err, c.want)
		}
	}
}
