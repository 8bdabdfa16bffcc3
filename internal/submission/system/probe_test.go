package system

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"testing/fstest"
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text + "\n")} }

// server is a machine of two processors with four cores each, whose firmware's table may be read.
func server() fstest.MapFS {
	root := fstest.MapFS{
		"proc/cpuinfo":           file("model name\t: Example  CPU\nphysical id\t: 0\ncpu MHz\t\t: 2596.114"),
		"proc/meminfo":           file("MemTotal:       16384000 kB"),
		"proc/mounts":            file("rootfs / rootfs rw 0 0\n/dev/sda1 / ext4 rw 0 0\nproc /proc proc rw 0 0"),
		"etc/os-release":         file(`PRETTY_NAME="Example OS 1"`),
		"proc/sys/kernel/ostype": file("Linux"), "proc/sys/kernel/osrelease": file("6.1.0"),
		"sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq": file("3700000"),
		"sys/devices/system/cpu/cpu0/cache/index0/level":       file("1"),
		"sys/devices/system/cpu/cpu0/cache/index0/type":        file("Data"),
		"sys/devices/system/cpu/cpu0/cache/index0/size":        file("48K"),
		"sys/devices/system/cpu/cpu0/cache/index3/level":       file("3"),
		"sys/devices/system/cpu/cpu0/cache/index3/type":        file("Unified"),
		"sys/devices/system/cpu/cpu0/cache/index3/size":        file("32768K"),
		"sys/firmware/dmi/entries/17-0/raw":                    {Data: memoryDevice(16384, 0x1a, 3200)},
		"sys/firmware/dmi/entries/17-1/raw":                    {Data: memoryDevice(16384, 0x1a, 3200)},
		"sys/firmware/dmi/entries/17-2/raw":                    {Data: memoryDevice(0, 0x02, 0)},
		"sys/block/nvme0n1/size":                               file("7500000000"),
		"sys/block/sda/size":                                   file("1000000000"),
		"sys/block/sda/queue/rotational":                       file("1"),
		"sys/block/loop0/size":                                 file("1000"),
		"sys/class/net/lo/type":                                file("772"),
		"sys/class/net/eth0/device/vendor":                     file("0x8086"),
		"sys/class/net/eth0/type":                              file("1"),
		"sys/class/net/eth0/speed":                             file("25000"),
		"sys/class/net/ib0/device/vendor":                      file("0x15b3"),
		"sys/class/net/ib0/type":                               file("32"),
		"sys/class/net/ib0/speed":                              file("-1"),
	}
	for cpu, place := range []string{"0 0", "0 1", "0 0", "0 1", "1 0", "1 1"} {
		socket, core, _ := strings.Cut(place, " ")
		folder := "sys/devices/system/cpu/cpu" + string(rune('0'+cpu)) + "/topology/"
		root[folder+"physical_package_id"], root[folder+"core_id"] = file(socket), file(core)
	}
	return root
}

func memoryDevice(mib uint16, kind byte, speed uint16) []byte {
	raw := make([]byte, 0x28)
	raw[0], raw[1], raw[0x12] = 17, byte(len(raw)), kind
	binary.LittleEndian.PutUint16(raw[0x0c:], mib)
	binary.LittleEndian.PutUint16(raw[0x20:], speed)
	return raw
}

func TestProbe(t *testing.T) {
	got := ProbeMachine(t.Context(), Machine{Root: server()})
	for name, want := range map[string]string{
		"host_processor_model_name": "Example CPU", "host_processors_per_node": "2", "host_processor_core_count": "2",
		"host_processor_frequency": "3.70 GHz", "host_processor_caches": "L1d 48 KiB, L3 32 MiB",
		"host_processor_interconnect": "",
		"host_memory_capacity":        "32 GiB", "host_memory_configuration": "2 x 16 GiB DDR4 3200 MT/s",
		"host_storage_capacity": "4.35 TB", "host_storage_type": "NVMe SSD, HDD",
		"host_network_card_count": "1x Ethernet 25 Gb/s, 1x InfiniBand",
		"host_networking":         "Ethernet 25 Gb/s, InfiniBand", "host_networking_topology": "N/A",
		"accelerators_per_node": "0", "accelerator_model_name": "N/A", "accelerator_frequency": "",
		"operating_system": "Example OS 1", "other_software_stack": "Linux 6.1.0", "number_of_nodes": "1",
		"nic_loadgen": "Ethernet 25 Gb/s, InfiniBand", "number_nic_loadgen": "2",
		"net_software_stack_loadgen": "TCP/IP of Linux 6.1.0", "filesystem": "ext4",
	} {
		if got[name] != want {
			t.Errorf("%s = %q, want %q", name, got[name], want)
		}
	}
	fields := map[string]bool{"filesystem": true, "driver": true} // of submissions to MLPerf Endpoints
	for _, f := range append(Fields(), NetworkFields()...) {
		fields[f.Name] = true
	}
	for name, value := range got {
		if !fields[name] || value == "" {
			t.Errorf("%s = %q: no field, or empty", name, value)
		}
	}
}

