package shell

import (
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/host"
)

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		texts []string
		want  host.ResourceLimits
	}{
		{nil, host.ResourceLimits{}},
		{[]string{"memory=8GiB", "processes=64", "files=1024", "cpu=30m"},
			host.ResourceLimits{Memory: 8 << 30, Processes: 64, Files: 1024, CPU: 30 * time.Minute}},
		{[]string{"memory=1.5MB"}, host.ResourceLimits{Memory: 1_500_000}},
		{[]string{"memory=4096B"}, host.ResourceLimits{Memory: 4096}},
		{[]string{"memory=10 KiB"}, host.ResourceLimits{Memory: 10240}},
	} {
		if got, err := parseLimits(c.texts); err != nil || got != c.want {
			t.Errorf("%q: %+v, %v, want %+v", c.texts, got, err, c.want)
		}
	}
}

func TestAllFaultsOfLimitsAtOnce(t *testing.T) {
	_, err := parseLimits([]string{"memory=much", "proceses=3", "files=0", "cpu=10", "files=3", "cpu", "memory=1e300GB"})
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range []string{
		`memory: "much"`, "want a number with its unit, such as 8GiB", `"proceses"`, "processes", `files: "0"`,
		`cpu: "10"`, "30m", "files is given twice", `"cpu", want NAME=VALUE`, "memory is given twice",
	} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("no %q in %v", part, err)
		}
	}
}

func FuzzLimits(f *testing.F) {
	f.Add("memory=8GiB,cpu=1h")
	f.Add("memory=NaN,files=-1")
	f.Add("memory=,cpu=1e9h")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := parseLimits(strings.Split(text, ","))
		if err == nil && (l.Memory < 0 || l.Processes < 0 || l.Files < 0 || l.CPU < 0) {
			t.Errorf("%q: %+v", text, l)
		}
	})
}
