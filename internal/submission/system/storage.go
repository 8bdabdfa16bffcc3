package system

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// virtualBlocks lists the prefixes of block devices that are not disks.
var virtualBlocks = []string{"loop", "ram", "zram", "dm-", "md", "sr", "fd", "nbd"}

// describeStorage returns the fields on the size and the type of the disks.
func describeStorage(root fs.FS) map[string]string {
	var bytes int64
	var kinds []string
	for _, name := range listNames(root, "sys/block") {
		if slices.ContainsFunc(virtualBlocks, func(p string) bool { return strings.HasPrefix(name, p) }) {
			continue
		}
		sectors, err := strconv.ParseInt(readTrimmed(root, path.Join("sys/block", name, "size")), 10, 54)
		if err != nil || sectors <= 0 {
			continue
		}
		bytes += sectors * 512 // independent of the disk's own sector size
		if kind := diskKind(root, name); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	if bytes == 0 {
		return nil
	}
	return map[string]string{"host_storage_capacity": formatDecimal(bytes), "host_storage_type": strings.Join(kinds, ", ")}
}

func diskKind(root fs.FS, name string) string {
	switch {
	case strings.HasPrefix(name, "nvme"):
		return "NVMe SSD"
	case strings.HasPrefix(name, "mmcblk"):
		return "eMMC"
	case strings.HasPrefix(name, "vd"), strings.HasPrefix(name, "xvd"):
		return "virtual disk"
	case readTrimmed(root, path.Join("sys/block", name, "queue/rotational")) == "1":
		return "HDD"
	}
	return "SSD"
}

// formatDecimal formats a size in decimal units, such as "480 GB" or "3.84 TB".
func formatDecimal(bytes int64) string {
	if bytes >= 1e12 {
		return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", float64(bytes)/1e12), "0"), ".") + " TB"
	}
	return fmt.Sprintf("%.0f GB", float64(bytes)/1e9)
}
