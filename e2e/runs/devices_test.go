package runs

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// shared is the part of result.json about devices.
type shared struct {
	Runs []struct {
		Mode    string
		Options struct{ Devices []string }
		// Workload describes what the plugin opened.
		Workload struct {
			Sessions int
			Shares   []struct {
				Name             string
				Batches, Samples uint64
				Fraction         float64
			}
		}
		Performance *struct{ Samples uint64 }
	}
}

// twoCores returns devices of one core each, from those that the harness lists.
func twoCores(t *testing.T) []string {
	t.Helper()
	r := harness.Run(t, "list", "--devices").WantCode(t, 0)
	m := regexp.MustCompile(`(?m)^resnet50 +ort +cpu:([0-9+-]+)`).FindStringSubmatch(r.Stdout)
	if m == nil {
		t.Skipf("no cores are listed:\n%s", r.Stdout)
	}
	var all []string
	for part := range strings.SplitSeq(m[1], "+") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		first, err1 := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil {
			t.Fatalf("cores %q", m[1])
		}
		for core := first; core <= last; core++ {
			all = append(all, fmt.Sprintf("cpu:%d", core))
		}
	}
	if len(all) < 2 {
		t.Skipf("one core: %v", all)
	}
	return all[:2]
}

// TestTwoDevicesShareTheWork: the result lists each device's share, and the predictions are those of one device.
func TestTwoDevicesShareTheWork(t *testing.T) {
	devices, out, plain := twoCores(t), t.TempDir(), t.TempDir()
	const count = "120"
	harness.Run(t, "run", "resnet50", "--scenario", "Offline", "--mode", "submission", "--count", count, "--set",
		"min_query_count=1000", "--device", strings.Join(devices, ","), "--out", out, "--force").WantCode(t, 0)
	harness.Run(t, "run", "resnet50", "--scenario", "Offline", "--mode", "accuracy", "--count", count, "--out", plain,
		"--force").WantCode(t, 0)
	var doc shared
	testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
	for _, run := range doc.Runs {
		want := uint64(120)
		if run.Performance != nil {
			want = run.Performance.Samples
		}
		var samples uint64
		for i, s := range run.Workload.Shares {
			// One may be ready too late for the few samples of the accuracy run.
			worked := run.Performance == nil || s.Batches > 0 && s.Fraction > 0 && s.Fraction < 1
			if samples += s.Samples; s.Name != devices[i] || s.Samples < s.Batches || !worked {
				t.Errorf("%s: share %+v of %s", run.Mode, s, devices[i])
			}
		}
		if len(run.Workload.Shares) != 2 || samples != want || run.Workload.Sessions != 2 || len(run.Options.Devices) != 2 {
			t.Errorf("%s: %+v, want the %d samples on two devices", run.Mode, run, want)
		}
	}
	if len(doc.Runs) != 2 {
		t.Errorf("%d runs, want performance and accuracy", len(doc.Runs))
	}
	log := filepath.Join("resnet50", "Offline", "accuracy", "mlperf_log_accuracy.json")
	if got, want := results.LoggedClasses(t, filepath.Join(out, log)),
		results.LoggedClasses(t, filepath.Join(plain, log)); len(got) != 120 || !maps.Equal(got, want) {
		t.Errorf("the predictions of two devices are not those of one: %d and %d", len(got), len(want))
	}
}

func TestDevicesThatCannotBe(t *testing.T) {
	devices := twoCores(t)
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"a provider that the library lacks": {[]string{"--device", devices[0] + ",cuda:0"}, "device cuda:0: the library "},
		"no such device":                    {[]string{"--device", "npu"}, "has the devices cpu:"},
		"twice":                             {[]string{"--device", devices[0], "--device", devices[0]}, "is named twice"},
		"shared cores":                      {[]string{"--device", "cpu," + devices[1]}, "share cores"},
		"no such core":                      {[]string{"--device", devices[0] + "+1023"}, "may not use the cores 1023"},
		"an option says otherwise": {[]string{"--device", devices[0], "--backend-opt", "provider=cuda"},
			"option provider=cuda exclude each other"},
		"too few sessions": {[]string{"--device", strings.Join(devices, ","), "--sessions", "1"},
			"1 sessions for 2 devices"},
		"a backend without devices": {[]string{"--device", "cpu", "--backend", "kserve"}, "its own options: url, "},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"run", "resnet50", "--scenario", "Offline", "--mode", "performance", "--out", t.TempDir(),
				"--force"}, c.args...)
			r := harness.Run(t, args...).WantCode(t, 2)
			if !strings.Contains(r.Both(), c.want) {
				t.Errorf("no %q in:\n%s", c.want, r.Both())
			}
		})
	}
}
