package system

import (
	"context"
	"io/fs"
	"maps"
	"path"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/lists"
	machine "github.com/plumbline-ml/plumbline/internal/system"
)

// Machine is the source of a description.
type Machine struct {
	Root fs.FS // the file system of a Linux machine: "/"
	// Run gives the output of a program, here nvidia-smi; an error where there is none. Nil: there is none.
	Run func(ctx context.Context, name string, args ...string) ([]byte, error)
}

// Probe reads what the machine says of itself: the value of each field that it tells. Fields that no machine knows, and
// those that this one does not tell, are missing.
func Probe(ctx context.Context, m Machine) map[string]string {
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

// filesystemKind is the kind of the one that the root folder lies on; empty where the machine does not say.
func filesystemKind(root fs.FS) (kind string) {
	for line := range strings.Lines(readTrimmed(root, "proc/mounts")) {
		if fields := strings.Fields(line); len(fields) > 2 && fields[1] == "/" {
			kind = fields[2] // what was mounted last lies above
		}
	}
	return kind
}

// maxBytes is the size up to which files of the machine are read.
const maxBytes = 64 << 10

// readTrimmed is a file of the machine, trimmed; empty where there is none.
func readTrimmed(root fs.FS, name string) string {
	f, err := root.Open(name)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // opened for reading
	buffer := make([]byte, maxBytes)
	n, _ := f.Read(buffer) // files of the kernel come whole
	return strings.TrimSpace(string(buffer[:n]))
}

// listNames are those in a folder; none where there is no such folder.
func listNames(root fs.FS, folder string) []string {
	entries, _ := fs.ReadDir(root, folder)
	return lists.Map(entries, fs.DirEntry.Name)
}

func pathExists(root fs.FS, elements ...string) bool {
	_, err := fs.Stat(root, path.Join(elements...))
	return err == nil
}
