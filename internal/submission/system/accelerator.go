package system

import (
	"context"
	"encoding/csv"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// queriedProperties lists the properties that nvidia-smi is queried for, in this order.
var queriedProperties = []string{
	"name", "memory.total", "clocks.max.sm", "driver_version", "pcie.link.gen.max", "pcie.link.width.max",
}

// smiProgram lists devices as CSV.
const smiProgram = "nvidia-smi"

var smiArgs = []string{"--query-gpu=" + strings.Join(queriedProperties, ","), "--format=csv,noheader,nounits"}

// listAccelerators returns the fields on accelerators from nvidia-smi, and the driver. If nvidia-smi is missing and the
// PCI bus has no other accelerator, the machine has none. Otherwise nothing is known.
func (m Machine) listAccelerators(ctx context.Context) (found map[string]string, driver string) {
	if m.Run != nil {
		out, err := m.Run(ctx, smiProgram, smiArgs...)
		if err == nil {
			if found, driver = parseDevices(string(out)); found != nil {
				return found, driver
			}
		}
	}
	if hasComputingDevice(m.Root) {
		return nil, ""
	}
	none := map[string]string{"accelerators_per_node": "0"}
	for _, f := range Fields() {
		if f.Required && strings.HasPrefix(f.Name, "accelerator_") {
			none[f.Name] = "N/A"
		}
	}
	return none, ""
}

// parseDevices parses nvidia-smi's table with a row per device. The values come from the first device. If devices
// differ, the name lists all models.
func parseDevices(table string) (found map[string]string, driver string) {
	reader := csv.NewReader(strings.NewReader(table))
	reader.FieldsPerRecord, reader.TrimLeadingSpace = len(queriedProperties), true
	rows, err := reader.ReadAll()
	if err != nil || len(rows) == 0 {
		return nil, ""
	}
	first := rows[0]
	found = map[string]string{
		"accelerators_per_node":  strconv.Itoa(len(rows)),
		"accelerator_model_name": modelNames(rows),
	}
	if mib, err := strconv.ParseInt(first[1], 10, 42); err == nil && mib > 0 {
		found["accelerator_memory_capacity"] = formatGiB(mib << 20)
	}
	if mhz, err := strconv.Atoi(first[2]); err == nil && mhz > 0 {
		found["accelerator_frequency"] = fmt.Sprintf("%d MHz", mhz)
	}
	generation, err1 := strconv.Atoi(first[4])
	width, err2 := strconv.Atoi(first[5])
	if err1 == nil && err2 == nil {
		found["accelerator_host_interconnect"] = fmt.Sprintf("PCIe Gen%d x%d", generation, width)
	}
	if len(rows) == 1 {
		found["accelerator_interconnect"] = "N/A"
	}
	return found, "NVIDIA driver " + first[3]
}

func modelNames(rows [][]string) string {
	var names []string
	seen := map[string]bool{}
	for _, row := range rows {
		if name := strings.TrimSpace(row[0]); !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// computingClasses lists the PCI classes of computing devices: 3D controllers and processing accelerators.
var computingClasses = []string{"0x0302", "0x1200"}

// hasComputingDevice reports whether the PCI bus has a computing device.
func hasComputingDevice(root fs.FS) bool {
	for _, name := range listNames(root, "sys/bus/pci/devices") {
		class := readTrimmed(root, path.Join("sys/bus/pci/devices", name, "class"))
		for _, c := range computingClasses {
			if strings.HasPrefix(class, c) {
				return true
			}
		}
	}
	return false
}
