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
		"max 100000": "", "200000 100000": "2 CPUs", "": "", "x 1": "", "100 0": "", "-5 10": "", "NaN 1": "",
	} {
		if got := quota(text); got != want {
			t.Errorf("quota(%q) = %q, want %q", text, got, want)
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
		quota(text)
	})
}
