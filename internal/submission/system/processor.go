package system

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	machine "github.com/plumbline-ml/plumbline/internal/system"
)

const processorFolder = "sys/devices/system/cpu"

// describeProcessor returns the fields on the processors. The cores are those of the whole machine, not of this
// process.
func describeProcessor(root fs.FS, info machine.Info) map[string]string {
	sockets, cores := countCores(root)
	sockets = cmp.Or(sockets, info.Sockets)
	found := map[string]string{
		"host_processor_model_name": info.CPU,
		"host_processors_per_node":  positiveText(sockets),
		"host_processor_core_count": positiveText(cores),
		"host_processor_frequency":  maxFrequency(root),
		"host_processor_caches":     describeCaches(root),
	}
	if sockets == 1 {
		found["host_processor_interconnect"] = "N/A"
	}
	return found
}

// countCores returns the number of processors and the number of cores of one processor, without hardware threads.
func countCores(root fs.FS) (sockets, cores int) {
	packages, all := map[string]bool{}, map[string]bool{}
	for _, name := range listNames(root, processorFolder) {
		folder := path.Join(processorFolder, name, "topology")
		socket, core := readTrimmed(root, path.Join(folder, "physical_package_id")), readTrimmed(root, path.Join(folder,
			"core_id"))
		if socket == "" || core == "" {
			continue
		}
		die := readTrimmed(root, path.Join(folder, "die_id"))
		packages[socket], all[socket+" "+die+" "+core] = true, true
	}
	if len(packages) == 0 {
		return 0, 0
	}
	return len(packages), len(all) / len(packages)
}

func positiveText(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// maxFrequency returns the maximum frequency of the processor, or else the current one.
func maxFrequency(root fs.FS) string {
	if khz, err := strconv.ParseFloat(readTrimmed(root, path.Join(processorFolder, "cpu0/cpufreq/cpuinfo_max_freq")),
		64); err == nil {
		return formatGHz(khz / 1e6)
	}
	for line := range strings.Lines(readTrimmed(root, "proc/cpuinfo")) {
		key, value, _ := strings.Cut(line, ":")
		if strings.TrimSpace(key) != "cpu MHz" {
			continue
		}
		if mhz, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil {
			return formatGHz(mhz / 1e3)
		}
	}
	return ""
}

func formatGHz(ghz float64) string {
	if !(ghz > 0) || ghz > 1000 {
		return ""
	}
	return fmt.Sprintf("%.2f GHz", ghz)
}

// describeCaches describes the caches of the first core, such as "L1d 32 KiB, L1i 32 KiB, L2 1 MiB, L3 32 MiB".
func describeCaches(root fs.FS) string {
	var list []string
	for _, name := range listNames(root, path.Join(processorFolder, "cpu0/cache")) {
		folder := path.Join(processorFolder, "cpu0/cache", name)
		level, size := readTrimmed(root, path.Join(folder, "level")), readTrimmed(root, path.Join(folder, "size"))
		if level == "" || size == "" {
			continue
		}
		kind := map[string]string{"Data": "d", "Instruction": "i"}[readTrimmed(root, path.Join(folder, "type"))]
		list = append(list, "L"+level+kind+" "+cacheSize(size))
	}
	return strings.Join(list, ", ")
}

// cacheSize converts the kernel's "32768K" to "32 MiB".
func cacheSize(size string) string {
	n, err := strconv.Atoi(strings.TrimSuffix(size, "K"))
	switch {
	case err != nil:
		return size
	case n >= 1024 && n%1024 == 0:
		return fmt.Sprintf("%d MiB", n/1024)
	}
	return fmt.Sprintf("%d KiB", n)
}
