// Package system describes the machine that the harness runs on.
package system

import (
	"bufio"
	"cmp"
	"io"
	"io/fs"
	"path"
	"runtime"
	"strconv"
	"strings"
)

// Info is the system description of a result. Empty and zero fields are unknown.
type Info struct {
	CPU         string `json:"cpu"`          // model name
	Cores       int    `json:"cores"`        // logical CPUs that this process may use
	Sockets     int    `json:"sockets"`      // physical packages
	MemoryBytes int64  `json:"memory_bytes"` // installed
	OS          string `json:"os"`           // "Debian GNU/Linux 12 (bookworm)"
	Kernel      string `json:"kernel"`       // "Linux 6.1.0"
	Arch        string `json:"arch"`         // "amd64"
	// Frequency governor of all cores: "performance"; "mixed" if they differ.
	Governor  string `json:"governor"`
	GoVersion string `json:"go_version"`      // of the harness
	Quota     string `json:"cpu_quota"`       // cgroup limit, such as "1.5 CPUs"
	MaxProcs  int    `json:"gomaxprocs"`      // threads that may run Go code of the harness
	Virtual   bool   `json:"virtual_machine"` // the CPU announces a hypervisor
}

// Describe returns the description of a Linux machine with the file system root ("/" as fs.FS).
func Describe(root fs.FS) Info {
	info := Info{
		Cores: runtime.NumCPU(), Arch: runtime.GOARCH, GoVersion: runtime.Version(), MaxProcs: runtime.GOMAXPROCS(0),
		Governor: frequencyGovernor(root),
		Kernel:   kernelVersion(root),
		Quota:    cpuQuota(root),
	}
	readFile(root, "proc/cpuinfo", func(r io.Reader) { info.CPU, info.Sockets, info.Virtual = parseCPUInfo(r) })
	readFile(root, "proc/meminfo", func(r io.Reader) { info.MemoryBytes = parseMemInfo(r) })
	readFile(root, "etc/os-release", func(r io.Reader) { info.OS = parseOSRelease(r) })
	info.OS = cmp.Or(info.OS, runtime.GOOS)
	return info
}

func readFile(root fs.FS, name string, read func(io.Reader)) {
	f, err := root.Open(name)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }() // closing a file after reading loses no data
	read(f)
}

// firstLine returns the first line of a file, trimmed, or an empty text if there is none.
func firstLine(root fs.FS, name string) string {
	var text string
	readFile(root, name, func(r io.Reader) {
		s := bufio.NewScanner(r)
		if s.Scan() {
			text = strings.TrimSpace(s.Text())
		}
	})
	return text
}

func kernelVersion(root fs.FS) string {
	return strings.TrimSpace(firstLine(root, "proc/sys/kernel/ostype") + " " + firstLine(root,
		"proc/sys/kernel/osrelease"))
}

// frequencyGovernor returns the frequency governor of the cores, or an empty text if the machine has none.
func frequencyGovernor(root fs.FS) string {
	files, err := fs.Glob(root, "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor")
	if err != nil {
		return ""
	}
	found := ""
	for _, f := range files {
		switch g := firstLine(root, path.Clean(f)); {
		case found == "":
			found = g
		case found != g:
			return "mixed"
		}
	}
	return found
}

// eachField calls f for each line "key<sep>value".
func eachField(r io.Reader, sep string, f func(key, value string)) {
	s := bufio.NewScanner(r)
	for s.Scan() {
		if key, value, ok := strings.Cut(s.Text(), sep); ok {
			f(strings.TrimSpace(key), strings.TrimSpace(value))
		}
	}
}

// parseCPUInfo parses /proc/cpuinfo. (On arm64 the kernel reports part numbers instead of a model name.)
func parseCPUInfo(r io.Reader) (model string, sockets int, virtual bool) {
	packages := map[string]bool{}
	part := ""
	eachField(r, ":", func(key, value string) {
		switch key {
		case "model name":
			model = value
		case "physical id":
			packages[value] = true
		case "CPU part":
			part = value
		case "flags":
			virtual = virtual || strings.Contains(" "+value+" ", " hypervisor ")
		}
	})
	if model == "" && part != "" {
		model = "ARM part " + part
	}
	return strings.Join(strings.Fields(model), " "), len(packages), virtual
}

// parseMemInfo returns MemTotal of /proc/meminfo in bytes, or 0 if it is missing.
func parseMemInfo(r io.Reader) int64 {
	var bytes int64
	eachField(r, ":", func(key, value string) {
		if key != "MemTotal" {
			return
		}
		number, unit, _ := strings.Cut(value, " ")
		if n, err := strconv.ParseInt(number, 10, 53); err == nil && n > 0 && strings.TrimSpace(unit) == "kB" {
			bytes = n * 1024
		}
	})
	return bytes
}

// parseOSRelease returns PRETTY_NAME of os-release(5).
func parseOSRelease(r io.Reader) string {
	name := ""
	eachField(r, "=", func(key, value string) {
		if key == "PRETTY_NAME" {
			name = strings.Trim(value, `"'`)
		}
	})
	return name
}
