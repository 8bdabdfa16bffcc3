package system

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	machine "github.com/plumbline-ml/plumbline/internal/system"
)

// describeMemory returns the fields on installed memory, from the modules in the firmware's table if that is readable
// (usually only by root), or else from the kernel.
func describeMemory(root fs.FS, info machine.Info) map[string]string {
	if found := readModules(root); len(found) > 0 {
		return describeModules(found)
	}
	if info.MemoryBytes <= 0 {
		return nil
	}
	return map[string]string{"host_memory_capacity": formatGiB(info.MemoryBytes) + " (as the system sees it)"}
}

// memoryModule is a memory module.
type memoryModule struct {
	bytes int64
	kind  string // "DDR4"; empty: unknown
	speed int    // MT/s; 0: unknown
}

func (m memoryModule) String() string {
	text := formatGiB(m.bytes)
	if m.kind != "" {
		text += " " + m.kind
	}
	if m.speed > 0 {
		text += fmt.Sprintf(" %d MT/s", m.speed)
	}
	return text
}

func describeModules(modules []memoryModule) map[string]string {
	var total int64
	count := map[string]int{}
	for _, m := range modules {
		total += m.bytes
		count[m.String()]++
	}
	var list []string
	for _, text := range slices.Sorted(maps.Keys(count)) {
		list = append(list, fmt.Sprintf("%d x %s", count[text], text))
	}
	return map[string]string{
		"host_memory_capacity": formatGiB(total), "host_memory_configuration": strings.Join(list, ", "),
	}
}

// dmiFolder is the kernel's folder of the firmware's table. Its entries of type 17 are memory modules.
const dmiFolder = "sys/firmware/dmi/entries"

func readModules(root fs.FS) []memoryModule {
	var list []memoryModule
	for _, name := range listNames(root, dmiFolder) {
		if !strings.HasPrefix(name, "17-") {
			continue
		}
		raw, err := fs.ReadFile(root, path.Join(dmiFolder, name, "raw"))
		if err != nil {
			continue
		}
		if m, ok := parseModule(raw); ok {
			list = append(list, m)
		}
	}
	return list
}

// parseModule parses a structure "Memory Device" (type 17) of the SMBIOS specification, section 7.18. ok is false for
// an empty slot.
func parseModule(raw []byte) (m memoryModule, ok bool) {
	if len(raw) < 0x15 || raw[0] != 17 {
		return memoryModule{}, false
	}
	word := func(at int) int {
		if at+2 > min(int(raw[1]), len(raw)) {
			return 0
		}
		return int(binary.LittleEndian.Uint16(raw[at:]))
	}
	const unknown, extended, inKB = 0xffff, 0x7fff, 0x8000
	switch size := word(0x0c); {
	case size == 0 || size == unknown:
		return memoryModule{}, false
	case size == extended:
		m.bytes = int64(word(0x1c)|word(0x1e)&0x7fff<<16) << 20
	case size&inKB != 0:
		m.bytes = int64(size&^inKB) << 10
	default:
		m.bytes = int64(size) << 20
	}
	m.kind = memoryKinds[raw[0x12]]
	if m.speed = word(0x20); m.speed == 0 || m.speed == unknown { // the configured speed, or else the maximum speed
		m.speed = word(0x15)
	}
	if m.speed == unknown {
		m.speed = 0
	}
	return m, m.bytes > 0
}

// memoryKinds contains the common memory types of section 7.18.2.
var memoryKinds = map[byte]string{
	0x18: "DDR3", 0x1a: "DDR4", 0x1b: "LPDDR", 0x1c: "LPDDR2", 0x1d: "LPDDR3", 0x1e: "LPDDR4", 0x20: "HBM",
	0x21: "HBM2", 0x22: "DDR5", 0x23: "LPDDR5", 0x24: "HBM3",
}

// formatGiB formats a size in GiB, such as "64 GiB" or "23.5 GiB".
func formatGiB(bytes int64) string {
	text := fmt.Sprintf("%.1f", float64(bytes)/(1<<30))
	return strings.TrimSuffix(text, ".0") + " GiB"
}
