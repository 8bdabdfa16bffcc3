package system

import (
	"context"
	"io/fs"
	"maps"
	"path"
	"strings"

	machine "github.com/plumbline-ml/plumbline/internal/system"
)

// Machine is the source of a description.
type Machine struct {
	Root fs.FS // file system of a Linux machine: "/"
	// Run runs a program (nvidia-smi) and returns its output, or an error if the program does not exist. nil: no programs.
	Run func(ctx context.Context, name string, args ...string) ([]byte, error)
}

// ProbeMachine reads the values that the machine provides, by field. It omits other fields.
func ProbeMachine(ctx context.Context, m Machine) map[string]string {
	known := map[string]string{"number_of_nodes": "1", "host_networking_topology": "N/A"}
	info := machine.Describe(m.Root)
	software := []string{info.Kernel}
	if info.Kernel != "" {
		known["net_software_stack_loadgen"] = "TCP/IP of " + info.Kernel
	}
	for _, found := range []map[string]string{
		describeProcessor(m.Root, info), describeMemory(m.Root, info), describeStorage(m.Root), describeNetwork(m.Root),
	} {
		maps.Copy(known, found)
	}
	accelerators, driver := m.listAccelerators(ctx)
	maps.Copy(known, accelerators)
	if driver != "" {
		software = append(software, driver)
		known["driver"] = driver
	}
	known["filesystem"] = filesystemKind(m.Root)
	known["operating_system"] = info.OS
	known["other_software_stack"] = strings.Join(software, ", ")
	maps.DeleteFunc(known, func(_, value string) bool { return value == "" })
	return known
}

// filesystemKind returns the type of the root folder's file system; empty: unknown.
func filesystemKind(root fs.FS) (kind string) {
	for line := range strings.Lines(readTrimmed(root, "proc/mounts")) {
		if fields := strings.Fields(line); len(fields) > 2 && fields[1] == "/" {
			kind = fields[2] // the last mount hides earlier ones
		}
	}
	return kind
}

// maxFileSize is the maximum size in bytes of the machine's files.
const maxFileSize = 64 << 10

// readTrimmed returns the trimmed content of a file; empty: no such file.
func readTrimmed(root fs.FS, name string) string {
	f, err := root.Open(name)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // opened for reading
	buffer := make([]byte, maxFileSize)
	n, _ := f.Read(buffer) // the kernel returns its files in one read
	return strings.TrimSpace(string(buffer[:n]))
}

// listNames returns the names in a folder; none if it does not exist.
func listNames(root fs.FS, folder string) []string {
	entries, _ := fs.ReadDir(root, folder)
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names
}

func pathExists(root fs.FS, elements ...string) bool {
	_, err := fs.Stat(root, path.Join(elements...))
	return err == nil
}