func TestProbeAMachineThatSaysLittle(t *testing.T) {
	root := fstest.MapFS{
		"proc/cpuinfo": file("cpu MHz\t\t: 2596.114\nphysical id\t: 0"), "proc/meminfo": file("MemTotal:       16384000 kB"),
	}
	got := ProbeMachine(t.Context(), Machine{Root: root})
	if got["host_memory_capacity"] != "15.6 GiB (as the system sees it)" ||
		got["host_processor_frequency"] != "2.60 GHz" ||
		got["host_processor_interconnect"] != "N/A" {
		t.Errorf("got %v", got)
	}
	for _, name := range []string{"host_memory_configuration", "host_storage_type", "host_networking", "cooling"} {
		if value, ok := got[name]; ok {
			t.Errorf("%s = %q on a machine that does not say", name, value)
		}
	}
}

// says runs a program whose output is known.
func says(out string, err error) func(context.Context, string, ...string) ([]byte, error) {
	return func(context.Context, string, ...string) ([]byte, error) { return []byte(out), err }
}

func TestAccelerators(t *testing.T) {
	const row = "NVIDIA H200, 143771, 1980, 570.124.06, 5, 16\n"
	got := ProbeMachine(t.Context(), Machine{Root: server(), Run: says(row+row, nil)})
	for name, want := range map[string]string{
		"accelerators_per_node": "2", "accelerator_model_name": "NVIDIA H200", "accelerator_memory_capacity": "140.4 GiB",
		"accelerator_frequency": "1980 MHz", "accelerator_host_interconnect": "PCIe Gen5 x16", "accelerator_interconnect": "",
		"other_software_stack": "Linux 6.1.0, NVIDIA driver 570.124.06",
	} {
		if got[name] != want {
			t.Errorf("%s = %q, want %q", name, got[name], want)
		}
	}
	alone := ProbeMachine(t.Context(), Machine{Root: server(), Run: says(row, nil)})
	if alone["accelerator_interconnect"] != "N/A" {
		t.Errorf("one accelerator is connected to %q", alone["accelerator_interconnect"])
	}
}

// A device that computes and that no program describes is for a person to describe.
func TestAcceleratorWithoutItsProgram(t *testing.T) {
	root := server()
	root["sys/bus/pci/devices/0000:01:00.0/class"] = file("0x120000")
	got := ProbeMachine(t.Context(), Machine{Root: root, Run: says("", errors.New("not found"))})
	if n, ok := got["accelerators_per_node"]; ok {
		t.Errorf("accelerators_per_node = %q", n)
	}
}

func FuzzParseModule(f *testing.F) {
	f.Add(memoryDevice(16384, 0x1a, 3200))
	f.Add(memoryDevice(0x7fff, 0x22, 0xffff))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, ok := parseModule(raw)
		if ok && (m.bytes <= 0 || m.speed < 0 || m.speed > 0xffff) {
			t.Errorf("%+v", m)
		}
	})
}

func FuzzParseDevices(f *testing.F) {
	f.Add("NVIDIA H200, 143771, 1980, 570.124.06, 5, 16\n")
	f.Add("\"a\", [N/A], , , x, 1\n")
	f.Fuzz(func(t *testing.T, table string) {
		found, _ := parseDevices(table)
		if found != nil && (found["accelerators_per_node"] == "" || found["accelerators_per_node"] == "0") {
			t.Errorf("%q", found)
		}
	})
}
