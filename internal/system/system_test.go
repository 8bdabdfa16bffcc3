package system

import (
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func TestDescribe(t *testing.T) {
	got := Describe(fstest.MapFS{
		"proc/cpuinfo": file("processor\t: 0\nmodel name\t: Example  CPU\nphysical id\t: 0\nflags\t\t: fpu " +
			"hypervisor sse\n\nprocessor\t: 1\nmodel name\t: Example  CPU\nphysical id\t: 1\n"),
		"proc/meminfo":              file("MemTotal:       16384000 kB\nMemFree: 1 kB\n"),
		"proc/sys/kernel/ostype":    file("Linux\n"),
		"proc/sys/kernel/osrelease": file("6.1.0-13-amd64\n"),
		"etc/os-release":            file("NAME=\"Example\"\nPRETTY_NAME=\"Example OS 1\"\n"),
		"sys/fs/cgroup/cpu.max":     file("150000 100000\n"),
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": file("performance\n"),
		"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": file("performance\n"),
	})
	want := Info{
		CPU: "Example CPU", Cores: runtime.NumCPU(), Sockets: 2, MemoryBytes: 16384000 * 1024, OS: "Example OS 1",
		Kernel: "Linux 6.1.0-13-amd64",
		Arch:   runtime.GOARCH, Governor: "performance", GoVersion: runtime.Version(), Quota: "1.5 CPUs",
		MaxProcs: runtime.GOMAXPROCS(0), Virtual: true,
	}
	if got != want {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestDescribeAMachineThatSaysNothing(t *testing.T) {
	got := Describe(fstest.MapFS{})
	if got.OS != runtime.GOOS || got.CPU != "" || got.MemoryBytes != 0 || got.Governor != "" || got.Quota != "" {
		t.Errorf("got %+v", got)
	}
}

func TestGovernorsThatDiffer(t *testing.T) {
	got := Describe(fstest.MapFS{
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": file("performance\n"),
		"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": file("powersave\n"),
	})
	if got.Governor != "mixed" {
		t.Errorf("governor %q, want mixed", got.Governor)
	}
}

func TestArmCPU(t *testing.T) {
	model, _, _ := parseCPUInfo(strings.NewReader("processor\t: 0\nCPU part\t: 0xd0c\n"))
	if model != "ARM part 0xd0c" {
		t.Errorf("model %q", model)
	}
}

func TestQuota(t *testing.T) {
	for text, want := range map[string]string{
		"max 100000": "", "200000 100000": "2 CPUs", "": "", "x 1": "", "100 0": "", "-5 10": "", "NaN 1": "", "Inf 1": "",
	} {
		if got := cpuQuota(fstest.MapFS{"sys/fs/cgroup/cpu.max": file(text)}); got != want {
			t.Errorf("quota(%q) = %q, want %q", text, got, want)
		}
	}
	const v1 = "12:pids:/a\n4:cpu,cpuacct:/docker/abc\n0::/a\n"
	for name, c := range map[string]struct {
		groups string
		files  map[string]string
		want   string
	}{
		"nested, version 2": {"0::/system.slice/a.service\n", map[string]string{
			"cpu.max": "max 100000", "system.slice/a.service/cpu.max": "100000 100000"}, "1 CPUs"},
		"above, version 2": {"0::/user.slice/b/c\n", map[string]string{
			"user.slice/cpu.max": "150000 100000", "user.slice/b/c/cpu.max": "max 100000"}, "1.5 CPUs"},
		"the least counts": {"0::/a/b\n", map[string]string{
			"a/cpu.max": "50000 100000", "a/b/cpu.max": "300000 100000"}, "0.5 CPUs"},
		"another's group": {"0::/a\n", map[string]string{"b/cpu.max": "50000 100000"}, ""},
		"version 1": {v1, map[string]string{
			"cpu,cpuacct/docker/abc/cpu.cfs_quota_us":  "100000",
			"cpu,cpuacct/docker/abc/cpu.cfs_period_us": "100000"}, "1 CPUs"},
		"version 1 in a container": {v1, map[string]string{
			"cpu/cpu.cfs_quota_us": "250000", "cpu/cpu.cfs_period_us": "100000"}, "2.5 CPUs"},
		"version 1 without a limit": {v1, map[string]string{
			"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, ""},
		"version 1 above": {"3:cpuacct,cpu:/a/b\n", map[string]string{
			"cpuacct,cpu/a/cpu.cfs_quota_us": "50000", "cpuacct,cpu/a/cpu.cfs_period_us": "100000",
			"cpuacct,cpu/a/b/cpu.cfs_quota_us": "-1", "cpuacct,cpu/a/b/cpu.cfs_period_us": "100000"}, "0.5 CPUs"},
		"cpuset is none":  {"5:cpuset:/a\n", map[string]string{"cpuset/a/cpu.cfs_quota_us": "5"}, ""},
		"outside of ours": {"0::/../../a\n", map[string]string{"cpu.max": "100000 100000"}, "1 CPUs"},
		"no groups":       {"x\n::\n", nil, ""},
	} {
		root := fstest.MapFS{"proc/self/cgroup": file(c.groups)}
		for path, text := range c.files {
			root["sys/fs/cgroup/"+path] = file(text)
		}
		if got := Describe(root).Quota; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func FuzzParsers(f *testing.F) {
	f.Add("model name\t: X\nMemTotal: 12 kB\nPRETTY_NAME=\"a\"\n")
	f.Add("MemTotal: 99999999999999999999 kB")
	f.Add("max 100000")
	f.Fuzz(func(t *testing.T, text string) {
		model, sockets, _ := parseCPUInfo(strings.NewReader(text))
		if strings.ContainsAny(model, "\n") || sockets < 0 {
			t.Errorf("model %q, %d sockets", model, sockets)
		}
		if n := parseMemInfo(strings.NewReader(text)); n < 0 {
			t.Errorf("memory %d", n)
		}
		if name := parseOSRelease(strings.NewReader(text)); strings.Contains(name, "\n") {
			t.Errorf("name %q", name)
		}
		cpuQuota(fstest.MapFS{"proc/self/cgroup": file(text), "sys/fs/cgroup/cpu.max": file(text)})
	})
}
