package system

import (
	"io"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// cpuQuota returns the smallest limit of processor time among the control groups of this process and their parents, as
// "1.5 CPUs", or an empty text. In version 2 a group's cpu.max contains "quota period" in microseconds; version 1 has
// cpu.cfs_quota_us and cpu.cfs_period_us. In a container the paths may be those of the host, with the container's group
// mounted as the root, so both are read.
func cpuQuota(root fs.FS) string {
	least := 0.0
	for _, dir := range controlGroups(root) {
		for _, cpus := range []float64{
			parseQuota(firstLine(root, path.Join(dir, "cpu.max"))),
			parseQuota(firstLine(root, path.Join(dir, "cpu.cfs_quota_us")) + " " +
				firstLine(root, path.Join(dir, "cpu.cfs_period_us"))),
		} {
			if cpus > 0 && (least == 0 || cpus < least) {
				least = cpus
			}
		}
	}
	if least == 0 {
		return ""
	}
	return strconv.FormatFloat(least, 'g', 4, 64) + " CPUs"
}

// controlGroups returns the folders of the process's groups with a controller of processors, and of their parents.
func controlGroups(root fs.FS) (all []string) {
	const top = "sys/fs/cgroup"
	add := func(mount, group string) {
		for g := path.Clean("/" + group); ; g = path.Dir(g) {
			all = append(all, path.Join(mount, g))
			if g == "/" {
				return
			}
		}
	}
	add(top, "/") // even if /proc does not name it
	readFile(root, "proc/self/cgroup", func(r io.Reader) {
		eachField(r, ":", func(_, rest string) { // hierarchy:controllers:path
			controllers, group, ok := strings.Cut(rest, ":")
			switch {
			case !ok:
			case controllers == "":
				add(top, group)
				add(path.Join(top, "unified"), group)
			case strings.Contains(","+controllers+",", ",cpu,"):
				for _, mount := range []string{controllers, "cpu", "cpu,cpuacct", "cpuacct,cpu"} {
					add(path.Join(top, mount), group)
				}
			}
		})
	})
	return all
}

// parseQuota parses "quota period"; 0 means no limit.
func parseQuota(text string) float64 {
	limit, period, ok := strings.Cut(strings.TrimSpace(text), " ")
	l, err1 := strconv.ParseFloat(limit, 64)
	p, err2 := strconv.ParseFloat(period, 64)
	if !ok || err1 != nil || err2 != nil || !(l > 0) || !(p > 0) || math.IsInf(l, 0) {
		return 0
	}
	return l / p
}
